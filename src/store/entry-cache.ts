import { createSlab } from '#base';
import { listsIn, noLists } from './slices.ts';
import type { ReadableEntry, StoredEntry } from './types.ts';

/**
 * What a row of entries holds for search, as one blob with the lengths of its parts in front: SQLite joins the parts faster than it hands them over one by one, each an
 * object for the collector. The parts stand in the order of `parts`.
 */
export type PackedRow = (number | Buffer)[];

/** Texts and octets of an entry that search reads, as SQL: in front, side by side, what nearly every search looks at. */
const parts = ['uuid', 'dn_key', 'dn', 'user', 'operational', "coalesce(parent, '')", 'csn', "coalesce(large, '')"] as const;

/** What a statement selects from `entry` to give a `PackedRow`. */
export const packedColumns = packed(parts);

/** The same with the secret attributes behind it, for `unpackWhole`. */
export const packedWholeColumns = packed([...parts, 'secret']);

/** `octet_length` is that of a text's octets, whatever stands in it. */
function packed(columns: readonly string[]): string {
  const joined = columns.map((column) => `CAST(${column} AS BLOB)`).join(' || ');
  return [...columns.map((column) => `octet_length(${column})`), `CAST(${joined} AS BLOB)`].join(', ');
}

/** An entry with its secrets, which are in no cache that a search reads. */
export function unpackWhole(id: number, row: PackedRow): StoredEntry {
  const octets = row.at(-1) as Buffer;
  let end = 0;
  const beginOf = (part: number): number => {
    const begin = end;
    end += row[part] as number;
    return begin;
  };
  const next = (part: number): Buffer => octets.subarray(beginOf(part), end);
  const text = (part: number): string => octets.toString('utf8', beginOf(part), end);
  // In the order of the parts.
  const uuid = text(at.uuid);
  const dnKey = next(at.dnKey);
  const dn = text(at.dn);
  const user = next(at.user);
  const operational = next(at.operational);
  const parent = text(at.parent);
  const csn = text(at.csn);
  const large = text(at.large);
  const secret = octets.subarray(end);
  return {
    id,
    uuid,
    dnKey,
    dn,
    user,
    operational,
    parent: parent === '' ? undefined : parent,
    csn,
    large: large === '' ? noLists : listsIn(large),
    secret,
  };
}

/**
 * Entries as the reader last saw them. SQLite gives an entry in 7 µs, most of it for eight objects and their collection; from here it takes
 * less than one, and what nobody asks of it is not even decoded.
 *
 * An entry that is here is always that of the reader's transaction: what a commit writes is only noted, and put out when the reader moves on.
 */
export interface EntryCache {
  get(id: number): ReadableEntry | undefined;
  /** Keeps what was read, if there is room for so much. */
  keep(id: number, row: PackedRow): ReadableEntry;
  /** Notes that an entry is written in a transaction that the reader does not see yet. */
  touch(id: number): void;
  /** To be called when the reader begins to see what was written. */
  moveOn(): void;
  /** Puts everything out. */
  clear(): void;
}

/** An entry usually has more. */
const entryOctets = 512;
/** Beyond so many written entries all are put out: an import is no reason to hold a list of it. */
const touchedMax = 10_000;

export function createEntryCache(octetsMax: number): EntryCache {
  const slab = createSlab(octetsMax, entryOctets);
  let touched: number[] = [];
  let version = 0;

  return {
    get(id) {
      const place = slab.find(id, 0);
      return place < 0 ? undefined : new CachedEntry(id, slab.segmentAt(place), slab.offsetAt(place));
    },
    keep(id, row) {
      const packed = row[parts.length] as Buffer;
      const octets = headOctets + packed.length;
      let bytes = slab.put(id, 0, octets);
      if (bytes === undefined) {
        // What was kept of an older state would be taken for this one.
        slab.delete(id, 0);
        bytes = Buffer.allocUnsafe(octets);
      }
      bytes.writeDoubleLE(++version, 0);
      for (let part = 0; part < parts.length; part++) bytes.writeUInt32LE(row[part] as number, lengthsAt + 4 * part);
      bytes.set(packed, headOctets);
      return new CachedEntry(id, bytes, 0);
    },
    touch(id) {
      if (touched.length <= touchedMax) touched.push(id);
    },
    moveOn() {
      if (touched.length > touchedMax) slab.clear();
      else for (const id of touched) slab.delete(id, 0);
      if (touched.length > 0) touched = [];
    },
    clear: slab.clear,
  };
}

/** In front: the version, then the lengths of the parts. */
const lengthsAt = 8;
const headOctets = lengthsAt + 4 * parts.length;
const at = { uuid: 0, dnKey: 1, dn: 2, user: 3, operational: 4, parent: 5, csn: 6, large: 7 } as const;

/** An entry in the octets of the cache; each part is made when it is asked for. */
class CachedEntry implements ReadableEntry {
  readonly id: number;
  readonly #bytes: Buffer;
  /** Where among them it begins. */
  readonly #at: number;
  #dnKey: Uint8Array | undefined;

  constructor(id: number, bytes: Buffer, at: number) {
    this.id = id;
    this.#bytes = bytes;
    this.#at = at;
  }

  get version(): number {
    return this.#bytes.readDoubleLE(this.#at);
  }

  get octets(): number {
    return this.#length(at.user) + this.#length(at.operational);
  }

  get uuid(): string {
    return this.#text(at.uuid);
  }

  hasUuid(uuid: string): boolean {
    if (this.#length(at.uuid) !== uuid.length) return false;
    for (let i = 0; i < uuid.length; i++) if (this.#bytes[this.#at + headOctets + i] !== uuid.charCodeAt(i)) return false;
    return true;
  }

  get parent(): string | undefined {
    return this.#length(at.parent) === 0 ? undefined : this.#text(at.parent);
  }

  get csn(): string {
    return this.#text(at.csn);
  }

  get dn(): string {
    return this.#text(at.dn);
  }

  get dnOctets(): Uint8Array {
    return this.#octets(at.dn);
  }

  get large(): ReadableEntry['large'] {
    return this.#length(at.large) === 0 ? noLists : listsIn(this.#text(at.large));
  }

  get dnKey(): Uint8Array {
    // Asked for twice by each search: for its scope and for rights.
    this.#dnKey ??= this.#octets(at.dnKey);
    return this.#dnKey;
  }

  get attributes(): Uint8Array {
    const start = this.#start(at.user);
    return this.#bytes.subarray(start, start + this.octets);
  }

  get user(): Uint8Array {
    return this.#octets(at.user);
  }

  get operational(): Uint8Array {
    return this.#octets(at.operational);
  }

  #octets(part: number): Uint8Array {
    const start = this.#start(part);
    return this.#bytes.subarray(start, start + this.#length(part));
  }

  #text(part: number): string {
    const start = this.#start(part);
    return this.#bytes.toString('utf8', start, start + this.#length(part));
  }

  #start(part: number): number {
    let start = this.#at + headOctets;
    for (let before = 0; before < part; before++) start += this.#length(before);
    return start;
  }

  #length(part: number): number {
    return this.#bytes.readUInt32LE(this.#at + lengthsAt + 4 * part);
  }
}
