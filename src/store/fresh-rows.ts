import type Database from 'better-sqlite3';
import type { Key } from './keys.ts';
import { createKeySorter } from './load/sort.ts';
import type { Change, Expectation } from './types.ts';

type Parameter = number | Uint8Array;

/** More of them in a statement gain little, and each statement is one step. */
const rowsOfStatement = 64;

/** Index rows of the new entries of one commit. */
export interface FreshRows {
  add(key: Key, id: number): void;
  /** Writes them in the order of the index, so that each of its pages is looked for once. */
  write(): Generator<undefined, void>;
}

/** Tells of a change whether its entry was expected to be new, and has a name that no other of them has. @throws Error for two entries of one name */
export function freshAmong(changes: readonly Change[], expected: readonly Expectation[]): (change: Change) => boolean {
  const unused = new Set(expected.flatMap((each) => (each.kind === 'unused' ? [each.uuid] : [])));
  const absent = new Set(expected.flatMap((each) => (each.kind === 'absent' ? [latin1(each.dnKey)] : [])));
  const names = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'delete') continue;
    const name = latin1(change.entry.dnKey);
    if (names.has(name)) throw new Error(`two entries of one name: ${change.entry.dn}`);
    names.add(name);
  }
  return (change) => change.kind === 'put' && absent.has(latin1(change.entry.dnKey)) && unused.delete(change.entry.uuid);
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1');
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
