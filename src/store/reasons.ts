import Database from 'better-sqlite3';
import { type Refusal, refuse } from '#catalogue';
import { errors } from './errors.ts';

/** True for what SQLite or the system reports about the disk, false for a defect of ours. */
export function isDiskError(error: unknown): boolean {
  if (error instanceof Database.SqliteError) return !/^SQLITE_(CONSTRAINT|ERROR|MISUSE|MISMATCH|RANGE|SCHEMA|TOOBIG)/.test(error.code);
  return error instanceof Error && 'syscall' in error;
}

/**
 * True where room, rights, memory or another process are in the way: such a reason says nothing against what lies in the file.
 *
 * @param reason  as `reasonOf` has it
 */
export function isHindrance(reason: string): boolean {
  if (/^E[A-Z0-9]+$/.test(reason)) return reason !== 'EIO';
  return /^SQLITE_(CANTOPEN|READONLY|PERM|AUTH|BUSY|LOCKED|NOMEM|FULL|IOERR_(SHM|NOMEM|ACCESS|\w*LOCK|WRITE))/.test(reason);
}

/** An error's code where it has one: its message might quote a path. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** What happened and what to do, by the words of SQLite and of the system; the first that fits. */
const told: readonly (readonly [reason: RegExp, words: string])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, 'its disk has no room left: make some there'],
  [/^(ENOMEM|SQLITE_(IOERR_)?NOMEM)$/, 'memory ran out: give it more'],
  [
    /^(EACCES|EPERM|SQLITE_PERM|SQLITE_AUTH|SQLITE_IOERR_ACCESS)$/,
    'this user may not: give the file to it, or act as the user whose it is',
  ],
  [/^(EROFS|SQLITE_READONLY\w*)$/, 'nothing can be written where it lies: mount that for writing, or take another place'],
  [/^SQLITE_CANTOPEN/, 'it, or a log beside it, can be neither opened nor made: look at the rights and the room of its folder'],
  [/^(EIO|SQLITE_IOERR\w*)$/, 'its disk failed: see what the system’s log says of it, and take another'],
  [/^ENOENT$/, 'it or its folder is not there: look at the path'],
  [/^EEXIST$/, 'there is something of that name: give another, or move it away'],
  [/^(EISDIR|ENOTDIR)$/, 'a folder is where a file should be, or a file where a folder should: look at the path'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'another process uses it: try again when that has ended'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'it is damaged: atrium doctor says how, and atrium restore brings a backup back'],
  [/^(EMFILE|ENFILE)$/, 'too many files are open: raise the limit'],
  [/^EFBIG$/, 'it is larger than files may be there: raise the limit, or take another place'],
];

/** The reason of an error for an operator: in words, and by its code for who looks it up. */
export function whyOf(error: unknown): string {
  return inWords(reasonOf(error));
}

/** @param reason  as `reasonOf` has it */
export function inWords(reason: string): string {
  const words = told.find(([pattern]) => pattern.test(reason))?.[1];
  return words === undefined ? reason : `${words} (${reason})`;
}

/** That a file cannot be read or written, with the reason both ways. */
export function unusable(file: string, reason: string): Refusal {
  return refuse(errors.fileUnusable, { file, why: inWords(reason), reason });
}

/** Reads something. @throws Refusal  STS-STORE-9005 for what the disk reports */
export function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isDiskError(error) ? unusable(file, reasonOf(error)) : error;
  }
}

/** The same for what is read one by one. */
export function* allReadable<T>(file: string, rows: Iterable<T>): Generator<T> {
  const iterator = rows[Symbol.iterator]();
  try {
    for (let next = readable(file, () => iterator.next()); next.done !== true; next = readable(file, () => iterator.next()))
      yield next.value;
  } finally {
    iterator.return?.();
  }
}
