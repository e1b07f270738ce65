/**
 * Values of some entries, in row numbers ascending from one segment to the next, as a few large arrays: a garbage collector that had to look at a
 * million objects would take longer than the search.
 *
 * A value that is gone stays until the segment is written anew, with 0 for its row number.
 */
export interface Segment {
  /** All entries up to this row number are here, from behind the segment in front of this one. */
  to: number;
  /** Values, those that are gone included. */
  count: number;
  ids: Uint32Array;
  /** Of each value its hash, or where its octets end. */
  words: Uint32Array;
  /** The octets of the values, side by side; none where hashes are kept. */
  bytes: Buffer;
  /** Entries whose values are too large to stand here: they may hold anything. */
  loose: number[];
}

/** What is looked for. */
export type Probe =
  /** Any value. Of columns of hashes. */
  | { readonly kind: 'present' }
  /** One normal form. Of columns of hashes. */
  | { readonly kind: 'equal'; readonly key: Uint8Array }
  /** Whole values that pass a test and, where there is one, contain a needle. Of columns of values. */
  | { readonly kind: 'passing'; readonly needle: Buffer | undefined; readonly test: ValueTest };

/** Told where in `bytes` a value stands. */
export type ValueTest = (bytes: Uint8Array, start: number, end: number) => boolean;

/** The values of an entry; `undefined` stands for one without a normal form. */
export type Values = readonly (Uint8Array | undefined)[];

/** A scan is stopped between two segments: so much is looked at in one step. */
export const segmentValues = 4096;
export const segmentOctets = 131_072;
/** An entry with more is loose. */
const entryValues = segmentValues / 4;
const entryOctets = segmentOctets / 4;

/** What no normal form is kept as; `hashOf` never gives it. */
const unfit = 0;

export function createSegment(whole: boolean, to: number, values = segmentValues, octets = segmentOctets): Segment {
  return {
    to,
    count: 0,
    ids: new Uint32Array(values),
    words: new Uint32Array(values),
    bytes: Buffer.allocUnsafeSlow(whole ? octets : 0),
    loose: [],
  };
}

/** Octets that a segment takes. */
export function octetsOf({ ids, words, bytes, loose }: Segment): number {
  return ids.byteLength + words.byteLength + bytes.length + loose.length * 8;
}

/** Puts an entry behind the others; one without a list of values may hold anything. False when there is no room for it. */
export function addEntry(segment: Segment, whole: boolean, id: number, values: Values | undefined): boolean {
  const kept = (whole ? values?.filter((value) => value !== undefined) : values) ?? [];
  const octets = whole ? kept.reduce((sum, value) => sum + (value?.length ?? 0), 0) : 0;
  if (values === undefined || kept.length > entryValues || octets > entryOctets) {
    segment.loose.push(id);
    return segment.loose.length <= segmentValues;
  }
  let end = usedOctets(segment, whole);
  if (segment.count + kept.length > segment.ids.length || end + octets > segment.bytes.length) return false;
  for (const value of kept) {
    if (whole && value !== undefined) {
      segment.bytes.set(value, end);
      end += value.length;
    }
    segment.ids[segment.count] = id;
    segment.words[segment.count] = whole ? end : value === undefined ? unfit : hashOf(value);
    segment.count++;
  }
  return true;
}

/** Forgets an entry. */
export function removeEntry(segment: Segment, id: number): void {
  for (let at = segment.ids.indexOf(id); at >= 0; at = segment.ids.indexOf(id, at + 1)) segment.ids[at] = 0;
  const loose = segment.loose.indexOf(id);
  if (loose >= 0) segment.loose.splice(loose, 1);
}

/** Without room that nothing stands in. */
export function trimmed(segment: Segment, whole: boolean): Segment {
  return {
    ...segment,
    ids: segment.ids.slice(0, segment.count),
    words: segment.words.slice(0, segment.count),
    bytes: Buffer.from(segment.bytes.subarray(0, usedOctets(segment, whole))),
  };
}

