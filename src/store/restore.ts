import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { Refusal } from '#catalogue';
import { type Contents, contentsOf, copyPages, dropUnfinished, makeWhole, verify } from './copy.ts';
import { openDatabase } from './database.ts';
import { directoryFormat } from './format.ts';
import { openFrozen } from './frozen.ts';
import { linked } from './names.ts';
import { isDiskError, readable } from './reasons.ts';
import { syncFolderOf } from './sync-folder.ts';

export interface RestoreOptions {
  /** The backup. */
  readonly from: string;
  /** The file of entries, and that of short-lived state, which is not restored. Their folder must be locked. */
  readonly directory: string;
  readonly state: string;
  /** The folder, not there yet, into which both go when they are there. */
  readonly aside: string;
  /** The epoch is at least this: the seconds of the clock, so that two restores of one backup into empty folders do not share one. */
  readonly epochMin: number;
  /** Pages copied, pages in all. */
  readonly onProgress: (done: number, total: number) => void;
}

const busyMs = 1000;

/**
 * Puts a backup in the place of the file of entries, in a new epoch. What was there is moved aside whole and stays; at every instant the folder
 * has the old entries or the new.
 *
 * @returns what is there now
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005, STS-STORE-9010 for the backup, STS-STORE-9009 when it cannot be written
 */
export async function restore(options: RestoreOptions): Promise<Contents> {
  const { from, directory, epochMin, onProgress } = options;
  readable(basename(directory), () => dropUnfinished(directory));
  const source = openFrozen(from, directoryFormat);
  try {
    const held = contentsOf(source, basename(from));
    const epoch = Math.max(epochMin, held.epoch + 1, epochOf(directory) + 1);
    return await makeWhole(
      directory,
      async (fresh) => {
        await copyPages(source, fresh, onProgress);
        verify(fresh, held, basename(from));
        begin(fresh, epoch);
        return { ...held, epoch };
      },
      (fresh) => {
        moveAside(options);
        renameSync(fresh, directory);
      },
    );
  } finally {
    source.close();
  }
}

/** Begins the epoch in a copy, and makes it a file as the service opens it, of this format. */
function begin(path: string, epoch: number): void {
  const database = openDatabase(path, directoryFormat, busyMs);
  try {
    database.prepare("UPDATE fact SET value = ? WHERE name = 'epoch'").run(String(epoch));
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
}

/** The epoch of what is there; 0 when nothing is, or when it cannot be read. */
function epochOf(path: string): number {
  if (!existsSync(path)) return 0;
  let database: Database.Database | undefined;
  try {
    database = openFrozen(path, directoryFormat);
    return contentsOf(database, basename(path)).epoch;
  } catch (error) {
    if (error instanceof Refusal || isDiskError(error)) return 0;
    throw error;
  } finally {
    database?.close();
  }
}

function moveAside({ directory, state, aside }: RestoreOptions): void {
  if (!existsSync(directory) && !existsSync(state)) return;
  mkdirSync(aside, { mode: 0o700 });
  carryOver(directory);
  for (const path of [`${directory}-wal`, `${directory}-shm`, `${state}-wal`, `${state}-shm`, state]) {
    if (existsSync(path)) renameSync(path, join(aside, basename(path)));
  }
  // By a second name: until the new file takes the first one, the old entries stay where they are.
  const kept = join(aside, basename(directory));
  if (existsSync(directory) && !linked(directory, kept)) renameSync(directory, kept);
  syncFolderOf(join(aside, 'directory'));
  syncFolderOf(join(dirname(aside), 'aside'));
}

/** Lets SQLite carry the log over, so that the one file is all there is. A damaged file keeps its log and takes it along. */
function carryOver(path: string): void {
  if (!existsSync(path)) return;
  try {
    const database = new Database(path);
    try {
      database.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isDiskError(error)) throw error;
  }
}
