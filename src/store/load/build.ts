import Database from 'better-sqlite3';
import { attributeNumbers } from '../attributes.ts';
import { layOut } from '../database.ts';
import { directoryFormat, placeOf } from '../format.ts';
import { GramBuilder } from '../gram-builder.ts';
import { givenKeys, ownKeys } from '../keys.ts';
import { listsOf } from '../lists.ts';
import { type List, textOfLists } from '../slices.ts';
import type { EntryRecord, Indexer, LargeRules } from '../types.ts';
import { createKeySorter } from './sort.ts';

export interface BuildOrder {
  /** An empty file that is there. */
  readonly path: string;
  /** Where index rows are kept while they are sorted. */
  readonly folder: string;
  readonly indexVersion: string;
  readonly epoch: number;
  /** The number of the one change that the log begins with. */
  readonly number: number;
}

/** A file of entries being made from nothing. */
export interface Build {
  put(entry: EntryRecord): void;
  /** Writes what is found by what, and what else a file of entries has. Nothing is on disk for certain yet. */
  finish(): void;
  close(): void;
}

/** Memory for index rows before they go to a file: a row takes some 40 octets. */
const sortOctets = 128 * 2 ** 20;
const gramMib = 64;
const cacheKib = 16_384;
/** More of them in a statement gain nothing. */
const rowsOfStatement = 100;

/**
 * Makes a file of entries. Entries are written as they come; the index is sorted and written in its order at the end, so that no page of it is
 * ever looked for. Nothing is kept of the file unless it is finished: it needs no log and no sync before that.
 */
export function openBuild({ path, folder, indexVersion, epoch, number }: BuildOrder, indexer: Indexer, large: LargeRules): Build {
  const database = new Database(path, { fileMustExist: true });
  database.pragma('journal_mode = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma(`cache_size = ${-cacheKib}`);
  layOut(database, directoryFormat);
  database.exec('BEGIN');
  const attributes = attributeNumbers(database);
  const lists = listsOf(database, attributes, large);
  const made: { readonly id: number; readonly list: List }[] = [];
  const sorter = createKeySorter(folder, sortOctets);
  const grams = new GramBuilder(gramMib);
  const insert = database.prepare<unknown[]>(
    'INSERT INTO entry (id, uuid, parent, dn, dn_key, csn, user, operational, secret, large) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  let id = 0;
  let newest: { readonly id: number; readonly csn: string; readonly user: Uint8Array | null } = { id: 0, csn: '', user: null };

  return {
    put(whole) {
      const { entry, lists: fresh } = large.split(whole);
      const { uuid, parent, dn, dnKey, csn, user, operational, secret } = entry;
      id++;
      const own = fresh.map((each) => lists.lay(each));
      for (const list of own) made.push({ id, list });
      insert.run(id, uuid, parent ?? null, dn, dnKey, csn, user, operational, secret, textOfLists(own));
      for (const { attribute, key } of ownKeys(entry)) sorter.add(attribute, key, id);
      for (const { attribute, key, inside } of givenKeys(indexer(entry), attributes.give)) {
        sorter.add(attribute, key, id);
        if (inside !== undefined) grams.add(attribute, id, inside);
      }
      if (csn > newest.csn) newest = { id, csn, user: own.length === 0 ? null : Buffer.from(whole.user) };
    },
    finish() {
      const index = rowInserter(database);
      sorter.drain(index.add);
      index.flush();
      for (const { id: its, list } of made) lists.reindex(its, list);
      grams.write(database);
      grams[Symbol.dispose]();
      const note = database.prepare<[string, string]>('INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)');
      note.run('indexVersion', indexVersion);
      note.run('epoch', String(epoch));
      // The log cannot say what was loaded. It begins behind it, with the newest of the entries, so that numbers and entryCSNs go on from there.
      database
        .prepare<[number, number, Uint8Array | null, number]>(
          `INSERT INTO change (place, uuid, csn, kind, parent, dn, dn_key, user, operational, secret, former)
           SELECT ${placeOf}, uuid, csn, 'put', parent, dn, dn_key, coalesce(?, user), operational, secret, dn FROM entry WHERE id = ?`,
        )
        .run(number, 0, newest.user, newest.id);
      database.exec('COMMIT');
      database.pragma('locking_mode = NORMAL');
      database.pragma('journal_mode = WAL');
    },
    close: () => void database.close(),
  };
}

/** Writes index rows in their order, many in one statement. */
function rowInserter(database: Database.Database) {
  const statement = (rows: number) =>
    database.prepare<unknown[]>(`INSERT INTO found (attribute, key, id) VALUES ${Array(rows).fill('(?, ?, ?)').join(', ')}`);
  const many = statement(rowsOfStatement);
  const parameters: unknown[] = [];
  return {
    add(attribute: number, key: Uint8Array, id: number): void {
      parameters.push(attribute, key, id);
      if (parameters.length < 3 * rowsOfStatement) return;
      many.run(parameters);
      parameters.length = 0;
    },
    flush(): void {
      if (parameters.length > 0) statement(parameters.length / 3).run(parameters);
      parameters.length = 0;
    },
  };
}
