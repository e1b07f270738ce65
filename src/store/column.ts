import {
  addEntry,
  createSegment,
  findIn,
  octetsOf,
  type Probe,
  removeEntry,
  rewritten,
  type Segment,
  trimmed,
  type Values,
} from './column-segment.ts';

/** What a column holds of entries. Given by whoever asks, since only the schema knows it. */
export interface Column {
  /** Tells it from every other one. */
  readonly name: string;
  /** Values as they are, to be looked into. Otherwise only a hash of each, for equality and presence: 8 octets, however long the value is. */
  readonly whole: boolean;
  /** The normal forms of an entry's values, `undefined` for a value without one. No list: it cannot be said, the entry may hold anything. */
  values(entry: ColumnEntry): Values | undefined;
}

/** What a column is made from. */
export interface ColumnEntry {
  readonly id: number;
  readonly user: Uint8Array;
  readonly operational: Uint8Array;
  /** Some of its attributes are not in these octets. */
  readonly partly: boolean;
}

/** Reads of the table of entries, all from one state. */
export interface Rows {
  /** Gives the entries behind a row number, in their order, until it is told to stop. Nothing else may be read meanwhile. */
  after(id: number, limit: number, each: (entry: ColumnEntry) => boolean): void;
  row(id: number): ColumnEntry | undefined;
  idsAfter(id: number, limit: number): number[];
}

/** What to look for, and how far in one step. */
export interface Scan {
  readonly column: Column;
  readonly probe: Probe;
  /** Behind this row number, up to the other. */
  readonly afterId: number;
  readonly throughId: number;
  /** Most row numbers to give. */
  readonly limit: number;
}

/** One step of a scan. */
export interface Scanned {
  /** Ascending, each once. */
  readonly ids: readonly number[];
  /** Every entry up to this row number that holds what is looked for is among them, or came in an earlier step. */
  readonly through: number;
  /** Octets that were looked at: the work of the step. */
  readonly octets: number;
}

/** A column as far as it is made. */
export interface Made {
  readonly column: Column;
  readonly segments: Segment[];
  /** Entries up to this row number are in it, and no others. */
  built: number;
  /** How far in the list of touched entries it is. */
  seen: number;
}

/** A step ends when it has looked at so many octets for each row number that it may give: about a millisecond for 256. */
const octetsPerId = 4096;
/** What it is to read an entry, in the octets that could be looked at meanwhile. */
const rowOctets = 2048;
const builtRows = 64;

/** Looks through a column, and makes it where it is not made yet. */
export function scanColumn(made: Made, rows: Rows, { probe, afterId, throughId, limit }: Scan): Scanned {
  const ids: number[] = [];
  let through = afterId;
  let octets = 0;
  const octetsMax = limit * octetsPerId;
  for (;;) {
    for (let at = segmentOf(made, through + 1); through < Math.min(made.built, throughId); at++) {
      const segment = made.segments[at] as Segment;
      octets += octetsOf(segment);
      const to = Math.min(segment.to, throughId);
      through = take(segment, probe, through, to, limit, ids);
      if (through < to || ids.length >= limit || octets >= octetsMax) return { ids, through, octets };
    }
    if (through >= throughId) return { ids, through, octets };
    const read = extend(made, rows, octetsMax - octets);
    octets += read.octets;
    if (read.atEnd && made.built <= through) return { ids, through: throughId, octets };
    if (octets >= octetsMax) return { ids, through, octets };
  }
}

/** @returns how far the segment was looked through: to its end, or to the last row number that there was room for */
function take(segment: Segment, probe: Probe, behind: number, to: number, limit: number, ids: number[]): number {
  const found: number[] = [];
  let isSorted = true;
  let last = behind;
  findIn(segment, probe, (id) => {
    if (id <= behind || id > to || id === last) return;
    if (id < last) isSorted = false;
    last = id;
    found.push(id);
  });
  if (!isSorted) found.sort((a, b) => a - b);
  for (let at = 0; at < found.length; at++) {
    const id = found[at] as number;
    if (id === ids.at(-1)) continue;
    if (ids.length >= limit) return ids.at(-1) ?? behind;
    ids.push(id);
  }
  return to;
}

/** Reads some more entries into a column. */
function extend(made: Made, rows: Rows, octetsMax: number): { readonly octets: number; readonly atEnd: boolean } {
  let count = 0;
  let octets = 0;
  rows.after(made.built, builtRows, (entry) => {
    append(made, entry);
    count++;
    octets += rowOctets + entry.user.length + entry.operational.length;
    return octets < octetsMax;
  });
  return { octets, atEnd: count < builtRows && octets < octetsMax };
}

function append(made: Made, entry: ColumnEntry): void {
  const { column, segments } = made;
  const values = column.values(entry);
  let last = segments.at(-1);
  if (last === undefined || !addEntry(last, column.whole, entry.id, values)) {
    if (last !== undefined) segments[segments.length - 1] = trimmed(last, column.whole);
    last = createSegment(column.whole, made.built);
    segments.push(last);
    addEntry(last, column.whole, entry.id, values);
  }
  last.to = entry.id;
  made.built = entry.id;
}

/** Reads an entry anew, as it stands now. */
export function renewEntry(made: Made, rows: Rows, id: number): void {
  if (id > made.built) return;
  const { column } = made;
  const at = segmentOf(made, id);
  const segment = made.segments[at] as Segment;
  removeEntry(segment, id);
  const entry = rows.row(id);
  if (entry === undefined) return;
  const values = column.values(entry);
  if (addEntry(segment, column.whole, id, values)) return;
  made.segments.splice(at, 1, ...rewritten(segment, column.whole, values ?? []));
  addEntry(made.segments[segmentOf(made, id)] as Segment, column.whole, id, values);
}

/** Octets that a column takes. */
export function columnOctets({ segments }: Made): number {
  let octets = 0;
  for (const segment of segments) octets += octetsOf(segment);
  return octets;
}

/** Where the segment stands that a row number belongs to. */
function segmentOf({ segments }: Made, id: number): number {
  let first = 0;
  let last = segments.length;
  while (first < last) {
    const middle = (first + last) >> 1;
    if ((segments[middle] as Segment).to >= id) last = middle;
    else first = middle + 1;
  }
  return first;
}
