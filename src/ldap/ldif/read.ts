import { textOf } from '../ber/text.ts';
import { addModifyLine, addModrdnLine, addValue, createDraft, type Draft, finish, fromBase64, parseControl } from './draft.ts';
import { createLines, feed, type Lines, nextLine } from './lines.ts';
import { createNames, type Name, type Names, nameOf } from './names.ts';
import { LdifError, type LdifFault, type LdifLimits, type LdifRecord } from './types.ts';

const colon = 0x3a;
const hash = 0x23;
const lessThan = 0x3c;
const minus = 0x2d;
const space = 0x20;

/** Below this many octets arrived chunks are gathered before they are looked at. */
const gatheredOctetsMin = 65536;

interface Reader {
  readonly limits: LdifLimits;
  readonly lines: Lines;
  readonly names: Names;
  draft: Draft | undefined;
  /** Before the first record, where alone `version:` may stand. */
  atStart: boolean;
  /** Behind what cannot be read, until the next record begins. */
  skipping: boolean;
}

/**
 * Reads LDIF record by record; no more than one record and one chunk are held in memory. Values are views that stay valid.
 *
 * Taken beyond the grammar, as others take it: no `version:`, the mark of UTF-8 that editors put in front, octets beyond ASCII in values, several content and change
 * records mixed, no `-` behind the last modification, `increment` (RFC 4525). Values from URLs (`:<`) are refused.
 *
 * @param chunks  octets as they come, cut anywhere
 * @throws LdifError with the line and the reason, when what is read is not LDIF or is beyond a limit
 * @see RFC 2849
 */
export function readLdif(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, limits: LdifLimits): AsyncGenerator<LdifRecord, void> {
  return readBy(nextRecord, chunks, limits);
}

/**
 * The same, and where a record cannot be read goes on with the next: behind an empty line, or where a line begins with `dn:`.
 *
 * @throws LdifError  where nobody knows where the next one is: in a line beyond its limit, a text that is UTF-16
 */
export function readLdifOn(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: LdifLimits,
): AsyncGenerator<LdifRecord | LdifFault, void> {
  return readBy(nextOrFault, chunks, limits);
}

async function* readBy<T>(
  next: (reader: Reader) => T | undefined,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: LdifLimits,
): AsyncGenerator<T, void> {
  const names = createNames(limits.looseNames);
  const reader: Reader = { limits, lines: createLines(), names, draft: undefined, atStart: true, skipping: false };
  const { lines } = reader;
  let gathered: Uint8Array[] = [];
  let octets = 0;
  for await (const chunk of chunks) {
    gathered.push(chunk);
    octets += chunk.length;
    // A line that is not whole yet is looked at again only when there is twice as much of it: else small chunks would cost the square.
    if (octets < Math.max(gatheredOctetsMin, lines.arrived.length - lines.at)) continue;
    feed(lines, gathered);
    gathered = [];
    octets = 0;
    for (let record = next(reader); record; record = next(reader)) yield record;
  }
  feed(lines, gathered);
  lines.ended = true;
  for (let record = next(reader); record; record = next(reader)) yield record;
}

/** The same as `nextRecord`, and what cannot be read in place of the record that it was to be. */
function nextOrFault(r: Reader): LdifRecord | LdifFault | undefined {
  try {
    return nextRecord(r);
  } catch (error) {
    if (!(error instanceof LdifError) || error.endsFile) throw error;
    const dn = r.draft?.dn ?? '';
    r.draft = undefined;
    r.skipping = r.lines.start !== r.lines.end;
    return { kind: 'fault', line: error.line, dn, why: error.why };
  }
}

/** The next record that has arrived whole. */
function nextRecord(r: Reader): LdifRecord | undefined {
  const { lines } = r;
  while (nextLine(lines, r.limits.lineOctetsMax)) {
    if (lines.start === lines.end) {
      r.skipping = false;
      if (r.draft) return finished(r, r.draft);
    } else if (lines.bytes[lines.start] !== hash && !(r.skipping && !isDnLine(lines))) {
      r.skipping = false;
      readLine(r);
    }
  }
  return lines.ended && r.draft ? finished(r, r.draft) : undefined;
}

