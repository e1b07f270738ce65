import { closeSync, existsSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';
import { migrate, versionOf } from './migrate.ts';
import { linked } from './names.ts';
import { isDiskError, reasonOf, unusable } from './reasons.ts';

/** What a kind of file is, so that no file is taken for another and an old Atrium leaves a newer one's files alone. */
export interface Format {
  /** SQLite's `application_id`: four letters. */
  readonly applicationId: number;
  readonly version: number;
  /** What a new file begins with. */
  readonly tables: string;
  /** Octets of a page of a new file; 8192 unless it says so. A file keeps those it was made with. */
  readonly pageOctets?: number;
  /** What brings a file one version further, the first that of version 1. Never changed once it was released. */
  readonly migrations: readonly string[];
}

/** A database file, or one that no one can find and that is gone with the process. */
export interface Place {
  readonly path: string;
  /** To be called when every connection that will be is open: makes a file of memory mode vanish from its folder. */
  forget(): void;
}

const standingPageOctets = 8192;
/** Where each write is a few short rows: a page goes to the log whole, and a sign-in writes some 26 pages of state. */
export const smallPageOctets = 4096;

/** How long a write of the service waits for another process that holds SQLite's lock; the loop waits with it. */
export const busyMs = 1000;

/** What a file of `path` is in the mode given. In memory mode the path is not used. */
export function placeOf(path: string, mode: 'sqlite' | 'memory'): Place {
  if (mode === 'sqlite') return { path, forget: () => undefined };
  // SQLite's own memory databases cannot have a second connection here, so a temporary file is opened and its name taken away:
  // the same code runs, and not even a killed process leaves anything behind.
  const folder = mkdtempSync(join(tmpdir(), 'atrium-'));
  return { path: join(folder, 'memory'), forget: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Opens a file for writing, makes it when it is not there, holds it against its format and brings an older one up to it.
 *
 * @param busyMs  how long a statement waits for another process's lock
 * @throws Refusal  STS-STORE-9003 for a newer format, STS-STORE-9004 for another kind of file, STS-STORE-9005 when SQLite cannot open it
 */
export function openDatabase(path: string, format: Format, busyMs: number): Database.Database {
  const file = basename(path);
  let database: Database.Database | undefined;
  try {
    if (!existsSync(path)) make(path, format);
    database = new Database(path, { timeout: busyMs, fileMustExist: true });
    hold(database, format, file);
    if (versionOf(database) < format.version) migrate(database, path, format);
    database.pragma('synchronous = NORMAL');
    database.pragma('temp_store = MEMORY');
    return database;
  } catch (error) {
    database?.close();
    if (!isDiskError(error)) throw error;
    throw unusable(file, reasonOf(error));
  }
}

/**
 * Makes a new file elsewhere and gives it its name when it is complete: neither another process, which may do the same at this moment,
 * nor the start after a crash ever finds half a file.
 */
function make(path: string, format: Format): void {
  const folder = mkdtempSync(`${path}.new-`);
  try {
    const fresh = join(folder, 'database');
    // SQLite gives its log and its shared memory the mode of the database: secrets are for the owner alone.
    closeSync(openSync(fresh, 'wx', 0o600));
    const database = new Database(fresh);
    layOut(database, format);
    database.pragma('journal_mode = WAL');
    database.close();
    if (!linked(fresh, path) && !existsSync(path)) renameSync(fresh, path);
  } catch (error) {
    // Another process was faster, and its file is as good.
    if (reasonOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts into an empty file what one of its format begins with. */
export function layOut(database: Database.Database, format: Format): void {
  database.pragma(`page_size = ${format.pageOctets ?? standingPageOctets}`);
  database.exec(`BEGIN; ${format.tables}; COMMIT`);
  database.pragma(`application_id = ${format.applicationId}`);
  database.pragma(`user_version = ${format.version}`);
}

/** Refuses a file of another kind, and one of a newer format. */
export function hold(database: Database.Database, format: Format, file: string): void {
  if (number(database, 'PRAGMA application_id') !== format.applicationId) throw refuse(errors.fileForeign, { file });
  const version = versionOf(database);
  if (version > format.version) throw refuse(errors.formatNewer, { file, found: version, known: format.version });
}

function number(database: Database.Database, query: string): number {
  return database.prepare<[], number>(query).pluck().get() ?? 0;
}
