import { type Column, columnOctets, type Made, type Rows, renewEntry, type Scan, type Scanned, scanColumn } from './column.ts';

/**
 * Columns: what all entries have of one attribute, in memory, for filters that no index answers. A column is made while the first search walks
 * the entries for it, a step at a time; the next one looks at a few octets of an entry.
 *
 * An entry that a commit touches is only noted, which is all that a write pays; whoever scans next reads it anew first. So what is given is right for
 * the snapshot that it was scanned in. Scans go by row numbers, and an entry keeps its own for life: one that goes on after a pause misses
 * nothing and gives nothing twice, whatever was changed, put out or made anew meanwhile.
 */
export interface Columns {
  /** One step of a scan; where a column cannot be had every entry is given, since it may hold what is looked for. */
  scan(rows: Rows, scan: Scan): Scanned;
  /** What a whole scan is as much work as, in entries read; `undefined` for a column that there is no room for. */
  cost(column: Column, lastId: number): number | undefined;
  /** Notes that an entry is written in a transaction that the reader does not see yet. */
  touch(id: number): void;
  /** To be called when the reader begins to see what was written. */
  moveOn(): void;
  clear(): void;
  /** Octets of all columns. */
  readonly octets: number;
}

/** With more entries touched in one step, or so many that a column has not looked at, it is sooner made anew. */
const touchedMax = 65_536;
/** Entries that are read anew in one step. */
const renewedMax = 128;
/** Values that are looked at in the time that an entry takes to be read. */
const valuesPerEntry = { hashes: 4096, whole: 256 } as const;
/** Row numbers are kept in 32 bits. */
const idMax = 0xffff_ffff;

export function createColumns(octetsMax: number): Columns {
  /** Least recently used first. */
  const columns = new Map<string, Made>();
  /** There is no room for these. */
  const refused = new Set<string>();
  let pending: number[] = [];
  /** Touched entries that a column may not have looked at yet, and how many there were before the first of them. */
  let touched: number[] = [];
  let before = 0;

  const clear = () => {
    columns.clear();
    refused.clear();
    pending = [];
    before += touched.length;
    touched = [];
  };

  const octetsOfAll = () => {
    let octets = 0;
    for (const each of columns.values()) octets += columnOctets(each);
    return octets;
  };

  /** Puts out what was not used for the longest time, and last of all the one that has grown. */
  const makeRoom = (grown: Made) => {
    let octets = octetsOfAll();
    for (const [name, each] of columns) {
      if (octets <= octetsMax) return;
      if (each === grown) continue;
      columns.delete(name);
      octets -= columnOctets(each);
    }
    if (octets <= octetsMax) return;
    columns.delete(grown.column.name);
    refused.add(grown.column.name);
  };

  const find = (column: Column, afterId: number): Made | undefined => {
    const { name } = column;
    const known = columns.get(name);
    // One that was put out in the middle of a scan is not made again up to where that scan has come.
    if (known === undefined ? refused.has(name) || afterId > 0 : known.built < afterId) return undefined;
    const made = known ?? { column, segments: [], built: 0, seen: before + touched.length };
    columns.delete(name);
    columns.set(name, made);
    return made;
  };

  /** @returns true when the column has looked at everything that was touched */
  const renew = (made: Made, rows: Rows): boolean => {
    const end = before + touched.length;
    const ids = new Set<number>();
    for (; made.seen < end && ids.size < renewedMax; made.seen++) ids.add(touched[made.seen - before] as number);
    for (const id of ids) renewEntry(made, rows, id);
    return made.seen === end;
  };

  /** Forgets what every column has looked at, and the columns that have not looked for too long. */
  const trim = () => {
    const end = before + touched.length;
    let least = end;
    for (const [name, { seen }] of columns) {
      if (end - seen > touchedMax / 2) columns.delete(name);
      else least = Math.min(least, seen);
    }
    touched = touched.slice(least - before);
    before = least;
  };

  return {
    scan(rows, scan) {
      const made = find(scan.column, scan.afterId);
      if (made === undefined) return everything(rows, scan);
      const isRenewed = renew(made, rows);
      const scanned = isRenewed ? scanColumn(made, rows, scan) : { ids: [], through: scan.afterId, octets: 0 };
      makeRoom(made);
      return scanned;
    },
    cost(column, lastId) {
      if (refused.has(column.name) || lastId > idMax) return undefined;
      const built = columns.get(column.name)?.built ?? 0;
      return Math.max(0, lastId - built) + Math.ceil(built / (column.whole ? valuesPerEntry.whole : valuesPerEntry.hashes));
    },
    touch(id) {
      if (pending.length <= touchedMax) pending.push(id);
    },
    moveOn() {
      if (pending.length === 0) return;
      if (pending.length > touchedMax) clear();
      else if (columns.size > 0) for (const id of pending) touched.push(id);
      pending = [];
      if (touched.length > touchedMax) trim();
    },
    clear,
    get octets() {
      return octetsOfAll();
    },
  };
}

function everything(rows: Rows, { afterId, throughId, limit }: Scan): Scanned {
  const ids = rows.idsAfter(afterId, limit).filter((id) => id <= throughId);
  return { ids, through: ids.length < limit ? throughId : (ids.at(-1) as number), octets: 0 };
}
