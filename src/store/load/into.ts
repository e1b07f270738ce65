import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { refuse } from '#catalogue';
import { attributeNumbers } from '../attributes.ts';
import { errors } from '../errors.ts';
import { byDn, byUuid } from '../format.ts';
import { createJustRead } from '../just-read.ts';
import { keyOfUuid } from '../keys.ts';
import { isDiskError, whyOf } from '../reasons.ts';
import type { Indexer, LargeRules } from '../types.ts';
import { writerOf } from '../writer.ts';
import type { Existing, Load } from './types.ts';

export interface IntoOptions {
  readonly path: string;
  readonly database: Database.Database;
  readonly indexer: Indexer;
  readonly large: LargeRules;
  readonly indexVersion: string;
  /** Memory in MiB for pages: what does not fit goes to SQLite's log before the transaction ends. */
  readonly cacheMib: number;
  /** Commits that the change log keeps. */
  readonly commitsMax: number;
}

/**
 * Writes what `fill` puts into a file that has entries, in one transaction that is on disk when this resolves; nothing of it is kept when `fill`
 * throws. In the change log each entry is a commit of its own, as if it had been added by itself.
 *
 * @throws Refusal  STS-STORE-0067 when the disk refuses
 */
export async function loadInto<T>(options: IntoOptions, fill: (load: Load) => Promise<T>): Promise<T> {
  const { path, database, indexer, large, indexVersion, cacheMib, commitsMax } = options;
  try {
    database.pragma('synchronous = FULL');
    database.pragma(`cache_size = ${-cacheMib * 1024}`);
    const attributes = attributeNumbers(database);
    const writer = writerOf(database, attributes, indexer, large, createJustRead(), () => undefined);
    database.exec('BEGIN IMMEDIATE');
    if (writer.indexVersion() !== indexVersion) writer.reindex(indexVersion);
    let number = writer.lastNumber();
    const filled = await fill({
      existing: existingIn(database),
      put: (entry) => {
        writer.write(++number, [{ kind: 'put', entry }]);
        return undefined;
      },
    });
    writer.trim(number, commitsMax);
    database.exec('COMMIT');
    database.pragma('wal_checkpoint(TRUNCATE)');
    return filled;
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    if (!isDiskError(error)) throw error;
    throw refuse(errors.backupFailed, { file: basename(path), why: whyOf(error) });
  }
}

/** What a file holds, read within the transaction that is open on it. */
export function existingIn(database: Database.Database): Existing {
  const find = database.prepare<[number, Uint8Array], number>('SELECT id FROM found WHERE attribute = ? AND key = ? LIMIT 1').pluck();
  const uuid = database.prepare<[number], string>('SELECT uuid FROM entry WHERE id = ?').pluck();
  const newest = database.prepare<[], string>('SELECT csn FROM change ORDER BY place DESC LIMIT 1').pluck();
  return {
    empty: database.prepare('SELECT 1 FROM entry LIMIT 1').get() === undefined,
    newestCsn: newest.get(),
    keepsCsns: false,
    uuidAt(dnKey) {
      const id = find.get(byDn, dnKey);
      return id === undefined ? undefined : uuid.get(id);
    },
    has: (wanted) => find.get(byUuid, keyOfUuid(wanted)) !== undefined,
  };
}
