import { text, utf8 } from '#base';
import type { Position } from './types.ts';

/**
 * String preparation for matching (RFC 4518): mapping, Unicode normalisation form KC, prohibited characters, insignificant spaces.
 *
 * Two forms come out of it. The *key* of a value has no spaces at its ends and single ones between words: short, for equality, ordering,
 * names and indexes. The *spaced* form is the RFC's own (§2.6.1), one space at each end and two between words, in which substrings are
 * found. Both tell the same values apart.
 *
 * Unassigned code points are those of the Unicode version at hand, not of 3.2: names of this century must be storable.
 */

/** Whether upper and lower case are one, as in the caseIgnore rules. */
export type Folding = 'fold' | 'exact';

const space = 0x20;
const hyphen = 0x2d;

/** The key of a value, or `undefined` when it is not UTF-8 or holds prohibited characters. A value of nothing but spaces is one space. */
export function prepareKey(value: Uint8Array, folding: Folding): Uint8Array | undefined {
  const quick = prepareAscii(value, folding === 'fold', false);
  if (quick !== undefined) return quick;
  const mapped = mapText(value, folding);
  if (mapped === undefined) return undefined;
  return utf8(trimmed(mapped.replace(spaceRuns, ' ')) || ' ');
}

/** The spaced form of a stored value, in which prepared substrings are found. */
export function prepareSpaced(value: Uint8Array, folding: Folding): Uint8Array | undefined {
  const quick = prepareAscii(value, folding === 'fold', true);
  if (quick !== undefined) return quick;
  const mapped = mapText(value, folding);
  if (mapped === undefined) return undefined;
  const inner = trimmed(mapped.replace(spaceRuns, '  '));
  return utf8(inner === '' ? '  ' : ` ${inner} `);
}

/** The spaced form of one part of a substrings assertion (RFC 4518 §2.6.1). */
export function preparePart(part: Uint8Array, position: Position, folding: Folding): Uint8Array | undefined {
  const quick = prepareAscii(part, folding === 'fold', true);
  if (quick !== undefined) {
    // Two spaces are all that a part of nothing else comes to, and it has one.
    const begins = position === 'initial' || part[0] === space;
    const ends = quick.length > 2 && (position === 'final' || part.at(-1) === space);
    return quick.subarray(begins || quick.length === 2 ? 0 : 1, ends ? quick.length : quick.length - 1);
  }
  const mapped = mapText(part, folding);
  if (mapped === undefined) return undefined;
  const inner = trimmed(mapped.replace(spaceRuns, '  '));
  if (inner === '') return utf8(' ');
  const begins = position === 'initial' || leadingSpace.test(mapped);
  const ends = position === 'final' || mapped.endsWith(' ');
  return utf8(`${begins ? ' ' : ''}${inner}${ends ? ' ' : ''}`);
}

/**
 * What the key has of a prepared part. Between words a key has one space where the spaced form has two; one more stands in both, and always before
 * a combining mark. Spaces at the ends of a part say where it stands, and the key may have none there.
 *
 * @returns `undefined` for a part of nothing but spaces
 */
export function singleSpaced(spaced: Uint8Array): Uint8Array | undefined {
  let start = 0;
  let end = spaced.length;
  while (spaced[start] === space) start++;
  while (end > start && spaced[end - 1] === space) end--;
  const single = new Uint8Array(end - start);
  let length = 0;
  for (let at = start; at < end; at++) {
    const isSecond = spaced[at] === space && spaced[at - 1] === space && spaced[at - 2] !== space;
    if (!isSecond) single[length++] = spaced[at] as number;
  }
  return length === 0 ? undefined : single.subarray(0, length);
}

/** Numbers as text: without any space (RFC 4518 §2.6.2). */
export function prepareNumeric(value: Uint8Array): Uint8Array | undefined {
  const mapped = mapText(value, 'exact');
  return mapped === undefined ? undefined : utf8(mapped.replace(/ (?!\p{M})/gu, ''));
}

