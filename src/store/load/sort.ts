import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Rows of the index in their order: attribute, key, id. `key` is a view; it is the same object as before when the key is. */
export type EachRow = (attribute: number, key: Uint8Array, id: number) => void;

export interface KeySorter {
  /** Takes a row. Ids of one attribute must come ascending. The key is copied. */
  add(attribute: number, key: Uint8Array, id: number): void;
  /** Gives all rows in order, each once. Nothing may be added any more. */
  drain(each: EachRow): void;
}

/** Rows of one attribute, one behind the other. */
interface Bucket {
  bytes: Buffer;
  /** Where each key ends; it begins where the one before ends. */
  ends: Uint32Array;
  ids: Uint32Array;
  rows: number;
}

/** Rows of one attribute in a file, in order: octets of the key (4), the id (4), the key. */
interface Section {
  readonly file: number;
  at: number;
  readonly end: number;
}

const rowsAtFirst = 1024;
/** What a row costs beside its key: its end, its id, and while it is sorted its place twice. */
const rowOctets = 4 + 4 + 12;
const headOctets = 8;
const readOctets = 262_144;
const shortMax = 12;

/**
 * Sorts index rows in bounded memory: beyond `budgetOctets` they are sorted and written to a file, and merged in the end.
 *
 * @param folder  where those files are made; whoever made the folder removes it
 */
export function createKeySorter(folder: string, budgetOctets: number): KeySorter {
  let buckets = new Map<number, Bucket>();
  const spilled = new Map<number, Section[]>();
  const files: number[] = [];
  let octets = 0;

  function spill(): void {
    const file = openSync(join(folder, `run-${files.length}`), 'wx+', 0o600);
    files.push(file);
    let at = 0;
    for (const [attribute, bucket] of buckets) {
      const run = packed(bucket);
      for (let from = 0; from < run.length; ) from += writeSync(file, run, from, run.length - from, at + from);
      const sections = spilled.get(attribute) ?? [];
      sections.push({ file, at, end: at + run.length });
      spilled.set(attribute, sections);
      at += run.length;
    }
    buckets = new Map();
    octets = 0;
  }

  return {
    add(attribute, key, id) {
      let bucket = buckets.get(attribute);
      if (bucket === undefined) {
        bucket = emptyBucket();
        buckets.set(attribute, bucket);
      }
      octets += key.length + rowOctets;
      append(bucket, key, id);
      if (octets >= budgetOctets) spill();
    },
    drain(each) {
      const attributes = [...new Set([...buckets.keys(), ...spilled.keys()])].sort((a, b) => a - b);
      for (const attribute of attributes) {
        const bucket = buckets.get(attribute);
        const sections = spilled.get(attribute);
        if (sections === undefined) {
          if (bucket !== undefined) eachOf(attribute, bucket, each);
        } else merge(attribute, [...sections.map(readSection), ...(bucket === undefined ? [] : [readBucket(bucket)])], each);
        buckets.delete(attribute);
      }
      for (const file of files) closeSync(file);
    },
  };
}

function emptyBucket(): Bucket {
  return {
    bytes: Buffer.allocUnsafeSlow(rowsAtFirst * 16),
    ends: new Uint32Array(rowsAtFirst),
    ids: new Uint32Array(rowsAtFirst),
    rows: 0,
  };
}

function append(bucket: Bucket, key: Uint8Array, id: number): void {
  const row = bucket.rows++;
  if (row === bucket.ids.length) {
    bucket.ends = grown(bucket.ends);
    bucket.ids = grown(bucket.ids);
  }
  const start = row === 0 ? 0 : (bucket.ends[row - 1] as number);
  const end = start + key.length;
  if (end > bucket.bytes.length) {
    const bytes = Buffer.allocUnsafeSlow(Math.max(end, bucket.bytes.length * 2));
    bucket.bytes.copy(bytes, 0, 0, start);
    bucket.bytes = bytes;
  }
  const { bytes } = bucket;
  // Keys are short: a call out of JavaScript costs more than this.
  for (let i = 0; i < key.length; i++) bytes[start + i] = key[i] as number;
  bucket.ends[row] = end;
  bucket.ids[row] = id;
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const twice = new Uint32Array(array.length * 2);
  twice.set(array);
  return twice;
}

