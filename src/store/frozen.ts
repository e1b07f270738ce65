import { accessSync, closeSync, constants, existsSync, fdatasyncSync, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Database from 'better-sqlite3';
import { refuse } from '#catalogue';
import { type Format, hold } from './database.ts';
import { errors } from './errors.ts';
import { byDn, directoryFormat } from './format.ts';
import { isDiskError, readable, reasonOf, unusable } from './reasons.ts';
import type { EntryRecord, KeysBelow } from './types.ts';

/** How long the first read waits for another process's lock. */
const busyMs = 5000;

/**
 * Opens a file for reading as it stands at this moment, whoever else has it open: one read transaction from here to `close`. Its owner goes
 * on writing, but cannot shorten its log while this is open.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005 as `openStore`; STS-STORE-9850 for a file in use, or once used, in a folder that this
 *   process may not write
 */
export function openFrozen(path: string, format: Format): Database.Database {
  const file = basename(path);
  let database: Database.Database | undefined;
  try {
    if (!existsSync(path)) throw unusable(file, 'ENOENT');
    database = new Database(path, { readonly: true, fileMustExist: true, timeout: busyMs });
    hold(database, format, file);
    database.exec('BEGIN');
    // The first statement is what fixes the snapshot.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database?.close();
    if (!isDiskError(error)) throw error;
    const reason = reasonOf(error);
    if (/^SQLITE_(CANTOPEN|READONLY)/.test(reason) && !mayWrite(dirname(path))) throw refuse(errors.folderReadOnly, { file });
    throw unusable(file, reason);
  }
}

/** SQLite would read a file that nobody can write without a log (`immutable`), but the library opens no names that ask for it. */
function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Puts on disk what another process wrote and may not have confirmed yet, so that what was read cannot be undone by a loss of power.
 *
 * @throws Refusal  STS-STORE-9005
 */
export function confirmLog(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  // The log alone may be opened and closed beside SQLite: its locks are on the other two files.
  readable(`${basename(path)}-wal`, () => {
    const log = openSync(`${path}-wal`, 'r');
    try {
      fdatasyncSync(log);
    } finally {
      closeSync(log);
    }
  });
}

/** One entry of a file that this process has not opened, by its name; `undefined` where there is none, or no file. @throws Refusal as `openFrozen` */
export function entryAt(path: string, dnKey: Uint8Array): { readonly operational: Uint8Array } | undefined {
  if (!existsSync(path)) return undefined;
  const database = openFrozen(path, directoryFormat);
  try {
    return database
      .prepare<[number, Uint8Array], { operational: Uint8Array }>(
        'SELECT entry.operational FROM found JOIN entry ON entry.id = found.id WHERE found.attribute = ? AND found.key = ?',
      )
      .get(byDn, dnKey);
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw unusable(basename(path), reasonOf(error));
  } finally {
    database.close();
  }
}

/** A few entries of a file that this process has not opened: those whose DN keys lie in a range; none where there is no file. @throws Refusal as `openFrozen` */
export function entriesBetween(path: string, { from, before }: ReturnType<KeysBelow>, max: number): FrozenEntry[] {
  if (!existsSync(path)) return [];
  const database = openFrozen(path, directoryFormat);
  try {
    return database
      .prepare<[number, Uint8Array, Uint8Array, number], FrozenEntry>(
        `SELECT entry.uuid, entry.dn, entry.dn_key AS dnKey, entry.user FROM found JOIN entry ON entry.id = found.id
         WHERE found.attribute = ? AND found.key >= ? AND found.key < ? ORDER BY found.key LIMIT ?`,
      )
      .all(byDn, from, before ?? from, max);
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw unusable(basename(path), reasonOf(error));
  } finally {
    database.close();
  }
}

export type FrozenEntry = Pick<EntryRecord, 'uuid' | 'dn' | 'dnKey' | 'user'>;
