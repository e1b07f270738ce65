import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '#base';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';
import { isDiskError, reasonOf, unusable } from './reasons.ts';

/** A data folder that is this process's alone until it is released or the process ends, however it ends. */
export interface FolderLock {
  release(): void;
}

interface Holder {
  readonly pid: number;
  /** When it took the folder, in the form of RFC 3339. */
  readonly since: string;
}

/**
 * Takes a folder for this process. The lock is one that SQLite holds on a file of its own, and that the system frees with the process.
 *
 * @param folder  must exist
 * @throws Refusal  STS-STORE-9002 naming who has it, STS-STORE-9005 when the folder cannot be written
 */
export function lockFolder(folder: string, clock: Clock): FolderLock {
  const path = join(folder, 'lock');
  const holderPath = join(folder, 'lock.holder');
  let database: Database.Database | undefined;
  try {
    database = lock(path);
    // Beside the locked file: nobody else can read that one.
    writeFileSync(
      `${holderPath}.new`,
      JSON.stringify({ pid: process.pid, since: new Date(clock.nowMs()).toISOString() } satisfies Holder),
      {
        mode: 0o600,
      },
    );
    renameSync(`${holderPath}.new`, holderPath);
  } catch (error) {
    database?.close();
    if (reasonOf(error) === 'SQLITE_BUSY') throw refuse(errors.folderInUse, { holder: describe(holderOf(holderPath)) });
    if (!isDiskError(error)) throw error;
    throw unusable('lock', reasonOf(error));
  }
  const own = database;
  held.add(own);
  return {
    release() {
      if (!held.delete(own)) return;
      rmSync(holderPath, { force: true });
      own.close();
    },
  };
}

/** A connection that nobody refers to is closed by the garbage collector, and its lock would be gone: these stay until they are released. */
const held = new Set<Database.Database>();

function lock(path: string): Database.Database {
  const database = new Database(path, { timeout: 0 });
  try {
    // An open transaction that writes nothing: the lock is taken, and no journal is left behind.
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function holderOf(path: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof holder !== 'object' || holder === null || !('pid' in holder) || !('since' in holder)) return undefined;
    const { pid, since } = holder;
    return typeof pid === 'number' && typeof since === 'string' ? { pid, since } : undefined;
  } catch {
    // Its holder has the lock and has not yet written its name.
    return undefined;
  }
}

function describe(holder: Holder | undefined): string {
  return holder === undefined ? 'another process' : `process ${holder.pid}, since ${holder.since},`;
}