/** The rows of a bucket in order of key and id. */
function order(bucket: Bucket): Uint32Array {
  const { rows } = bucket;
  const places = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) places[row] = row;
  const numbers = new BigUint64Array(rows);
  refine({ bucket, places, numbers, halves: new Uint32Array(numbers.buffer) }, 0, rows, 0);
  return places;
}

interface Sorting {
  readonly bucket: Bucket;
  readonly places: Uint32Array;
  /** Room for what is sorted by the engine's own sort of numbers: four octets of the key, how many of them there are, the row. */
  readonly numbers: BigUint64Array;
  /** The same as halves, the lower first. */
  readonly halves: Uint32Array;
}

const rowBits = 29;
const rowMask = 2 ** rowBits - 1;

/** Sorts places whose keys agree up to `depth`: four octets at a time, and what still agrees by the next four. */
function refine(sorting: Sorting, from: number, to: number, depth: number): void {
  const { places, numbers, halves } = sorting;
  for (let at = depth; to - from > 1; at += 4) {
    if (to - from <= shortMax) {
      insertionSort(sorting, from, to, at);
      return;
    }
    if (!fill(sorting, from, to, at)) {
      numbers.subarray(from, to).sort();
      for (let i = from; i < to; i++) places[i] = (halves[2 * i] as number) & rowMask;
      groups(sorting, from, to, at + 4);
      return;
    }
    // All agree here, and stand in the order in which they came.
    if ((halves[2 * from] as number) >>> rowBits < 4) return;
  }
}

/** Makes the numbers of a range. True when all of them are the same but for the row. */
function fill({ bucket, places, halves }: Sorting, from: number, to: number, at: number): boolean {
  const { bytes, ends } = bucket;
  let same = true;
  for (let i = from; i < to; i++) {
    const row = places[i] as number;
    const start = row === 0 ? 0 : (ends[row - 1] as number);
    const left = (ends[row] as number) - start - at;
    const p = start + at;
    const high =
      (((left > 0 ? (bytes[p] as number) : 0) << 24) |
        ((left > 1 ? (bytes[p + 1] as number) : 0) << 16) |
        ((left > 2 ? (bytes[p + 2] as number) : 0) << 8) |
        (left > 3 ? (bytes[p + 3] as number) : 0)) >>>
      0;
    const count = Math.min(4, Math.max(0, left));
    const low = ((count << rowBits) | row) >>> 0;
    halves[2 * i] = low;
    halves[2 * i + 1] = high;
    if (high !== halves[2 * from + 1] || low >>> rowBits !== (halves[2 * from] as number) >>> rowBits) same = false;
  }
  return same;
}

/** Sorts on where neighbours agree in all four octets. */
function groups(sorting: Sorting, from: number, to: number, depth: number): void {
  const { halves } = sorting;
  // What is sorted on writes over its own numbers alone, which have been read by then.
  for (let start = from; start < to; ) {
    const high = halves[2 * start + 1] as number;
    const count = (halves[2 * start] as number) >>> rowBits;
    let end = start + 1;
    while (end < to && halves[2 * end + 1] === high && (halves[2 * end] as number) >>> rowBits === count) end++;
    if (count === 4 && end - start > 1) refine(sorting, start, end, depth);
    start = end;
  }
}

function insertionSort({ bucket, places }: Sorting, from: number, to: number, depth: number): void {
  for (let i = from + 1; i < to; i++) {
    const place = places[i] as number;
    let at = i;
    while (at > from && isBehind(bucket, places[at - 1] as number, place, depth)) {
      places[at] = places[at - 1] as number;
      at--;
    }
    places[at] = place;
  }
}

/** Whether one row stands behind another. Rows of one key stand as they came, in the order of their ids. */
function isBehind({ bytes, ends }: Bucket, one: number, other: number, depth: number): boolean {
  let a = (one === 0 ? 0 : (ends[one - 1] as number)) + depth;
  let b = (other === 0 ? 0 : (ends[other - 1] as number)) + depth;
  const aEnd = ends[one] as number;
  const bEnd = ends[other] as number;
  while (a < aEnd && b < bEnd) {
    const difference = (bytes[a++] as number) - (bytes[b++] as number);
    if (difference !== 0) return difference > 0;
  }
  return a < aEnd || (b === bEnd && one > other);
}

