import { closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { refuse } from '#catalogue';
import { errors } from './errors.ts';
import { newestNumber, placesFormat } from './format.ts';
import { versionOf } from './migrate.ts';
import { isDiskError, whyOf } from './reasons.ts';
import { syncFolderOf } from './sync-folder.ts';

/** What a file of entries holds, for comparing a copy with what it was made of. */
export interface Contents {
  readonly entries: number;
  readonly indexRows: number;
  readonly changes: number;
  /** The number of the newest change. */
  readonly number: number;
  readonly epoch: number;
}

/** Pages copied between two turns of the loop. */
const stepPages = 1000;

/** Copies a file that is held in one read transaction; the copy is that moment whatever is written meanwhile. */
export async function copyPages(from: Database.Database, to: string, onProgress: (done: number, total: number) => void): Promise<void> {
  await from.backup(to, {
    progress: ({ totalPages, remainingPages }) => {
      onProgress(totalPages - remainingPages, totalPages);
      return stepPages;
    },
  });
}

/**
 * Reads what there is. A file of the first format is of the first epoch.
 *
 * @param name  the file, for the refusal
 * @throws Refusal  STS-STORE-9010 when it cannot be read
 */
export function contentsOf(database: Database.Database, name: string): Contents {
  const number = (query: string) => Number(database.prepare<[], number | string>(query).pluck().get() ?? 0);
  return wholeOrRefused(name, () => ({
    entries: number('SELECT count(*) FROM entry'),
    indexRows: number('SELECT count(*) FROM found'),
    changes: number('SELECT count(*) FROM change'),
    number: number(versionOf(database) < placesFormat ? 'SELECT max(number) FROM change' : newestNumber),
    epoch: number("SELECT value FROM fact WHERE name = 'epoch'") || 1,
  }));
}

/**
 * Reads a file again that was written: SQLite's check, and that it holds what it was made of.
 *
 * @throws Refusal  STS-STORE-9010
 */
export function verify(path: string, expected: Contents, name: string): void {
  wholeOrRefused(name, () => {
    const database = new Database(path, { readonly: true, fileMustExist: true });
    try {
      const faults = database.prepare<[], string>('PRAGMA integrity_check(1)').pluck().all();
      if (faults[0] !== 'ok') throw refuse(errors.backupDamaged, { file: name, why: faults[0] ?? 'SQLite could not check it' });
      const held = contentsOf(database, name);
      for (const [what, count] of Object.entries(expected)) {
        const own = held[what as keyof Contents];
        if (own !== count) throw refuse(errors.backupDamaged, { file: name, why: `${what}: ${own} instead of ${count}` });
      }
    } finally {
      database.close();
    }
  });
}

function wholeOrRefused<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw refuse(errors.backupDamaged, { file, why: whyOf(error) });
  }
}

/**
 * Makes a file in a folder of its own beside its place, and gives it its name when it is complete and on disk: there is never half of it.
 *
 * @param make   writes the file whose path it is given, which is there, empty, and readable by its owner only
 * @param place  gives it its name
 * @throws Refusal  STS-STORE-9009 when the disk refuses
 */
export async function makeWhole<T>(path: string, make: (fresh: string) => Promise<T>, place: (fresh: string) => void): Promise<T> {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(`${path}.new-`);
    const fresh = join(folder, 'copy');
    closeSync(openSync(fresh, 'wx', 0o600));
    const made = await make(fresh);
    syncFile(fresh);
    place(fresh);
    syncFolderOf(path);
    return made;
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw refuse(errors.backupFailed, { file: basename(path), why: whyOf(error) });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes what a process that was killed had begun to make of a file. The folder must be this process's. */
export function dropUnfinished(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(path)}.new-`)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

export function octetsOf(path: string): number {
  return statSync(path).size;
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
