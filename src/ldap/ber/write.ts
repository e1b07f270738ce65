/**
 * Octets being written. What was taken stays where it is and writing goes on behind it, so that octets on their way to a
 * socket are never written over; a new buffer is begun only when the room is used up.
 */
export interface Arena {
  bytes: Buffer;
  /** Where what was not taken yet begins. */
  start: number;
  at: number;
  readonly initialOctets: number;
}

export function arena(initialOctets: number): Arena {
  return { bytes: Buffer.allocUnsafeSlow(initialOctets), start: 0, at: 0, initialOctets };
}

/** The octets written since the last take, as a view that will not change. */
export function take(a: Arena): Uint8Array {
  const taken = new Uint8Array(a.bytes.buffer, a.bytes.byteOffset + a.start, a.at - a.start);
  a.start = a.at;
  return taken;
}

/** Lets what was taken last be written over, unless something was written behind it. */
export function reuse(a: Arena, taken: Uint8Array): void {
  const start = a.start - taken.length;
  if (a.at !== a.start || taken.buffer !== a.bytes.buffer || taken.byteOffset !== a.bytes.byteOffset + start) return;
  a.start = start;
  a.at = start;
}

/** Makes room for `octets` more. */
export function reserve(a: Arena, octets: number): void {
  if (a.at + octets <= a.bytes.length) return;
  const pending = a.at - a.start;
  const grown = Buffer.allocUnsafeSlow(Math.max(a.initialOctets, pending * 2, pending + octets));
  a.bytes.copy(grown, 0, a.start, a.at);
  a.bytes = grown;
  a.start = 0;
  a.at = pending;
}

/**
 * Begins a constructed element.
 *
 * @returns a mark for `end`: how many octets behind the last take the content starts
 */
export function begin(a: Arena, tag: number): number {
  reserve(a, 2);
  a.bytes[a.at] = tag;
  a.at += 2;
  return a.at - a.start;
}

/** Ends the element that `begin` began. Content of 128 octets or more moves up to make room for its length. */
export function end(a: Arena, mark: number): void {
  const octets = a.at - a.start - mark;
  const extra = lengthOctets(octets) - 1;
  if (extra > 0) {
    reserve(a, extra);
    const content = a.start + mark;
    a.bytes.copyWithin(content + extra, content, a.at);
    a.at += extra;
  }
  putLength(a.bytes, a.start + mark - 1, octets);
}

export function writeOctets(a: Arena, tag: number, octets: Uint8Array): void {
  const { length } = octets;
  writeHeader(a, tag, length);
  if (length > shortMax) a.bytes.set(octets, a.at);
  else for (let i = 0; i < length; i++) a.bytes[a.at + i] = octets[i] as number;
  a.at += length;
}

/** Whole elements as they are. */
export function writeElements(a: Arena, elements: Uint8Array): void {
  reserve(a, elements.length);
  a.bytes.set(elements, a.at);
  a.at += elements.length;
}

/** So few octets are copied here: to call for it costs more. */
const shortMax = 32;

export function writeString(a: Arena, tag: number, value: string): void {
  const { length } = value;
  if (length <= shortMax) {
    writeHeader(a, tag, length);
    let i = 0;
    for (; i < length; i++) {
      const unit = value.charCodeAt(i);
      if (unit >= 0x80) break;
      a.bytes[a.at + i] = unit;
    }
    if (i === length) {
      a.at += length;
      return;
    }
    // Not ASCII: begun anew.
    a.at -= 1 + lengthOctets(length);
  }
  const octets = Buffer.byteLength(value);
  writeHeader(a, tag, octets);
  a.at += a.bytes.write(value, a.at, octets);
}

/** An INTEGER or ENUMERATED from 0 to 2^31 - 1 (RFC 4511 §4.1.1), in as few octets as it needs. */
export function writeNumber(a: Arena, tag: number, value: number): void {
  const octets = numberOctets(value);
  writeHeader(a, tag, octets);
  a.at = putNumber(a.bytes, a.at, value, octets);
}

/** TRUE is 0xFF (RFC 4511 §5.1). */
export function writeBoolean(a: Arena, tag: number, value: boolean): void {
  writeHeader(a, tag, 1);
  a.bytes[a.at++] = value ? 0xff : 0;
}

/** Tag and length of an element whose content of `octets` follows; the room for the content is reserved too. */
export function writeHeader(a: Arena, tag: number, octets: number): void {
  reserve(a, 6 + octets);
  writeHeaderAlone(a, tag, octets);
}

/** The same for content that is written elsewhere. */
export function writeHeaderAlone(a: Arena, tag: number, octets: number): void {
  reserve(a, 6);
  a.bytes[a.at] = tag;
  a.at = putLength(a.bytes, a.at + 1, octets);
}

/** How many octets the length of a content of `octets` takes. */
export function lengthOctets(octets: number): number {
  if (octets < 0x80) return 1;
  if (octets < 0x100) return 2;
  if (octets < 0x10000) return 3;
  if (octets < 0x1000000) return 4;
  return 5;
}

export function numberOctets(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x8000) return 2;
  if (value < 0x800000) return 3;
  return 4;
}

function putNumber(bytes: Buffer, at: number, value: number, octets: number): number {
  for (let i = octets - 1; i >= 0; i--) bytes[at++] = (value >>> (8 * i)) & 0xff;
  return at;
}

function putLength(bytes: Buffer, at: number, octets: number): number {
  if (octets < 0x80) {
    bytes[at] = octets;
    return at + 1;
  }
  const count = lengthOctets(octets) - 1;
  bytes[at] = 0x80 | count;
  return putNumber(bytes, at + 1, octets, count);
}
