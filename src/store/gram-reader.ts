import type Database from 'better-sqlite3';
import { createBoundedMap } from '#base';
import { gramsToFind, intersectPart, suppressed, unpack } from './grams.ts';
import { PendingKeys } from './pending-keys.ts';

type Row = [first: number, packed: Uint8Array];

/** To hold an entry against the filter costs nearly as much as to read a gram: no more of these are read than may pay. */
const enoughIds = 2;
const vainMax = 2;
const vainIds = 8;
/** Long lists are of use only to more ids than this. */
const narrowedIds = 64;
/** Grams that are looked up for one search at most. */
const gramsMax = 16;
/** Octets of a long list that are worth reading for each id that it may take out. */
const octetsForId = 8;

/** Heads that are remembered from one search to the next, as long as nothing was written: 16 MiB at most. Names have parts in common. */
const knownMax = 4096;
/** Behind the attribute's number in what they are remembered by. */
const gramsAll = 2 ** 32;

/** What the heads of lists tell. */
interface Heads {
  /** Ids that all short lists have, those that were read; nothing when there are no short lists. */
  ids: number[] | undefined;
  /** Grams with lists of more than one part: they are read only when no short list narrows the search. */
  readonly long: number[];
  /** Rows that were read. */
  rows: number;
}

/**
 * Finds entries by what stands inside their keys: what the lists of grams have in common, and whatever is pending. Both are of one snapshot, so that
 * an entry is never missing, whether its grams are in place or not.
 */
export class GramReader {
  readonly #head: Database.Statement<[number, number], Row>;
  readonly #all: Database.Statement<[number, number], Row>;
  readonly #octets: Database.Statement<[number, number], number>;
  readonly #pending: PendingKeys;
  #known = createBoundedMap<number, readonly Row[]>(knownMax);

  constructor(reader: Database.Database) {
    // Any two rows tell that there is more than one. To ask for their order doubles what this takes: 7 µs instead of 3.
    this.#head = reader.prepare<[number, number], Row>('SELECT first, ids FROM gram WHERE attribute = ? AND gram = ? LIMIT 2').raw();
    this.#all = reader.prepare<[number, number], Row>('SELECT first, ids FROM gram WHERE attribute = ? AND gram = ? ORDER BY first').raw();
    this.#octets = reader
      .prepare<[number, number], number>('SELECT count(*) + sum(length(ids)) FROM gram WHERE attribute = ? AND gram = ?')
      .pluck();
    this.#pending = new PendingKeys(reader);
  }

  /** To be called when the snapshot is another. */
  moveOn(): void {
    if (this.#known.size > 0) this.#known = createBoundedMap(knownMax);
    this.#pending.moveOn();
  }

  /** Reads what is pending now, so that the next search need not read so much at once. */
  keepUp(): void {
    this.#pending.keepUp();
  }

  /**
   * @param visit  told how many rows were read
   * @returns ascending ids, nothing when no gram of the parts is a help
   */
  find(attribute: number, parts: readonly Uint8Array[], visit: (rows: number) => void): number[] | undefined {
    const heads = this.#heads(attribute, parts, enoughIds);
    let { ids } = heads;
    if (ids === undefined || ids.length > narrowedIds) ids = this.#narrowed(attribute, heads, ids);
    visit(heads.rows);
    return ids === undefined ? undefined : this.#withPending(attribute, parts, ids);
  }

  /** About how many `find` would give, up to a limit. Reads no list of more than one part. */
  count(attribute: number, parts: readonly Uint8Array[], limit: number, visit: (rows: number) => void): number | undefined {
    const { ids, long, rows } = this.#heads(attribute, parts, limit);
    visit(rows);
    if (ids === undefined && long.length === 0) return undefined;
    return ids === undefined ? limit : Math.min(ids.length, limit);
  }

  #heads(attribute: number, parts: readonly Uint8Array[], enough: number): Heads {
    const heads: Heads = { ids: undefined, long: [], rows: 0 };
    let vain = 0;
    for (const gram of gramsToFind(parts, gramsMax)) {
      const head = this.#headOf(attribute, gram);
      heads.rows += head.length;
      const [row] = head;
      if (row === undefined) {
        heads.ids = [];
        break;
      }
      if (row[0] === suppressed) continue;
      if (head.length > 1) {
        heads.long.push(gram);
        continue;
      }
      const before = heads.ids;
      const ids: number[] = [];
      if (before === undefined) unpack(row[0], row[1], ids);
      else intersectPart(before, 0, row[0], row[1], ids);
      heads.ids = ids;
      if (ids.length <= enough) break;
      vain = before?.length === ids.length ? vain + 1 : 0;
      if (vain >= vainMax && ids.length <= vainIds) break;
    }
    return heads;
  }

  #headOf(attribute: number, gram: number): readonly Row[] {
    const name = attribute * gramsAll + gram;
    let head = this.#known.get(name);
    if (head === undefined) {
      head = this.#head.all(attribute, gram);
      this.#known.set(name, head);
    }
    return head;
  }

  /** Reads long lists, the shortest first, as long as they are worth it. */
  #narrowed(attribute: number, heads: Heads, found: readonly number[] | undefined): number[] | undefined {
    const sized = heads.long.map((gram) => ({ gram, octets: this.#octets.get(attribute, gram) ?? 0 })).sort((a, b) => a.octets - b.octets);
    let ids = found?.slice();
    for (const { gram, octets } of sized) {
      if (ids !== undefined && (ids.length <= enoughIds || octets > ids.length * octetsForId)) break;
      const rows = this.#all.all(attribute, gram);
      heads.rows += rows.length;
      const next: number[] = [];
      let at = 0;
      for (const [first, packed] of rows) {
        if (ids === undefined) unpack(first, packed, next);
        else at = intersectPart(ids, at, first, packed, next);
      }
      ids = next;
    }
    return ids;
  }

  #withPending(attribute: number, parts: readonly Uint8Array[], ids: number[]): number[] {
    let longest = parts[0] as Uint8Array;
    for (const part of parts) if (part.length > longest.length) longest = part;
    const pending = this.#pending.find(attribute, longest);
    return pending.length === 0 ? ids : [...new Set([...ids, ...pending])].sort((a, b) => a - b);
  }
}
