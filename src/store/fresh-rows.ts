import type Database from 'better-sqlite3';
import type { Key } from './keys.ts';
import { createKeySorter } from './load/sort.ts';

type Parameter = number | Uint8Array;

/** More of them in a statement gain little, and each statement is one step. */
const rowsOfStatement = 64;

/** Index rows of the new entries of one commit. */
export interface FreshRows {
  add(key: Key, id: number): void;
  /** Writes them in the order of the index, so that each of its pages is looked for once. */
  write(): Generator<undefined, void>;
}

/** @returns a function that begins to gather the rows of a commit, to be called within a write transaction */
export function freshRowsOf(database: Database.Database): () => FreshRows {
  const insert = (rows: number) =>
    database.prepare<Parameter[]>(
      // A list of the entry may have the value too: then the row is the list's, and stays.
      `INSERT INTO found (attribute, key, id) VALUES ${Array(rows).fill('(?, ?, ?)').join(', ')} ON CONFLICT DO NOTHING`,
    );
  let many: Database.Statement<Parameter[]> | undefined;
  return () => {
    const sorter = createKeySorter('', Number.POSITIVE_INFINITY);
    return {
      add: ({ attribute, key }, id) => sorter.add(attribute, key, id),
      *write() {
        const parameters: Parameter[] = [];
        sorter.drain((attribute, key, id) => void parameters.push(attribute, key, id));
        yield;
        const width = 3 * rowsOfStatement;
        let at = 0;
        for (; at + width <= parameters.length; at += width) {
          many ??= insert(rowsOfStatement);
          many.run(...parameters.slice(at, at + width));
          yield;
        }
        if (at < parameters.length) insert((parameters.length - at) / 3).run(...parameters.slice(at));
      },
    };
  };
}
