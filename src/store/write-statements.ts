import type Database from 'better-sqlite3';
import { lastPlaceOf, newestNumber, placeOf, upToRows } from './format.ts';
import type { Change, StoredEntry } from './types.ts';

export type Row = Omit<StoredEntry, 'parent' | 'large'> & { readonly parent: string | null; readonly large: string | null };

export type PutParameters = [
  uuid: string,
  parent: string | null,
  dn: string,
  dnKey: Uint8Array,
  csn: string,
  user: Uint8Array,
  operational: Uint8Array,
  secret: Uint8Array,
  large: string | null,
  id: number,
];

export type ChangeParameters = [
  number: number,
  part: number,
  uuid: string,
  csn: string,
  kind: Change['kind'],
  parent: string | null,
  dn: string | null,
  dnKey: Uint8Array | null,
  user: Uint8Array | null,
  operational: Uint8Array | null,
  secret: Uint8Array | null,
  former: string | null,
  lists: Uint8Array | null,
];

/** What the writer asks of the tables and does to them. */
export function writeStatements(database: Database.Database) {
  const columns = 'id, uuid, parent, dn, dn_key AS dnKey, csn, user, operational, secret, large';
  return {
    find: database.prepare<[number, Uint8Array], number>('SELECT id FROM found WHERE attribute = ? AND key = ? LIMIT 1').pluck(),
    countEqual: database
      .prepare<[number, Uint8Array, number], number>(
        `SELECT count(*) FROM (SELECT 1 FROM found WHERE attribute = ? AND key = ? ${upToRows})`,
      )
      .pluck(),
    countBetween: database
      .prepare<[number, Uint8Array, Uint8Array, number], number>(
        `SELECT count(*) FROM (SELECT 1 FROM found WHERE attribute = ? AND key >= ? AND key < ? ${upToRows})`,
      )
      .pluck(),
    entry: database.prepare<[number], Row>(`SELECT ${columns} FROM entry WHERE id = ?`),
    holders: database.prepare<[number, Uint8Array, number], { uuid: string; csn: string }>(
      `SELECT uuid, csn FROM entry WHERE id IN (SELECT id FROM found WHERE attribute = ? AND key = ? ${upToRows})`,
    ),
    csn: database.prepare<[number], string>('SELECT csn FROM entry WHERE id = ?').pluck(),
    some: database.prepare<[number, number], Row>(`SELECT ${columns} FROM entry WHERE id > ? ORDER BY id LIMIT ?`),
    insert: database.prepare<PutParameters>(
      'INSERT INTO entry (uuid, parent, dn, dn_key, csn, user, operational, secret, large, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    update: database.prepare<PutParameters>(
      'UPDATE entry SET uuid = ?, parent = ?, dn = ?, dn_key = ?, csn = ?, user = ?, operational = ?, secret = ?, large = ? WHERE id = ?',
    ),
    delete: database.prepare<[number]>('DELETE FROM entry WHERE id = ?'),
    // A list of the entry may have the value too: then the row is the list's, and stays.
    index: database.prepare<[number, Uint8Array, number]>('INSERT INTO found (attribute, key, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    unfind: database.prepare<[number, Uint8Array, number]>(
      'DELETE FROM found WHERE attribute = ? AND key = ? AND id = ? AND place IS NULL',
    ),
    forgetNames: database.prepare<[]>('DELETE FROM attribute'),
    forget: database.prepare<[number]>('DELETE FROM found WHERE attribute >= ?'),
    pend: database.prepare<[number, number, number, Uint8Array]>(`INSERT INTO gram_pending (place, id, moved) VALUES (${placeOf}, ?, ?)`),
    forgetGrams: database.prepare<[]>('DELETE FROM gram'),
    forgetPending: database.prepare<[]>('DELETE FROM gram_pending'),
    lastNumber: database.prepare<[], number>(newestNumber).pluck(),
    log: database.prepare<ChangeParameters>(
      `INSERT INTO change (place, uuid, csn, kind, parent, dn, dn_key, user, operational, secret, former, lists)
       VALUES (${placeOf}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    trim: database.prepare<[number]>(`DELETE FROM change WHERE place <= ${lastPlaceOf}`),
    fact: database.prepare<[string], string>('SELECT value FROM fact WHERE name = ?').pluck(),
    note: database.prepare<[string, string]>(
      'INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ),
  };
}
