import { closeSync, fdatasync, openSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { type Refusal, refuse } from '#catalogue';
import { isDiskError, reasonOf } from './database.ts';
import { errors } from './errors.ts';

/** Asks the system to put a file's content on disk; `done` gets the error when it could not. */
export type SyncFile = (descriptor: number, done: (error: Error | null) => void) => void;

export const syncOnDisk: SyncFile = (descriptor, done) => fdatasync(descriptor, done);

/** For files that nobody will ever open again. */
export const syncNothing: SyncFile = (_, done) => void setImmediate(done, null);

interface Options {
  readonly database: Database.Database;
  readonly path: string;
  readonly walMib: number;
  readonly syncFile: SyncFile;
  /** Lets go of this process's own reading, without which the log could not begin anew. */
  readonly release: () => void;
  /** Told what the operator should know; nothing failed by it. */
  readonly report: (trouble: Refusal) => void;
}

/**
 * The write-ahead log: when it is on disk, and how long it may grow.
 *
 * SQLite replaces the log's file only when the last connection closes, so that one descriptor serves from open to close. It may be closed
 * with `fs` at any time, unlike those of the database and its `-shm` file: POSIX locks are on those two.
 */
export class WriteAheadLog {
  readonly #options: Options;
  readonly #descriptor: number;
  readonly #framesMax: number;
  readonly #size: Database.Statement<[], CheckpointRow>;
  readonly #checkpoint: Database.Statement<[], CheckpointRow>;
  /** The length at which shortening is tried again, when something else holds the log. */
  #retryFrames = 0;

  /** To be made when SQLite has opened the log. */
  constructor(options: Options) {
    this.#options = options;
    this.#descriptor = openSync(`${options.path}-wal`, 'r');
    const pageOctets = options.database.pragma('page_size', { simple: true });
    if (typeof pageOctets !== 'number') throw new Error('SQLite did not tell its page size');
    const limitOctets = options.walMib * 2 ** 20;
    this.#framesMax = Math.ceil(limitOctets / (pageOctets + frameHeaderOctets));
    options.database.pragma('wal_autocheckpoint = 0');
    // A single great change may exceed the bound; the file is cut back when the log begins anew.
    options.database.pragma(`journal_size_limit = ${limitOctets}`);
    this.#size = options.database.prepare<[], CheckpointRow>('PRAGMA wal_checkpoint(NOOP)').raw();
    this.#checkpoint = options.database.prepare<[], CheckpointRow>('PRAGMA wal_checkpoint(PASSIVE)').raw();
  }

  /** Puts what is written on disk, beside the loop. */
  sync(done: (error: Error | null) => void): void {
    this.#options.syncFile(this.#descriptor, done);
  }

  /**
   * Carries the log over into the database once it has reached its bound. Not left to SQLite, which ignores a failed fsync there.
   *
   * @throws SqliteError  `SQLITE_IOERR_FSYNC` and its like, after which nothing may be answered
   */
  keepShort(): void {
    const frames = this.#size.get()?.[1] ?? 0;
    if (frames >= Math.max(this.#framesMax, this.#retryFrames)) this.shorten();
  }

  /** Carries over all that no other process is still reading. */
  shorten(): void {
    this.#options.release();
    try {
      const [, frames, carried] = this.#checkpoint.get() ?? [0, 0, 0];
      if (carried === frames) this.#retryFrames = 0;
      else this.#held(frames, 'another process reads an old state');
    } catch (error) {
      if (isSyncError(error) || !isDiskError(error)) throw error;
      this.#held(this.#size.get()?.[1] ?? 0, reasonOf(error));
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #held(frames: number, why: string): void {
    this.#retryFrames = frames + this.#framesMax;
    if (frames < this.#framesMax) return;
    const mib = Math.round((frames / this.#framesMax) * this.#options.walMib);
    this.#options.report(refuse(errors.logHeld, { mib, why }));
  }
}

/** True when an fsync failed within SQLite: what it was to write may be lost, and asking again would hide that. */
export function isSyncError(error: unknown): boolean {
  return /^SQLITE_IOERR_(DIR_)?FSYNC$/.test(reasonOf(error));
}

type CheckpointRow = [busy: number, frames: number, carried: number];

const frameHeaderOctets = 24;
