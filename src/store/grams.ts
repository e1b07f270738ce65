/**
 * Grams: the runs of four octets of a key, each a 32-bit number, and the packed lists of the ids that have one.
 *
 * A list stands in parts of less than a page. A part has its first id in its key, and behind that the distance from each id to the next in as
 * few octets as it takes, seven bits in each, the lowest first. Most grams are rare: the part of a single id has no octets at all.
 */

export const gramOctets = 4;

/** A part that grows beyond this is divided. SQLite keeps rows of a table without row numbers in place up to a quarter of a page. */
export const partOctetsMax = 1900;

/** A gram of more parts is suppressed: to read so many ids costs more than they narrow a search. */
export const partsMax = 64;

/** In the place of the first id: the gram is suppressed. No entry has this id. */
export const suppressed = -1;

/** Part of the format: ids are packed as numbers of 32 bits. */
export const idMax = 0xffff_ffff;

/** Calls `each` with every gram of a key, as often as it stands there. */
export function forGrams(key: Uint8Array, each: (gram: number) => void): void {
  let gram = 0;
  for (let at = 0; at < key.length; at++) {
    gram = ((gram << 8) | (key[at] as number)) >>> 0;
    if (at >= gramOctets - 1) each(gram);
  }
}

/**
 * The grams of parts that are looked for: those that lie apart first, as they narrow the most, then those that overlap them. Each once.
 *
 * @param max  of each part; a long one is told by few
 */
export function gramsToFind(parts: readonly Uint8Array[], max: number): number[] {
  const grams = new Set<number>();
  for (const phase of [0, 2, 1, 3]) {
    for (const part of parts) {
      const last = part.length - gramOctets;
      let taken = 0;
      for (let at = phase; at <= last && taken < max; at += gramOctets, taken++) grams.add(gramAt(part, at));
      if (phase === 0 && last >= 0) grams.add(gramAt(part, last));
    }
    if (grams.size >= max) break;
  }
  return [...grams];
}

function gramAt(octets: Uint8Array, at: number): number {
  return (
    (((octets[at] as number) << 24) |
      ((octets[at + 1] as number) << 16) |
      ((octets[at + 2] as number) << 8) |
      (octets[at + 3] as number)) >>>
    0
  );
}

/** Appends the ids of a part. */
export function unpack(first: number, packed: Uint8Array, into: number[]): void {
  let id = first;
  into.push(id);
  for (let at = 0; at < packed.length; ) {
    let octet = packed[at++] as number;
    let distance = octet & 0x7f;
    for (let shift = 7; octet >= 0x80; shift += 7) {
      octet = packed[at++] as number;
      distance |= (octet & 0x7f) << shift;
    }
    id += distance >>> 0;
    into.push(id);
  }
}

/** Those of `ids` that a part has as well. Both ascend; `from` is where to begin in `ids`, and what is behind the part's last id is not looked at. */
export function intersectPart(ids: readonly number[], from: number, first: number, packed: Uint8Array, into: number[]): number {
  let at = from;
  let id = first;
  for (let next = 0; ; ) {
    while (at < ids.length && (ids[at] as number) < id) at++;
    if (at >= ids.length) return at;
    if (ids[at] === id) {
      into.push(id);
      at++;
    }
    if (next >= packed.length) return at;
    let octet = packed[next++] as number;
    let distance = octet & 0x7f;
    for (let shift = 7; octet >= 0x80; shift += 7) {
      octet = packed[next++] as number;
      distance |= (octet & 0x7f) << shift;
    }
    id += distance >>> 0;
  }
}

/** A part as it stands in its row. */
export interface GramPart {
  readonly first: number;
  readonly packed: Uint8Array;
}

/**
 * Packs ascending ids into as many parts as they take.
 *
 * @param octetsMax  of each part
 */
export function pack(ids: ArrayLike<number>, octetsMax: number): GramPart[] {
  const parts: GramPart[] = [];
  const octets = Buffer.allocUnsafe(octetsMax + 5);
  let first = 0;
  let before = 0;
  let length = -1;
  const close = () => {
    if (length >= 0) parts.push({ first, packed: new Uint8Array(octets.subarray(0, length)) });
  };
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] as number;
    const start = length;
    if (length >= 0) length = putDistance(octets, length, id - before);
    if (start < 0 || length > octetsMax) {
      length = start;
      close();
      first = id;
      length = 0;
    }
    before = id;
  }
  close();
  return parts;
}

function putDistance(octets: Uint8Array, at: number, distance: number): number {
  let rest = distance;
  let end = at;
  while (rest >= 0x80) {
    octets[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  octets[end++] = rest;
  return end;
}
