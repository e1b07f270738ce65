import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { refuse, type SettingValues } from '#catalogue';
import { dropUnfinished } from '../copy.ts';
import { openDatabase } from '../database.ts';
import { errors } from '../errors.ts';
import { directoryFormat, newestNumber } from '../format.ts';
import { openFrozen } from '../frozen.ts';
import { inWords, isDiskError, whyOf } from '../reasons.ts';
import type { settings as rows } from '../settings.ts';
import type { EntryRecord, Indexer, LargeRules } from '../types.ts';
import { type Frame, loadFresh } from './fresh.ts';
import { existingIn, loadInto } from './into.ts';
import type { Existing, Load } from './types.ts';

export interface LoadOptions {
  /** The file of entries; it need not be there. Its folder must be locked. */
  readonly path: string;
  readonly settings: SettingValues<typeof rows>;
  readonly indexer: Indexer;
  readonly large: LargeRules;
  readonly indexVersion: string;
  /** Starts the thread that builds a file (`serveBuild`). */
  readonly startBuilder: () => Worker;
}

/** A file with no more entries than this is made anew; what it has is carried over. */
const frameEntriesMax = 100;
const busyMs = 1000;

/**
 * Loads many entries, all or none. A file that is not there, or holds hardly more than the frame of a realm, is made anew; otherwise all of them
 * are one transaction. Memory is bounded either way.
 *
 * @param fill  puts the entries; when it throws nothing is kept
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005 for what is there, STS-STORE-9009 when the disk refuses
 */
export async function load<T>(options: LoadOptions, fill: (load: Load) => Promise<T>): Promise<T> {
  const { path, settings, indexVersion, startBuilder } = options;
  dropUnfinished(path);
  if (!existsSync(path)) return await loadFresh({ path, frame: nothing, indexVersion, startBuilder }, fill);
  const database = openDatabase(path, directoryFormat, busyMs);
  try {
    const frame = frameOf(database);
    if (frame === undefined) {
      const { indexer, large } = options;
      const bounds = { cacheMib: settings['persistence.pageCacheMib'], commitsMax: settings['persistence.commitsMax'] };
      return await loadInto({ path, database, indexer, large, indexVersion, ...bounds }, fill);
    }
    carryOver(database, path);
    database.close();
    return await loadFresh({ path, frame, indexVersion, startBuilder }, fill);
  } finally {
    database.close();
  }
}

/** What is there, beside a running service or without one, for who wants to know whether a load would succeed. */
export async function tryLoad<T>(path: string, fill: (load: Load) => Promise<T>): Promise<T> {
  const put = () => undefined;
  if (!existsSync(path)) return await fill({ existing: noneExisting, put });
  const database = openFrozen(path, directoryFormat);
  try {
    return await fill({ existing: existingIn(database), put });
  } finally {
    database.close();
  }
}

const nothing: Frame = { entries: [], epoch: 1, number: 0, newestCsn: undefined };
const noneExisting: Existing = { empty: true, newestCsn: undefined, keepsCsns: true, uuidAt: () => undefined, has: () => false };

type Row = Omit<EntryRecord, 'parent'> & { readonly parent: string | null; readonly large: string | null };

/** All that is there, when it is little. Superiors first: the key of a superior is the beginning of the keys below it. */
function frameOf(database: Database.Database): Frame | undefined {
  const entries = database
    .prepare<[number], Row>(
      `SELECT uuid, parent, dn, dn_key AS dnKey, csn, user, operational, secret, large FROM (SELECT * FROM entry LIMIT ?) ORDER BY dn_key`,
    )
    .all(frameEntriesMax + 1);
  // Lists belong to no frame: what is carried over are entries as they lie.
  if (entries.length > frameEntriesMax || entries.some(({ large }) => large !== null)) return undefined;
  const single = (query: string) => database.prepare<[], string | number>(query).pluck().get();
  return {
    entries: entries.map(({ large: _, ...row }) => ({ ...row, parent: row.parent ?? undefined })),
    epoch: Number(single("SELECT value FROM fact WHERE name = 'epoch'")),
    number: Number(single(newestNumber) ?? 0),
    newestCsn: single('SELECT csn FROM change ORDER BY place DESC LIMIT 1') as string | undefined,
  };
}

/** Lets SQLite carry its log over and leave it empty, so that the one file is all there is until another takes its place. */
function carryOver(database: Database.Database, path: string): void {
  try {
    const [done] = database.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
    // Another process reads, a backup say.
    if (done?.busy !== 0) throw refuse(errors.backupFailed, { file: basename(path), why: inWords('SQLITE_BUSY') });
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw refuse(errors.backupFailed, { file: basename(path), why: whyOf(error) });
  }
}
