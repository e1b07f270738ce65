import { text } from '#base';

/** What is allowed in CBOR that anybody may send. A browser's attestation object stays far below each. */
export interface CborLimits {
  readonly octets: number;
  readonly depth: number;
  readonly items: number;
}

export type CborMap = ReadonlyMap<number | string, Cbor>;
export type Cbor = number | string | boolean | null | Uint8Array | CborList | CborMap;
export interface CborList extends ReadonlyArray<Cbor> {}

const majors = { positive: 0, negative: 1, octets: 2, text: 3, list: 4, map: 5 } as const;

/** Something that is no CBOR of ours; never leaves this file. */
class Malformed extends Error {}

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
  itemsLeft: number;
}

/**
 * Reads one item of CBOR as authenticators write it: whole numbers below 2⁵³, octets, UTF-8 text, lists, maps, true, false and null. Indefinite lengths,
 * tags, floating point, keys given twice and numbers longer than need be are refused, so that nobody else can read another thing out of the same octets.
 *
 * @returns the item and where it ends, or `undefined` for what is not of that kind or is beyond a limit
 * @see RFC 8949; Client to Authenticator Protocol 2.1 §8, "Message Encoding"
 */
export function readCbor(bytes: Uint8Array, limits: CborLimits): { readonly item: Cbor; readonly octets: number } | undefined {
  if (bytes.length > limits.octets) return undefined;
  const reader: Reader = { bytes, at: 0, itemsLeft: limits.items };
  try {
    return { item: readItem(reader, limits.depth), octets: reader.at };
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

export function isMap(item: Cbor | undefined): item is CborMap {
  return item instanceof Map;
}

function readItem(reader: Reader, depthLeft: number): Cbor {
  if (depthLeft === 0 || reader.itemsLeft-- === 0) throw new Malformed();
  const first = take(reader, 1)[0] as number;
  const major = first >> 5;
  if (major === 7) return readSimple(first);
  const count = readCount(reader, first & 0x1f);
  switch (major) {
    case majors.positive:
      return count;
    case majors.negative:
      return -1 - count;
    case majors.octets:
      return take(reader, count);
    case majors.text:
      return readText(take(reader, count));
    case majors.list:
      return readMany(reader, count, () => readItem(reader, depthLeft - 1));
    case majors.map:
      return readMap(reader, count, depthLeft);
  }
  throw new Malformed();
}

function readSimple(first: number): Cbor {
  if (first === 0xf4) return false;
  if (first === 0xf5) return true;
  if (first === 0xf6) return null;
  throw new Malformed();
}

/** The number that stands in the first octet or after it, in as few octets as it needs. */
function readCount(reader: Reader, low: number): number {
  if (low < 24) return low;
  if (low > 27) throw new Malformed();
  const octets = 2 ** (low - 24);
  const value = take(reader, octets).reduce((sum, octet) => sum * 256 + octet, 0);
  const least = octets === 1 ? 24 : 2 ** (4 * octets);
  if (value < least || !Number.isSafeInteger(value)) throw new Malformed();
  return value;
}

function readMany<T>(reader: Reader, count: number, read: () => T): T[] {
  // Each item takes an octet at least: a count alone never makes anything grow.
  if (count > reader.bytes.length - reader.at) throw new Malformed();
  return Array.from({ length: count }, read);
}

function readMap(reader: Reader, count: number, depthLeft: number): CborMap {
  const map = new Map<number | string, Cbor>();
  readMany(reader, count, () => {
    const key = readItem(reader, 1);
    if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) throw new Malformed();
    map.set(key, readItem(reader, depthLeft - 1));
  });
  return map;
}

function readText(octets: Uint8Array): string {
  const read = text(octets);
  if (read === undefined) throw new Malformed();
  return read;
}

function take(reader: Reader, octets: number): Uint8Array {
  const start = reader.at;
  if (octets > reader.bytes.length - start) throw new Malformed();
  reader.at += octets;
  return reader.bytes.subarray(start, reader.at);
}
