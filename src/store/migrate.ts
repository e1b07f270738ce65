import { closeSync, existsSync, fsyncSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { Format } from './database.ts';
import { placeNew } from './names.ts';
import { syncFolderOf } from './sync-folder.ts';

/**
 * Brings a file of an older format up to this one: a copy of it is put beside it, then all steps are one transaction that is on disk when
 * this returns. Several processes may come here at once; one of them does it.
 */
export function migrate(database: Database.Database, path: string, format: Format): void {
  keepCopy(database, path, versionOf(database));
  database.pragma('synchronous = FULL');
  database
    .transaction(() => {
      // Read again under the lock: another process may have been faster.
      for (let version = versionOf(database); version < format.version; version++) {
        const step = format.migrations[version - 1];
        if (step === undefined) throw new Error(`no way leads from format ${version} to ${version + 1}`);
        database.exec(step);
        database.pragma(`user_version = ${version + 1}`);
      }
    })
    .immediate();
}

/** The file as it was, under a name that no file has: `directory.sqlite.format-1`. It is there whole or not at all. */
function keepCopy(database: Database.Database, path: string, version: number): void {
  const folder = mkdtempSync(`${path}.new-`);
  try {
    const copy = join(folder, 'copy');
    // SQLite fills an empty file that is there: secrets are for the owner alone.
    const file = openSync(copy, 'wx', 0o600);
    try {
      database.prepare('VACUUM INTO ?').run(copy);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    placeNew(copy, freeName(`${path}.format-${version}`));
    syncFolderOf(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let number = 2; existsSync(name); number++) name = `${wanted}.${number}`;
  return name;
}

/** Of which version of its format a file is. */
export function versionOf(database: Database.Database): number {
  return database.prepare<[], number>('PRAGMA user_version').pluck().get() ?? 0;
}
