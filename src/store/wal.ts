import { closeSync, fdatasync, fstatSync, fsyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Refusal, refuse } from '#catalogue';
import { checkpointOf, type Pass } from './checkpoint.ts';
import { type Checkpointer, startCheckpointer } from './checkpointer.ts';
import { errors } from './errors.ts';
import { isDiskError, reasonOf } from './reasons.ts';
import { createRoomAhead } from './room-ahead.ts';

/** Asks the system to put a file's content on disk; `done` gets the error when it could not. */
export type SyncFile = (descriptor: number, done: (error: Error | null) => void) => void;

export const syncOnDisk: SyncFile = (descriptor, done) => fdatasync(descriptor, done);

/** For files that nobody will ever open again. */
export const syncNothing: SyncFile = (_, done) => void setImmediate(done, null);

interface Options {
  readonly path: string;
  /** The writing connection, for its settings. */
  readonly database: Database.Database;
  readonly walMib: number;
  /** False for a file that has no name any more: then no other thread can open it, and the log is carried over in this one. */
  readonly named: boolean;
  readonly syncFile: SyncFile;
  /** Asks other threads that read to let go, and resolves when they have. */
  readonly letGo?: () => Promise<void>;
  /** Told what the operator should know; nothing failed by it. */
  readonly report: (trouble: Refusal) => void;
  /** Told when an fsync failed, after which nothing may be answered. */
  readonly failed: (error: unknown) => void;
}

/**
 * The write-ahead log: when it is on disk, and how long it may grow.
 *
 * Once it has reached its bound it is carried over into the database by a thread of its own, in two passes. The first copies nearly all of it
 * while writing goes on. The second copies what came meanwhile, and for these few milliseconds no write begins: only a log that is carried over to its end begins
 * anew. A pass beside a writer that never rests would not get there, and the log would grow without end. Not left to SQLite's own checkpoints, which ignore a failed fsync.
 *
 * SQLite replaces the log's file only when the last connection closes, so that one descriptor serves from open to close. It may be closed
 * with `fs` at any time, unlike those of the database and its `-shm` file: POSIX locks are on those two.
 */
export class WriteAheadLog {
  readonly #options: Options;
  readonly #descriptor: number;
  readonly #framesMax: number;
  readonly #makeRoom: () => void;
  /** A connection beside the writing one: SQLite does not touch the log by one that is within a transaction. */
  readonly #database: Database.Database;
  readonly #size: Database.Statement<[], CheckpointRow>;
  readonly #checkpoint: () => Pass;
  readonly #checkpointer: Checkpointer | undefined;
  /** The length at which shortening is tried again, when something else holds the log. */
  #retryFrames = 0;
  #shortening: Promise<void> | undefined;
  #lastPass = false;
  #pagesUnseen = 0;

  /** To be made when SQLite has opened the log. */
  constructor(options: Options) {
    this.#options = options;
    this.#descriptor = openSync(`${options.path}-wal`, 'r+');
    const pageOctets = options.database.pragma('page_size', { simple: true });
    if (typeof pageOctets !== 'number') throw new Error('SQLite did not tell its page size');
    const limitOctets = options.walMib * 2 ** 20;
    this.#framesMax = Math.ceil(limitOctets / (pageOctets + frameHeaderOctets));
    options.database.pragma('wal_autocheckpoint = 0');
    options.database.pragma(`journal_size_limit = ${longestOf(options.walMib)}`);
    this.#makeRoom = options.named ? createRoomAhead(this.#descriptor, longestOf(options.walMib)) : () => undefined;
    this.#database = new Database(options.path, { fileMustExist: true });
    this.#size = this.#database.prepare<[], CheckpointRow>('PRAGMA wal_checkpoint(NOOP)').raw();
    this.#checkpoint = checkpointOf(this.#database);
    this.#checkpointer = options.named ? startCheckpointer(options.path) : undefined;
  }

  /** Puts what is written on disk, beside the loop. */
  sync(done: (error: Error | null) => void): void {
    this.#makeRoom();
    this.#options.syncFile(this.#descriptor, done);
  }

