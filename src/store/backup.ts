import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { type Contents, contentsOf, copyPages, makeWhole, octetsOf, verify } from './copy.ts';
import { directoryFormat } from './format.ts';
import { confirmLog, openFrozen } from './frozen.ts';
import { placeNew } from './names.ts';

export interface BackedUp extends Contents {
  /** Octets of the file. */
  readonly octets: number;
}

/**
 * Copies a file of entries into a new file, as it stands at this moment, while its owner goes on writing; reads the copy again and compares.
 * The copy is one file without a log, for its owner's eyes only, and it is there whole or not at all.
 *
 * @param onProgress  pages copied, pages in all
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005 for the source, STS-STORE-9009 when the copy cannot be written (it
 *   exists, say), STS-STORE-9010 when it is not what it should be
 */
export async function backUp(path: string, target: string, onProgress: (done: number, total: number) => void): Promise<BackedUp> {
  const source = openFrozen(path, directoryFormat);
  try {
    // What is seen may not be on disk yet, and a backup must not know more than the directory after a loss of power.
    confirmLog(path);
    const expected = contentsOf(source, basename(path));
    return await makeWhole(
      target,
      async (fresh) => {
        await copyPages(source, fresh, onProgress);
        withoutLog(fresh);
        verify(fresh, expected, basename(target));
        return { ...expected, octets: octetsOf(fresh) };
      },
      (fresh) => placeNew(fresh, target),
    );
  } finally {
    source.close();
  }
}

/** A file of the usual kind, which no second file belongs to. */
function withoutLog(path: string): void {
  const database = new Database(path);
  try {
    database.pragma('journal_mode = DELETE');
  } finally {
    database.close();
  }
}
