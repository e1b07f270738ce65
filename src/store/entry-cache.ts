import { createSlab, utf8 } from '#base';
import { listsIn, noLists } from './slices.ts';
import type { ReadableEntry } from './types.ts';

/** What a row of entries holds for search. */
export interface Row extends Omit<ReadableEntry, 'version' | 'octets' | 'dnOctets' | 'large'> {
  readonly large: string | null;
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
  keep(row: Row): ReadableEntry;
  /** Notes that an entry is written in a transaction that the reader does not see yet. */
  touch(id: number): void;
  /** To be called when the reader begins to see what was written. */
  moveOn(): void;
  /** Puts everything out. */
  clear(): void;
}

/** Beyond so many written entries all are put out: an import is no reason to hold a list of it. */
const touchedMax = 10_000;

export function createEntryCache(octetsMax: number): EntryCache {
  const slab = createSlab(octetsMax);
  let touched: number[] = [];
  let version = 0;

  return {
    get(id) {
      const bytes = slab.get(id, 0);
      return bytes === undefined ? undefined : new CachedEntry(id, bytes);
    },
    keep(row) {
      version++;
      const bytes = slab.put(row.id, 0, octetsOf(row));
      if (bytes !== undefined) {
        write(bytes, row, version);
        return new CachedEntry(row.id, bytes);
      }
      // What was kept of an older state would be taken for this one.
      slab.delete(row.id, 0);
      return { ...row, large: listsIn(row.large), version, octets: row.user.length + row.operational.length, dnOctets: utf8(row.dn) };
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

const uuidOctets = 36;
/** In front: the version, then seven lengths. */
const at = { version: 0, parent: 8, csn: 12, dn: 16, dnKey: 20, user: 24, operational: 28, large: 32, uuid: 36 } as const;
const headOctets = at.uuid + uuidOctets;

function octetsOf({ parent, csn, dn, dnKey, user, operational, large }: Row): number {
  const texts = (parent?.length ?? 0) + csn.length + Buffer.byteLength(dn) + (large === null ? 0 : Buffer.byteLength(large));
  return headOctets + texts + dnKey.length + user.length + operational.length;
}

function write(bytes: Buffer, row: Row, version: number): void {
  const { uuid, parent, csn, dn, dnKey, user, operational, large } = row;
  bytes.writeDoubleLE(version, at.version);
  bytes.write(uuid, at.uuid, 'latin1');
  let end = headOctets;
  const text = (length: number, value: string) => {
    const octets = bytes.write(value, end);
    bytes.writeUInt32LE(octets, length);
    end += octets;
  };
  const octets = (length: number, value: Uint8Array) => {
    bytes.set(value, end);
    bytes.writeUInt32LE(value.length, length);
    end += value.length;
  };
  text(at.parent, parent ?? '');
  text(at.csn, csn);
  text(at.dn, dn);
  text(at.large, large ?? '');
  octets(at.dnKey, dnKey);
  octets(at.user, user);
  octets(at.operational, operational);
}

/** An entry in the octets of the cache; each part is made when it is asked for. */
class CachedEntry implements ReadableEntry {
  readonly id: number;
  readonly #bytes: Buffer;

  constructor(id: number, bytes: Buffer) {
    this.id = id;
    this.#bytes = bytes;
  }

  get version(): number {
    return this.#bytes.readDoubleLE(at.version);
  }

  get octets(): number {
    return this.#length(at.user) + this.#length(at.operational);
  }

  get uuid(): string {
    return this.#bytes.toString('latin1', at.uuid, headOctets);
  }

  get parent(): string | undefined {
    const octets = this.#length(at.parent);
    return octets === 0 ? undefined : this.#bytes.toString('latin1', headOctets, headOctets + octets);
  }

  get csn(): string {
    const start = headOctets + this.#length(at.parent);
    return this.#bytes.toString('utf8', start, start + this.#length(at.csn));
  }

  get dn(): string {
    const start = this.#dnStart;
    return this.#bytes.toString('utf8', start, start + this.#length(at.dn));
  }

  get dnOctets(): Uint8Array {
    const start = this.#dnStart;
    return this.#bytes.subarray(start, start + this.#length(at.dn));
  }

  get large(): ReadableEntry['large'] {
    const octets = this.#length(at.large);
    if (octets === 0) return noLists;
    const start = this.#dnStart + this.#length(at.dn);
    return listsIn(this.#bytes.toString('utf8', start, start + octets));
  }

  get dnKey(): Uint8Array {
    const start = this.#dnStart + this.#length(at.dn) + this.#length(at.large);
    return this.#bytes.subarray(start, start + this.#length(at.dnKey));
  }

  get user(): Uint8Array {
    const end = this.#bytes.length - this.#length(at.operational);
    return this.#bytes.subarray(end - this.#length(at.user), end);
  }

  get operational(): Uint8Array {
    return this.#bytes.subarray(this.#bytes.length - this.#length(at.operational));
  }

  get #dnStart(): number {
    return headOctets + this.#length(at.parent) + this.#length(at.csn);
  }

  #length(offset: number): number {
    return this.#bytes.readUInt32LE(offset);
  }
}
