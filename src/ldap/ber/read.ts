import { textOf } from './text.ts';

/** Octets that are not what RFC 4511 asks for. Thrown and caught inside this room only: outside it is `{ kind: 'bad' }`. */
export class Malformed extends Error {}

/** A place in BER octets, and the end of the element being read. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
  end: number;
}

/** How many octets a BER length may take: 4 reach 4 GiB, and no message is near that. */
const lengthOctetsMax = 4;

/** A cursor over all of `bytes`; nothing is copied. */
export function cursor(bytes: Uint8Array): Cursor {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0, end: bytes.byteLength };
}

export type Length =
  | { readonly kind: 'whole'; readonly octets: number; readonly next: number }
  | { readonly kind: 'more' }
  | { readonly kind: 'bad'; readonly why: string };

/**
 * Reads a definite BER length from what has arrived.
 *
 * @param at  offset of the first length octet
 * @returns `whole` with the length in octets and the offset behind it, `more` when octets are still to come,
 *          `bad` for the indefinite form and for lengths beyond 4 octets
 * @see RFC 4511 §5.1: only the definite form is used
 */
export function readLength(bytes: Uint8Array, at: number): Length {
  const first = bytes[at];
  if (first === undefined) return { kind: 'more' };
  if (first < 0x80) return { kind: 'whole', octets: first, next: at + 1 };
  const count = first & 0x7f;
  if (count === 0) return { kind: 'bad', why: 'indefinite length' };
  if (count > lengthOctetsMax) return { kind: 'bad', why: `length of ${count} octets` };
  if (bytes.length < at + 1 + count) return { kind: 'more' };
  let octets = 0;
  for (let i = 1; i <= count; i++) octets = octets * 256 + (bytes[at + i] as number);
  return { kind: 'whole', octets, next: at + 1 + count };
}

/** The tag of the element at the cursor, or -1 at the end of the element around it. */
export function peekTag(c: Cursor): number {
  return c.at < c.end ? (c.bytes[c.at] as number) : -1;
}

/**
 * Goes into the element at the cursor, which must have `tag`.
 *
 * @returns the end of the element around it, for `close`
 */
export function open(c: Cursor, tag: number): number {
  if (peekTag(c) !== tag) throw new Malformed(unexpected(c, tag));
  const outer = c.end;
  c.at = c.at + 1;
  const octets = length(c);
  c.end = c.at + octets;
  return outer;
}

/**
 * Leaves the element that `open` went into. Components behind those that were read are passed over.
 *
 * @see RFC 4511 §4: trailing SEQUENCE components whose tags are not recognized are ignored
 */
export function close(c: Cursor, outer: number): void {
  while (c.at < c.end) skip(c);
  c.end = outer;
}

/** Passes over one element, whatever it is. */
export function skip(c: Cursor): void {
  // Multi-octet tags appear nowhere in LDAP; refusing them keeps every tag one octet.
  if (((c.bytes[c.at] as number) & 0x1f) === 0x1f) throw new Malformed('tag of several octets');
  c.at = c.at + 1;
  const octets = length(c);
  c.at = c.at + octets;
}

/** The octets of a primitive element, as a view. */
export function readOctets(c: Cursor, tag: number): Uint8Array {
  const start = content(c, tag);
  return new Uint8Array(c.bytes.buffer, c.bytes.byteOffset + start, c.at - start);
}

/** A string element. What is not UTF-8 is malformed (RFC 4511 §4.1.2). */
export function readString(c: Cursor, tag: number): string {
  const start = content(c, tag);
  const text = textOf(c.bytes, start, c.at);
  if (text === undefined) throw new Malformed('string is not UTF-8');
  return text;
}

/** An INTEGER or ENUMERATED of at most 4 octets, which is all that RFC 4511's maxInt needs; never negative. */
export function readNumber(c: Cursor, tag: number): number {
  const start = content(c, tag);
  const octets = c.at - start;
  if (octets === 0 || octets > 4) throw new Malformed(`integer of ${octets} octets`);
  let value = ((c.bytes[start] as number) << 24) >> 24;
  for (let i = start + 1; i < c.at; i++) value = (value << 8) | (c.bytes[i] as number);
  if (value < 0) throw new Malformed('negative integer');
  return value;
}

export function readBoolean(c: Cursor, tag: number): boolean {
  const start = content(c, tag);
  if (c.at - start !== 1) throw new Malformed('boolean is not one octet');
  return c.bytes[start] !== 0;
}

/** Moves behind the primitive element at the cursor and returns where its content starts. */
function content(c: Cursor, tag: number): number {
  if (peekTag(c) !== tag) throw new Malformed(unexpected(c, tag));
  c.at = c.at + 1;
  const octets = length(c);
  const start = c.at;
  c.at = start + octets;
  return start;
}

/** The length at the cursor, checked to end within the element around it. */
function length(c: Cursor): number {
  const first = c.bytes[c.at];
  // The short form is nearly every length, and needs no object.
  if (first !== undefined && first < 0x80 && c.at < c.end) {
    c.at = c.at + 1;
    if (c.at + first > c.end) throw new Malformed('element runs over the end of the one around it');
    return first;
  }
  const read = readLength(c.bytes, c.at);
  if (read.kind === 'more') throw new Malformed('length is cut off');
  if (read.kind === 'bad') throw new Malformed(read.why);
  if (read.next + read.octets > c.end) throw new Malformed('element runs over the end of the one around it');
  c.at = read.next;
  return read.octets;
}

function unexpected(c: Cursor, tag: number): string {
  const found = peekTag(c);
  return `tag 0x${tag.toString(16).padStart(2, '0')} expected, ${found < 0 ? 'end of the element' : `0x${found.toString(16).padStart(2, '0')}`} found`;
}
