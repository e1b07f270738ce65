import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the name of a new file survive a loss of power. */
export function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Makes a folder and those above it that are missing, for the owner alone. Each one's name is on disk when this returns: what is put on disk
 * in a folder is lost all the same when the folder's own name is.
 *
 * @param path  absolute
 */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) syncFolderOf(made);
}