/** Telephone numbers: without spaces and hyphens (RFC 4518 §2.6.3), in lower case. */
export function prepareTelephone(value: Uint8Array): Uint8Array | undefined {
  const quick = prepareAsciiTelephone(value);
  if (quick !== undefined) return quick;
  const mapped = mapText(value, 'fold');
  return mapped === undefined ? undefined : utf8(mapped.replace(/[ \-\u058a\u2010\u2011\u2212\ufe63\uff0d](?!\p{M})/gu, ''));
}

/** A space that a combining mark follows belongs to the mark (RFC 4518 §2.6.1). */
const spaceRuns = / +(?!\p{M})/gu;
const leadingSpace = /^ +(?!\p{M})/u;

/** Without spaces at its ends. No pattern takes those at the end: it would try each space of a long run anew. */
function trimmed(value: string): string {
  let end = value.length;
  while (value[end - 1] === ' ') end--;
  return value.slice(0, end).replace(leadingSpace, '');
}

/** Most values are printable ASCII, and for them preparation is a single pass over the octets. `undefined`: take the long way. */
function prepareAscii(value: Uint8Array, fold: boolean, spaced: boolean): Uint8Array | undefined {
  const start = room(spaced ? value.length * 2 + 2 : Math.max(value.length, 1));
  const out = slab;
  let end = start;
  let pending = spaced;
  for (let i = 0; i < value.length; i++) {
    const octet = value[i] as number;
    if (octet === space) {
      pending = pending || end > start;
      continue;
    }
    if (octet < space || octet >= 0x7f) return undefined;
    if (pending) {
      out[end++] = space;
      if (spaced && end > start + 1) out[end++] = space;
      pending = false;
    }
    out[end++] = fold && octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
  }
  if (end === start) {
    out[end++] = space;
    if (spaced) out[end++] = space;
  } else if (spaced) out[end++] = space;
  slabAt = end;
  return out.subarray(start, end);
}

/** The same for telephone numbers. */
function prepareAsciiTelephone(value: Uint8Array): Uint8Array | undefined {
  const start = room(value.length);
  const out = slab;
  let end = start;
  for (let i = 0; i < value.length; i++) {
    const octet = value[i] as number;
    if (octet < space || octet >= 0x7f) return undefined;
    if (octet !== space && octet !== hyphen) out[end++] = octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet;
  }
  slabAt = end;
  return out.subarray(start, end);
}

/** Small: who keeps one form of many keeps the slab that it lies in. */
const slabOctets = 4096;
let slab = new Uint8Array(slabOctets);
let slabAt = 0;

/** Where in the slab a form that is being made has room; forms lie behind each other, since to make an array for each costs more than to fill it. */
function room(octets: number): number {
  if (slabAt + octets > slab.length) {
    slab = new Uint8Array(Math.max(slabOctets, octets));
    slabAt = 0;
  }
  return slabAt;
}

/** Steps 1 to 4 of RFC 4518 §2: transcode, map, normalise, prohibit. */
function mapText(value: Uint8Array, folding: Folding): string | undefined {
  const given = text(value);
  if (given === undefined) return undefined;
  const mapped = given.replace(mappedToSpace, ' ').replace(mappedToNothing, '');
  const normal = folding === 'fold' ? fold(mapped.normalize('NFKC')).normalize('NFKC') : mapped.normalize('NFKC');
  return prohibited.test(normal) ? undefined : normal;
}

/** RFC 4518 §2.2: TAB, LF, VT, FF, CR, NEL and all separators. */
const mappedToSpace = /[\t\n\v\f\r\u0085\p{Z}]/gu;
/** RFC 4518 §2.2: controls and their like, soft hyphens, variation selectors, the zero width space. */
const mappedToNothing = /[\p{Cc}\p{Cf}\u1806\ufffc]|\u034f|[\u180b-\u180d]|[\ufe00-\ufe0f]/gu;
/** RFC 4518 §2.4. */
const prohibited = /[\p{Cn}\p{Co}\p{Cs}\ufffd]/u;

/**
 * Full case folding, which JavaScript does not offer: lower case of upper case of lower case, a code point at a time so that a sigma at the end of a
 * word is a sigma like any other. The dotless i stays itself: folding makes it i only for Turkic languages, and as i it would make two
 * names one.
 */
function fold(value: string): string {
  let folded = '';
  for (const character of value)
    folded += character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase().replace('ς', 'σ');
  return folded;
}
