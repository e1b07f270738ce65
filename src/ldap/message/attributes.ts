import { type Cursor, close, cursor, open, readOctets, readString } from '../ber/read.ts';
import {
  type Arena,
  arena,
  begin,
  end,
  lengthOctets,
  take,
  writeElements,
  writeHeaderAlone,
  writeOctets,
  writeString,
} from '../ber/write.ts';
import { universal } from './tags.ts';
import type { PartialAttribute } from './types.ts';

/** Writes one PartialAttribute: SEQUENCE { type, vals SET OF value } (RFC 4511 §4.1.7). */
export function writeAttribute(a: Arena, attribute: PartialAttribute): void {
  const sequence = begin(a, universal.sequence);
  writeString(a, universal.octets, attribute.description);
  const set = begin(a, universal.set);
  for (const value of attribute.values) writeOctets(a, universal.octets, value);
  end(a, set);
  end(a, sequence);
}

/** Reads one PartialAttribute; values are views. */
export function readAttribute(c: Cursor): PartialAttribute {
  const outer = open(c, universal.sequence);
  const description = readString(c, universal.octets);
  const set = open(c, universal.set);
  const values: Uint8Array[] = [];
  while (c.at < c.end) values.push(readOctets(c, universal.octets));
  c.end = set;
  close(c, outer);
  return { description, values };
}

/** Attributes as concatenated PartialAttribute elements: the form in which entries are kept and copied into answers. */
export function encodeAttributes(attributes: readonly PartialAttribute[]): Uint8Array {
  scratch.start = 0;
  scratch.at = 0;
  for (const attribute of attributes) {
    if (attribute instanceof KeptAttribute) writeElements(scratch, attribute.octets);
    else writeAttribute(scratch, attribute);
  }
  // A copy of its own: what is kept must not hold the whole arena.
  const encoded = new Uint8Array(take(scratch));
  if (scratch.bytes.length > scratchOctetsMax) scratch = arena(scratchOctets);
  return encoded;
}

/** Used again and again: making an arena costs more than filling it. A large one is not kept. */
const scratchOctets = 4096;
const scratchOctetsMax = 1_048_576;
let scratch = arena(scratchOctets);

/** One value as it stands in an attribute: an OCTET STRING element. */
export function encodeValue(value: Uint8Array): Uint8Array {
  if (value.length < 0x80) {
    const encoded = new Uint8Array(2 + value.length);
    encoded[0] = universal.octets;
    encoded[1] = value.length;
    encoded.set(value, 2);
    return encoded;
  }
  const a = arena(6 + value.length);
  writeOctets(a, universal.octets, value);
  return take(a);
}

/** What `encodeValue` wrote, as a view. */
export function decodeValue(bytes: Uint8Array): Uint8Array {
  const content = contentOf(bytes, 0);
  return bytes.subarray(content, stopOf(bytes, 0, content));
}

/**
 * What stands in an attribute in front of its values, for values that are encoded already and follow piece by piece.
 *
 * @param octets  of all values as `encodeValue` writes them
 */
export function encodeAttributeHead(description: string, octets: number): Uint8Array {
  const name = Buffer.from(description);
  const element = (content: number) => 1 + lengthOctets(content) + content;
  const a = arena(32 + name.length);
  writeHeaderAlone(a, universal.sequence, element(name.length) + element(octets));
  writeOctets(a, universal.octets, name);
  writeHeaderAlone(a, universal.set, octets);
  return take(a);
}

/**
 * What `encodeAttributes` wrote, as attributes whose values are views.
 *
 * @throws Error for octets that it did not write: these come from our own store, so that is a defect and not a client's doing
 */
export function decodeAttributes(bytes: Uint8Array): PartialAttribute[] {
  const c = cursor(bytes);
  const attributes: PartialAttribute[] = [];
  while (c.at < c.end) attributes.push(readAttribute(c));
  return attributes;
}

/**
 * An attribute as `encodeAttributes` wrote it: decoded when its values are asked for, and otherwise copied when it is written again, as
 * most are that a modify does not touch.
 */
export class KeptAttribute implements PartialAttribute {
  readonly description: string;
  /** The whole element, a view. */
  readonly octets: Uint8Array;
  #values: readonly Uint8Array[] | undefined;

  constructor(description: string, octets: Uint8Array) {
    this.description = description;
    this.octets = octets;
  }

  /** Views. */
  get values(): readonly Uint8Array[] {
    this.#values ??= readAttribute(cursor(this.octets)).values;
    return this.#values;
  }
}

/**
 * Goes over what `encodeAttributes` wrote without decoding it. All arguments of `visit` are offsets into `bytes`:
 * the whole element from `start` to `end`, its description and its values (each an OCTET STRING element), so that a caller
 * selects attributes by copying ranges.
 *
 * @throws Error for octets that `encodeAttributes` did not write
 */
export function walkAttributes(
  bytes: Uint8Array,
  visit: (start: number, end: number, descriptionStart: number, descriptionEnd: number, valuesStart: number, valuesEnd: number) => void,
): void {
  let at = 0;
  while (at < bytes.length) {
    const content = contentOf(bytes, at);
    const stop = stopOf(bytes, at, content);
    const description = contentOf(bytes, content);
    const descriptionEnd = stopOf(bytes, content, description);
    const values = contentOf(bytes, descriptionEnd);
    visit(at, stop, description, descriptionEnd, values, stop);
    at = stop;
  }
}

/** Goes over the values between the offsets that `walkAttributes` gave; `visit` gets the offsets of each value's octets. */
export function walkValues(bytes: Uint8Array, valuesStart: number, valuesEnd: number, visit: (start: number, end: number) => void): void {
  let at = valuesStart;
  while (at < valuesEnd) {
    const content = contentOf(bytes, at);
    const stop = stopOf(bytes, at, content);
    visit(content, stop);
    at = stop;
  }
}

/** Where the content of the element at `at` starts. */
export function contentOf(bytes: Uint8Array, at: number): number {
  const first = bytes[at + 1] as number;
  return first < 0x80 ? at + 2 : at + 2 + (first & 0x7f);
}

/** Where the element at `at`, whose content starts at `content`, ends. */
export function stopOf(bytes: Uint8Array, at: number, content: number): number {
  let octets = bytes[at + 1] as number;
  if (octets >= 0x80) {
    octets = 0;
    for (let i = at + 2; i < content; i++) octets = octets * 256 + (bytes[i] as number);
  }
  const stop = content + octets;
  // Also catches the NaN of a header that is cut off.
  if (!(stop <= bytes.length)) throw new Error('attribute octets are cut off');
  return stop;
}
