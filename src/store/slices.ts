import type Database from 'better-sqlite3';
import type { RowNumbers } from './row-numbers.ts';

/**
 * A list is an attribute of an entry with so many values that they are kept outside of it, so that to add one does not write the others again. Its
 * values lie in slices of up to 64, each a row of moderate size, and in a slice each has a slot of its own. Slice and slot are a value's place:
 * the index leads from a value to its place, and a place never changes while the value is there.
 */
export interface List {
  /** The attribute's name in the index. */
  readonly attribute: string;
  /** As answers write it. */
  readonly description: string;
  /** Where its slices begin. Never used again for another list. */
  readonly number: number;
  readonly count: number;
  /** Of all its values as they are stored. */
  readonly octets: number;
  /** The slice that the next value goes into, as long as it has room. */
  readonly last: number;
}

export const noLists: readonly List[] = [];

const slotsMax = 64;
/** A slice stays within one page of the file, but for a value that is larger by itself. */
const sliceOctetsMax = 7500;
/** Row numbers are numbers of a list and of a slice in it. */
export const slicesMax = 2 ** 28;
/** In front of the values of a slice: for each its slot and its length. */
const headOctets = 5;

/** A value of a slice and where it lies. */
export interface Placed {
  readonly place: number;
  readonly octets: Uint8Array;
}

interface SliceRow {
  readonly heads: Uint8Array;
  readonly octets: Uint8Array;
}

/**
 * Reads `large` of an entry.
 *
 * @throws Error for what `textOfLists` did not write
 */
export function listsIn(text: string | null): readonly List[] {
  if (text === null) return noLists;
  const rows = JSON.parse(text) as [string, string, number, number, number, number][];
  return rows.map(([attribute, description, number, count, octets, last]) => ({ attribute, description, number, count, octets, last }));
}

/** The same where damage is looked for or worked around: nothing for what cannot be read. */
export function readableLists(text: string | null): readonly List[] | undefined {
  try {
    return listsIn(text);
  } catch {
    return undefined;
  }
}

/** `large` of an entry that has these lists. */
export function textOfLists(lists: readonly List[]): string | null {
  if (lists.length === 0) return null;
  return JSON.stringify(
    lists.map(({ attribute, description, number, count, octets, last }) => [attribute, description, number, count, octets, last]),
  );
}

const batchSlices = 8;

/** Reads of one connection. */
export function sliceReader(database: Database.Database) {
  const range = 'FROM slice WHERE id >= ? AND id < ? ORDER BY id';
  const octets = database.prepare<[number, number], Uint8Array>(`SELECT octets ${range}`).pluck();
  const rows = database.prepare<[number, number], SliceRow & { readonly id: number }>(`SELECT id, heads, octets ${range}`);
  const one = database.prepare<[number], SliceRow>('SELECT heads, octets FROM slice WHERE id = ?');
  const numbers = database.prepare<[number], number>(`SELECT DISTINCT id / CAST(? AS INTEGER) FROM slice`).pluck();
  const some = database.prepare<[number, number, number], SliceRow & { readonly id: number }>(`SELECT id, heads, octets ${range} LIMIT ?`);
  return {
    /** The numbers of all lists that have slices. */
    numbers: (): Iterable<number> => numbers.iterate(slicesMax),

    /** The value at a place, if there is one. */
    valueAt({ number }: Pick<List, 'number'>, place: number): Uint8Array | undefined {
      const at = sliceOf(place);
      const row = one.get(number * slicesMax + at);
      return row === undefined ? undefined : [...placedIn(at, row)].find((each) => each.place === place)?.octets;
    },

    /** The values of a list, each piece some of them one behind the other. */
    pieces: ({ number }: Pick<List, 'number'>): Uint8Array[] => octets.all(number * slicesMax, (number + 1) * slicesMax),

    /** The values of a list, some slices at a time, each time as they are then. */
    *batches({ number }: Pick<List, 'number'>): Generator<readonly Placed[]> {
      const end = (number + 1) * slicesMax;
      let rows = some.all(number * slicesMax, end, batchSlices);
      for (; rows.length > 0; rows = some.all((rows.at(-1)?.id ?? end) + 1, end, batchSlices)) {
        yield rows.flatMap(({ id, ...slice }) => [...placedIn(id % slicesMax, slice)]);
      }
    },

    /** The values of a list one by one. */
    *values({ number }: Pick<List, 'number'>): Generator<Placed> {
      for (const { id, ...slice } of rows.iterate(number * slicesMax, (number + 1) * slicesMax)) yield* placedIn(id % slicesMax, slice);
    },
  };
}

/** Which slice of its list a place lies in. */
export function sliceOf(place: number): number {
  return Math.floor(place / slotsMax);
}