/** The same entries without what is gone, with room for one more, in two segments where one would be too full. */
export function rewritten(segment: Segment, whole: boolean, more: Values): Segment[] {
  const live: number[] = [];
  for (let at = 0; at < segment.count; at++) if (segment.ids[at] !== 0) live.push(at);
  const idAt = (index: number) => segment.ids[live[index] as number] as number;
  live.sort((a, b) => (segment.ids[a] as number) - (segment.ids[b] as number));
  const octets = octetsAt(segment, whole, live);
  if (live.length <= segmentValues / 2 && octets <= segmentOctets / 2) return [copied(segment, whole, live, 0, segment.to, more)];
  // All values of an entry stay in one segment.
  let middle = live.length >> 1;
  while (middle < live.length && idAt(middle) === idAt(middle - 1)) middle++;
  if (middle === live.length) return [copied(segment, whole, live, 0, segment.to, more)];
  const between = idAt(middle) - 1;
  return [
    copied(segment, whole, live.slice(0, middle), 0, between, more),
    copied(segment, whole, live.slice(middle), between, segment.to, more),
  ];
}

function copied(segment: Segment, whole: boolean, places: readonly number[], behind: number, to: number, more: Values): Segment {
  const octets = octetsAt(segment, whole, places) + (whole ? more.reduce((sum, value) => sum + (value?.length ?? 0), 0) : 0);
  const count = places.length + more.length;
  const made = createSegment(whole, to, count + (count >> 3) + 8, octets + (octets >> 3) + 64);
  let end = 0;
  for (const at of places) {
    if (whole) {
      const start = startOf(segment, at);
      segment.bytes.copy(made.bytes, end, start, segment.words[at]);
      end += (segment.words[at] as number) - start;
    }
    made.ids[made.count] = segment.ids[at] as number;
    made.words[made.count] = whole ? end : (segment.words[at] as number);
    made.count++;
  }
  made.loose = segment.loose.filter((id) => id > behind && id <= to);
  return made;
}

/** Gives the row numbers of entries that may hold what is looked for: in no order, some more than once. */
export function findIn(segment: Segment, probe: Probe, found: (id: number) => void): void {
  segment.loose.forEach(found);
  switch (probe.kind) {
    case 'present':
      for (let at = 0; at < segment.count; at++) give(segment, at, found);
      return;
    case 'equal': {
      const hash = hashOf(probe.key);
      for (let at = segment.words.indexOf(hash); at >= 0; at = segment.words.indexOf(hash, at + 1)) give(segment, at, found);
      return;
    }
    case 'passing':
      if (probe.needle === undefined) findPassing(segment, probe.test, found);
      else findNeedle(segment, probe.needle, probe.test, found);
  }
}

function findPassing(segment: Segment, test: ValueTest, found: (id: number) => void): void {
  let start = 0;
  for (let at = 0; at < segment.count; at++) {
    const end = segment.words[at] as number;
    if (test(segment.bytes, start, end)) give(segment, at, found);
    start = end;
  }
}

/** All values at once: what is found is then said to be of the value that it lies in. */
function findNeedle(segment: Segment, needle: Buffer, test: ValueTest, found: (id: number) => void): void {
  const { bytes, words, count } = segment;
  const used = usedOctets(segment, true);
  let first = 0;
  for (let hit = bytes.indexOf(needle); hit >= 0 && hit + needle.length <= used; ) {
    let last = count - 1;
    while (first < last) {
      const middle = (first + last) >> 1;
      if ((words[middle] as number) > hit) last = middle;
      else first = middle + 1;
    }
    const end = words[first] as number;
    if (hit + needle.length <= end && test(bytes, startOf(segment, first), end)) give(segment, first, found);
    // The rest of this value holds it no second time that counts, nor a beginning that is no border of two.
    hit = bytes.indexOf(needle, end);
  }
}

function give({ ids }: Segment, at: number, found: (id: number) => void): void {
  const id = ids[at] as number;
  if (id !== 0) found(id);
}

function startOf({ words }: Segment, at: number): number {
  return at === 0 ? 0 : (words[at - 1] as number);
}

function usedOctets(segment: Segment, whole: boolean): number {
  return whole ? startOf(segment, segment.count) : 0;
}

function octetsAt(segment: Segment, whole: boolean, places: readonly number[]): number {
  return whole ? places.reduce((sum, at) => sum + (segment.words[at] as number) - startOf(segment, at), 0) : 0;
}

/** FNV-1a, and a last stir: what it takes for equal is held against the entry. */
function hashOf(octets: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < octets.length; at++) hash = Math.imul(hash ^ (octets[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0 || 1;
}