function finished(r: Reader, draft: Draft): LdifRecord {
  const record = finish(draft, r.lines.number);
  r.draft = undefined;
  return record;
}

function isDnLine({ bytes, start, end }: Lines): boolean {
  return /^dn:/i.test(bytes.toString('latin1', start, Math.min(end, start + 3)));
}

function readLine(r: Reader): void {
  const { lines, draft } = r;
  const { bytes, start, end } = lines;
  if (draft) {
    draft.octets += end - start;
    if (draft.octets > r.limits.recordOctetsMax) throw new LdifError(lines.number, 'record is too large');
    if (draft.kind === 'modify' && bytes[start] === minus && end - start === 1) {
      if (!draft.open) throw new LdifError(lines.number, '- ends no modification');
      draft.open = false;
      return;
    }
  }
  let stop = start;
  while (stop < end && bytes[stop] !== colon) stop++;
  if (stop === end) throw new LdifError(lines.number, 'no colon');
  const name = nameOf(r.names, bytes, start, stop);
  if (!name) throw new LdifError(lines.number, 'attribute description is malformed');
  if (draft) readDraftLine(r, draft, name, stop + 1);
  else beginRecord(r, name, stop + 1);
}

/** `version: 1`, or the DN with which a record begins. */
function beginRecord(r: Reader, name: Name, at: number): void {
  const { lines } = r;
  if (name.lower === 'version' && r.atStart) {
    if (valueText(lines, at) !== '1') throw new LdifError(lines.number, 'only version 1 is known');
  } else if (name.lower === 'dn') {
    r.draft = createDraft(lines.number, valueText(lines, at));
    r.draft.octets = lines.end - lines.start;
  } else {
    throw new LdifError(lines.number, 'dn expected');
  }
  r.atStart = false;
}

function readDraftLine(r: Reader, draft: Draft, name: Name, at: number): void {
  const { lines } = r;
  switch (draft.kind) {
    case 'content':
    case 'add':
      countValue(r, draft);
      addValue(draft, name, valueOctets(lines, at));
      return;
    case 'modify':
      countValue(r, draft);
      addModifyLine(draft, r.names, lines.number, name, valueOctets(lines, at));
      return;
    case 'modrdn':
      addModrdnLine(draft, lines.number, name, () => valueText(lines, at));
      return;
    case 'delete':
      throw new LdifError(lines.number, 'a delete takes no lines');
    case undefined:
      if (name.lower === 'control') {
        countValue(r, draft);
        draft.controls.push(parseControl(lines.number, Buffer.from(valueOctets(lines, at)).toString('latin1')));
      } else if (name.lower === 'changetype') {
        draft.kind = changeType(lines.number, valueText(lines, at));
      } else {
        if (draft.controls.length > 0) throw new LdifError(lines.number, 'changetype expected');
        draft.kind = 'content';
        readDraftLine(r, draft, name, at);
      }
      return;
  }
}

function changeType(line: number, text: string): LdifRecord['kind'] {
  const type = text.toLowerCase();
  if (type === 'moddn') return 'modrdn';
  if (type !== 'add' && type !== 'delete' && type !== 'modify' && type !== 'modrdn') throw new LdifError(line, `changetype ${text}`);
  return type;
}

function countValue(r: Reader, draft: Draft): void {
  draft.values += 1;
  if (draft.values > r.limits.valuesMax) throw new LdifError(r.lines.number, 'record has too many values');
}

/** The value of the current line, `at` being behind the first colon (RFC 2849, value-spec). */
function valueOctets(lines: Lines, at: number): Uint8Array {
  const { bytes, end } = lines;
  const mark = bytes[at];
  if (at < end && mark === lessThan) throw new LdifError(lines.number, 'values from URLs are refused');
  const encoded = at < end && mark === colon;
  let start = encoded ? at + 1 : at;
  while (start < end && bytes[start] === space) start++;
  if (encoded) return fromBase64(lines.number, bytes.toString('latin1', start, end));
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start);
}

function valueText(lines: Lines, at: number): string {
  const octets = valueOctets(lines, at);
  const text = textOf(Buffer.from(octets.buffer, octets.byteOffset, octets.length), 0, octets.length);
  if (text === undefined) throw new LdifError(lines.number, 'value is not UTF-8');
  return text;
}