function eachOf(attribute: number, bucket: Bucket, each: EachRow): void {
  for (const row of readBucket(bucket)()) each(attribute, row.key, row.id);
}

interface Row {
  key: Uint8Array;
  id: number;
}

type ReadRows = () => Iterable<Row>;

/** The rows of a bucket in order, each once, in an object that is used again. */
function readBucket(bucket: Bucket): ReadRows {
  return function* () {
    const { bytes, ends, ids } = bucket;
    const row: Row = { key: bytes, id: -1 };
    let known = false;
    for (const place of order(bucket)) {
      const start = place === 0 ? 0 : (ends[place - 1] as number);
      const end = ends[place] as number;
      const id = ids[place] as number;
      const same = known && isSame(row.key, bytes, start, end);
      if (same && row.id === id) continue;
      if (!same) row.key = bytes.subarray(start, end);
      row.id = id;
      known = true;
      yield row;
    }
  };
}

function isSame(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
}

function packed(bucket: Bucket): Buffer {
  const { rows, ends } = bucket;
  const out = Buffer.allocUnsafeSlow((rows === 0 ? 0 : (ends[rows - 1] as number)) + rows * headOctets);
  let at = 0;
  for (const { key, id } of readBucket(bucket)()) {
    at = out.writeUInt32LE(key.length, at);
    at = out.writeUInt32LE(id, at);
    out.set(key, at);
    at += key.length;
  }
  return out.subarray(0, at);
}

function readSection(section: Section): ReadRows {
  return function* () {
    let bytes = Buffer.alloc(0);
    let at = 0;
    const row: Row = { key: bytes, id: -1 };
    let known = false;
    for (;;) {
      const left = bytes.length - at;
      if (left < headOctets || left < headOctets + bytes.readUInt32LE(at)) {
        if (section.at === section.end) return;
        const fresh = Buffer.allocUnsafeSlow(Math.min(readOctets, section.end - section.at));
        const got = readSync(section.file, fresh, 0, fresh.length, section.at);
        if (got === 0) throw new Error('a file of sorted keys is cut off');
        section.at += got;
        bytes = Buffer.concat([bytes.subarray(at), fresh.subarray(0, got)]);
        at = 0;
        continue;
      }
      const start = at + headOctets;
      const end = start + bytes.readUInt32LE(at);
      if (!(known && isSame(row.key, bytes, start, end))) row.key = bytes.subarray(start, end);
      row.id = bytes.readUInt32LE(at + 4);
      known = true;
      at = end;
      yield row;
    }
  };
}

/** Merges what is sorted. A few sources: the least is found by looking at each. */
function merge(attribute: number, sources: readonly ReadRows[], each: EachRow): void {
  const heads: { row: Row; rows: Iterator<Row> }[] = [];
  for (const source of sources) {
    const rows = source()[Symbol.iterator]();
    const first = rows.next();
    if (first.done !== true) heads.push({ row: first.value, rows });
  }
  let last: Uint8Array | undefined;
  let lastId = -1;
  while (heads.length > 0) {
    let least = 0;
    for (let i = 1; i < heads.length; i++) if (isBefore((heads[i] as { row: Row }).row, (heads[least] as { row: Row }).row)) least = i;
    const head = heads[least] as { row: Row; rows: Iterator<Row> };
    const { key, id } = head.row;
    if (last === undefined || !isSame(last, key, 0, key.length)) {
      last = key;
      each(attribute, key, id);
    } else if (id !== lastId) each(attribute, last, id);
    lastId = id;
    if (head.rows.next().done === true) heads.splice(least, 1);
  }
}

function isBefore(a: Row, b: Row): boolean {
  const { length } = a.key;
  const shorter = Math.min(length, b.key.length);
  for (let i = 0; i < shorter; i++) {
    const difference = (a.key[i] as number) - (b.key[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return length === b.key.length ? a.id < b.id : length < b.key.length;
}
