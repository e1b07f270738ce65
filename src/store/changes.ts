import type Database from 'better-sqlite3';
import { lastPlaceOf } from './format.ts';
import { decodeListChanges } from './lists.ts';
import type { Change, ChangeRecord } from './types.ts';

interface Row {
  readonly number: number;
  readonly uuid: string;
  readonly csn: string;
  readonly kind: Change['kind'];
  readonly parent: string | null;
  readonly dn: string;
  readonly dnKey: Uint8Array;
  readonly user: Uint8Array;
  readonly operational: Uint8Array;
  readonly secret: Uint8Array;
  readonly lists: Uint8Array | null;
}

/** Reads of the change log: from behind a number on, no further than `lastNumber`. */
export function changesOf(database: Database.Database): (afterNumber: number, lastNumber: number, limit: number) => ChangeRecord[] {
  const range = database.prepare<[number, number, number], Row>(
    `SELECT number, uuid, csn, kind, parent, dn, dn_key AS dnKey, user, operational, secret, lists FROM change
     WHERE place > ${lastPlaceOf} AND place <= ${lastPlaceOf} ORDER BY place LIMIT ?`,
  );
  return (afterNumber, lastNumber, limit) => range.all(afterNumber, lastNumber, limit).map(recordOf);
}

function recordOf({ number, kind, uuid, csn, parent, lists, ...rest }: Row): ChangeRecord {
  if (kind === 'delete') return { number, csn, change: { kind, uuid, csn } };
  const entry = { uuid, parent: parent ?? undefined, csn, ...rest };
  if (kind === 'put') return { number, csn, change: { kind, entry } };
  return { number, csn, change: { kind, entry, lists: lists === null ? [] : decodeListChanges(lists) } };
}
