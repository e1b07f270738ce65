import { text } from '#base';
import { type Dn, formatDn, formatRdn, type LdifContent, LdifError, type LdifRecord, parentOf, parseDn } from '#ldap';
import { formOf, normalizeDn, type Schema } from '#schema';
import { partsOf } from './draft.ts';

/** What must be known of a whole file before its first entry is carried over. */
export interface Survey {
  /** What all names end with. */
  readonly suffix: string;
  readonly entries: number;
  /** Types and classes that entries use, in lower case. */
  readonly types: ReadonlySet<string>;
  readonly classes: ReadonlySet<string>;
  /** Names that others stand below, by their keys. */
  readonly superiors: ReadonlyMap<string, string>;
  /** The entries that may be those of a realm's frame: the uppermost, and those that are named as one of it is. */
  readonly frame: readonly LdifContent[];
}

/** More names than any schema has. */
const namesMax = 20_000;
const frameMax = 1000;

/**
 * Reads a file to its end, and keeps little of it.
 *
 * @param frameNames  the relative names of a realm's frame, in lower case
 * @throws LdifError for what is no entry, and for a file without any
 */
export async function survey(schema: Schema, records: AsyncIterable<LdifRecord>, frameNames: ReadonlySet<string>): Promise<Survey> {
  const types = new Set<string>();
  const classes = new Set<string>();
  const superiors = new Map<string, string>();
  const frame: LdifContent[] = [];
  let entries = 0;
  let suffix: Dn | undefined;
  let lastAbove: { readonly text: string; readonly key: string } | undefined;

  for await (const record of records) {
    if (record.kind !== 'content') throw new LdifError(record.line, 'a change, where only entries can be');
    const dn = parseDn(record.dn);
    entries++;
    for (const { description, values } of record.attributes) {
      if (types.size < namesMax) types.add(partsOf(description)[0]);
      if (description.toLowerCase() !== 'objectclass') continue;
      for (const value of values) if (classes.size < namesMax) classes.add((text(value) ?? '').toLowerCase());
    }
    if (dn === undefined || dn.length === 0) continue;
    const isUppermost = suffix === undefined || dn.length <= suffix.length;
    if (frame.length < frameMax && (isUppermost || frameNames.has(formatRdn(dn[0] ?? []).toLowerCase()))) frame.push(record);
    suffix = suffix === undefined ? dn : commonEnd(schema, suffix, dn);
    const above = formatDn(parentOf(dn) ?? []);
    if (lastAbove?.text !== above) lastAbove = { text: above, key: keyOf(schema, above) ?? '' };
    superiors.set(lastAbove.key, above);
  }
  if (entries === 0) throw new LdifError(0, 'there is no entry in the file');
  return { suffix: formatDn(uppermost(suffix ?? [])), entries, types, classes, superiors, frame };
}

/** The branches that lie below the suffix where a file has nothing above them, or nothing of another branch. */
const branches = /^ou=(people|groups)$/i;

function uppermost(dn: Dn): Dn {
  return branches.test(formatRdn(dn[0] ?? [])) ? dn.slice(1) : dn;
}

/** A name as a key of maps; `undefined` for one that the schema cannot read. */
export function keyOf(schema: Schema, dn: string): string | undefined {
  const parsed = parseDn(dn);
  const key = parsed && normalizeDn(schema, parsed);
  return key && formOf(key);
}

function commonEnd(schema: Schema, a: Dn, b: Dn): Dn {
  // Nearly all names end as they are written first.
  if (formatDn(b).endsWith(formatDn(a))) return a;
  for (let length = Math.min(a.length, b.length); length > 0; length--) {
    const [one, other] = [a.slice(a.length - length), b.slice(b.length - length)];
    if (keyOf(schema, formatDn(one)) === keyOf(schema, formatDn(other))) return one;
  }
  return [];
}