/** Changes of slices, each to be called within a write transaction. */
export function sliceWriter(database: Database.Database, rows: RowNumbers) {
  const read = database.prepare<[number], SliceRow>('SELECT heads, octets FROM slice WHERE id = ?');
  const write = database.prepare<[number, Uint8Array, Uint8Array]>(
    'INSERT INTO slice (id, heads, octets) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET heads = excluded.heads, octets = excluded.octets',
  );
  const remove = database.prepare<[number]>('DELETE FROM slice WHERE id = ?');
  const drop = database.prepare<[number, number]>('DELETE FROM slice WHERE id >= ? AND id < ?');

  return {
    /** @returns the list, and the places of its values in their order */
    make(
      attribute: string,
      description: string,
      values: readonly Uint8Array[],
    ): { readonly list: List; readonly places: readonly number[] } {
      const number = rows.list++;
      const places: number[] = [];
      let last = 0;
      let octets = 0;
      for (let from = 0, to = 0; from < values.length; from = to) {
        let held = 0;
        while (to < values.length && to - from < slotsMax && (to === from || held + (values[to]?.length ?? 0) <= sliceOctetsMax)) {
          held += values[to++]?.length ?? 0;
        }
        last = places.length === 0 ? 0 : last + 1;
        const slice = values.slice(from, to).map((value, slot) => ({ place: last * slotsMax + slot, octets: value }));
        for (const { place } of slice) places.push(place);
        octets += held;
        write.run(number * slicesMax + last, headsOf(slice), octetsOf(slice));
      }
      return { list: { attribute, description, number, count: values.length, octets, last }, places };
    },

    /** Adds a value behind the others. */
    add(list: List, value: Uint8Array): { readonly list: List; readonly place: number } {
      const slice = sliceAt(list, list.last);
      const held = slice.reduce((sum, { octets }) => sum + octets.length, 0);
      const isFull = slice.length >= slotsMax || (slice.length > 0 && held + value.length > sliceOctetsMax);
      const last = isFull ? list.last + 1 : list.last;
      if (last >= slicesMax) throw new Error(`a list is full: ${list.attribute}`);
      const before = isFull ? [] : slice;
      const place = last * slotsMax + freeSlot(before);
      const after = [...before, { place, octets: value }];
      write.run(list.number * slicesMax + last, headsOf(after), octetsOf(after));
      return { list: { ...list, count: list.count + 1, octets: list.octets + value.length, last }, place };
    },

    remove(list: List, place: number): List {
      const at = sliceOf(place);
      const before = sliceAt(list, at);
      const gone = before.find((each) => each.place === place);
      if (gone === undefined) throw new Error(`no value at its place: ${list.attribute}`);
      const after = before.filter((each) => each !== gone);
      if (after.length === 0) remove.run(list.number * slicesMax + at);
      else write.run(list.number * slicesMax + at, headsOf(after), octetsOf(after));
      return { ...list, count: list.count - 1, octets: list.octets - gone.octets.length };
    },

    /** Takes a list away up to a place, or all of it. */
    drop({ number }: List, through?: number): void {
      const before = through === undefined ? slicesMax : sliceOf(through) + 1;
      drop.run(number * slicesMax, number * slicesMax + before);
    },
  };

  function sliceAt({ number }: List, at: number): Placed[] {
    const row = read.get(number * slicesMax + at);
    return row === undefined ? [] : [...placedIn(at, row)];
  }
}

/** @throws Error for a slice whose values are not what their heads say */
function* placedIn(at: number, { heads, octets }: SliceRow): Generator<Placed> {
  const view = Buffer.from(heads.buffer, heads.byteOffset, heads.byteLength);
  let end = 0;
  for (let head = 0; head + headOctets <= view.length; head += headOctets) {
    const start = end;
    end += view.readUInt32LE(head + 1);
    yield { place: at * slotsMax + view.readUInt8(head), octets: octets.subarray(start, end) };
  }
  if (end !== octets.length || view.length % headOctets !== 0) throw new Error('a slice is not what its heads say');
}

function headsOf(values: readonly Placed[]): Buffer {
  const heads = Buffer.allocUnsafe(values.length * headOctets);
  values.forEach(({ place, octets }, at) => {
    heads.writeUInt8(place % slotsMax, at * headOctets);
    heads.writeUInt32LE(octets.length, at * headOctets + 1);
  });
  return heads;
}

function octetsOf(values: readonly Placed[]): Buffer {
  return Buffer.concat(values.map(({ octets }) => octets));
}

function freeSlot(values: readonly Placed[]): number {
  const used = new Set(values.map(({ place }) => place % slotsMax));
  let slot = 0;
  while (used.has(slot)) slot++;
  return slot;
}
