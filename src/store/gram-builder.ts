import type Database from 'better-sqlite3';
import { GramSort } from './gram-sort.ts';
import { pack, partOctetsMax, partsMax, suppressed } from './grams.ts';

/** Rows of one statement. */
const rowsAtOnce = 20;

type Value = number | Uint8Array;

/**
 * Makes all lists of grams at once: takes the keys of all entries, then writes every row in the order of the table. Needs nothing but memory for
 * `memoryMib` and, beyond it, a temporary file; it can run in a thread of its own beside the one that inserts entries.
 *
 * ```ts
 * using grams = new GramBuilder(64);
 * grams.add(numberOfMail, 17, normalizedMail); // entries by ascending row number, each of its keys that the indexer gives as `inside`
 * grams.write(database); // within a transaction, into a `gram` table that is empty
 * ```
 */
export class GramBuilder {
  readonly #sort: GramSort;

  /** @param memoryMib  for what is held before it goes into a temporary file */
  constructor(memoryMib = 64) {
    this.#sort = new GramSort(memoryMib);
  }

  /**
   * @param attribute  its number in the table `attribute`
   * @param id         the row number of the entry, never less than that of the call before
   * @param key        the whole normalized value as the indexer gives it, never cut
   */
  add(attribute: number, id: number, key: Uint8Array): void {
    this.#sort.add(attribute, id, key);
  }

  /**
   * Writes all rows into an open database, within the caller's transaction. The table must be empty, and nothing may be pending.
   *
   * @returns how many rows it wrote
   */
  write(database: Database.Database): number {
    const insert = (rows: number) =>
      database.prepare<Value[]>(`INSERT INTO gram (attribute, gram, first, ids) VALUES ${Array(rows).fill('(?, ?, ?, ?)').join(', ')}`);
    const many = insert(rowsAtOnce);
    let values: Value[] = [];
    let rows = 0;
    const put = (attribute: number, gram: number, first: number, packed: Uint8Array) => {
      values.push(attribute, gram, first, packed);
      if (++rows % rowsAtOnce !== 0) return;
      many.run(...values);
      values = [];
    };
    for (const { attribute, gram, ids } of this.#sort.lists()) {
      const parts = pack(ids, partOctetsMax);
      if (parts.length > partsMax) put(attribute, gram, suppressed, new Uint8Array(0));
      else for (const { first, packed } of parts) put(attribute, gram, first, packed);
    }
    if (values.length > 0) insert(values.length / 4).run(...values);
    return rows;
  }

  [Symbol.dispose](): void {
    this.#sort[Symbol.dispose]();
  }
}