  /**
   * To be called after each batch: begins to carry the log over once it has reached its bound.
   *
   * @param pages  about how many the batch has written, at most: to ask SQLite takes as long as a tenth of a modify, and is not done each time
   */
  keepShort(pages: number): void {
    this.#pagesUnseen += pages;
    if (this.#shortening !== undefined || this.#pagesUnseen < this.#framesMax / 4) return;
    this.#pagesUnseen = 0;
    if (this.#frames() < Math.max(this.#framesMax, this.#retryFrames)) return;
    if (this.#checkpointer === undefined) this.shorten();
    else this.#shortening = this.#shortenBeside(this.#checkpointer);
  }

  /** What the next write has to wait for: the last pass, or any while the log is twice as long as it should be. */
  get wait(): Promise<void> | undefined {
    if (this.#shortening === undefined) return undefined;
    const isLong = this.#retryFrames === 0 && this.#frames() >= this.#framesMax * 2;
    return this.#lastPass || isLong ? this.#shortening : undefined;
  }

  /** Carries over, in this thread and at once, all that nobody is still reading. */
  shorten(): void {
    try {
      this.#judge(this.#checkpoint());
    } catch (error) {
      if (isSyncError(error) || !isDiskError(error)) throw error;
      this.#held(this.#frames(), reasonOf(error));
    }
  }

  /**
   * For the start: puts on disk all that an earlier process wrote, confirmed or not. Carrying it over writes it once more; but a log that could not be
   * synced is another one on disk than what the system shows, and with the power that older one would come back, in front of what was carried over. So it
   * goes, on disk too.
   *
   * @throws SqliteError, Error of `fsync`  when a sync failed
   */
  renew(): void {
    this.shorten();
    if (this.#checkpointer === undefined || fstatSync(this.#descriptor).size === 0) return;
    try {
      this.#truncate();
    } catch (error) {
      // A full disk has not taken all of it: then it stays, and with it what is read.
      if (isSyncError(error) || !isDiskError(error)) throw error;
    }
    fsyncSync(this.#descriptor);
  }

  /** Nothing is waited for: whoever reads an old state keeps the log. */
  #truncate(): void {
    this.#database.pragma('busy_timeout = 0');
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  async close(): Promise<void> {
    await this.#shortening;
    await this.#checkpointer?.close();
    this.#database.close();
    closeSync(this.#descriptor);
  }

  async #shortenBeside(checkpointer: Checkpointer): Promise<void> {
    try {
      await checkpointer.pass();
      this.#lastPass = true;
      // Whoever lets go and reads on reads the newest state, since nothing is written: no part of the log is held back.
      await this.#options.letGo?.();
      this.#judge(await checkpointer.pass());
      // Whoever begins to read now needs the database alone: the next write may begin the log anew.
      await this.#options.letGo?.();
    } catch (error) {
      if (isSyncError(error) || !isDiskError(error)) this.#options.failed(error);
      else this.#held(this.#frames(), reasonOf(error));
    } finally {
      this.#lastPass = false;
      this.#shortening = undefined;
    }
  }

  #judge({ frames, carried }: Pass): void {
    if (carried === frames) this.#retryFrames = 0;
    else this.#held(frames, 'something still reads an old state');
  }

  #frames(): number {
    return this.#size.get()?.[1] ?? 0;
  }

  #held(frames: number, why: string): void {
    this.#retryFrames = frames + this.#framesMax;
    if (frames < this.#framesMax) return;
    const mib = Math.round((frames / this.#framesMax) * this.#options.walMib);
    this.#options.report(refuse(errors.logHeld, { mib, why }));
  }
}

/**
 * Octets beyond which SQLite cuts the log's file back when the log begins anew: twice the bound, at which writing waits, and an eighth of that for what was written
 * last. Only a single great change exceeds it, so that the next round usually writes over what is there.
 */
export function longestOf(walMib: number): number {
  return walMib * 2.25 * 2 ** 20;
}

/** True when an fsync failed within SQLite: what it was to write may be lost, and asking again would hide that. */
export function isSyncError(error: unknown): boolean {
  return /^SQLITE_IOERR_(DIR_)?FSYNC$/.test(reasonOf(error));
}

/**
 * True when a commit that failed may stand whole in the log, where a crash would bring it back: SQLite writes it there before it makes it known in shared
 * memory, and could not do that any more. What is written next takes its place.
 */
export function isUnsureError(error: unknown): boolean {
  return /^SQLITE_(IOERR_)?(NOMEM|SHM\w+)$/.test(reasonOf(error));
}

type CheckpointRow = [busy: number, frames: number, carried: number];

const frameHeaderOctets = 24;
