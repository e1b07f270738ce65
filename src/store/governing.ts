import { equalBytes } from '#base';
import type { WriterProgress } from './progress.ts';
import type { Change, Governs, StoredEntry } from './types.ts';

/** Which commit was the newest that touched an entry which governs others, as the thread that writes keeps it. */
export interface Governing {
  /** That of a snapshot which is opened now. */
  readonly number: number;
  /** A commit of this number touches such an entry, and is about to be seen. */
  note(number: number): void;
  /** What was noted can be seen. */
  keep(): void;
  /** What was noted is taken back, and its numbers will be those of other commits. */
  undo(): void;
}

/**
 * Nothing of it is on disk: what is worked out from entries is kept in memory, so no number before the newest commit is ever asked for.
 *
 * @param newest  the number of the newest commit at the start
 */
export function createGoverning(newest: number, progress: WriterProgress | undefined): Governing {
  let kept = newest;
  let noted = newest;
  const tell = (number: number) => {
    noted = number;
    progress?.governing(number);
  };
  tell(newest);
  return {
    get number() {
      return noted;
    },
    note: (number) => {
      if (number !== noted) tell(number);
    },
    keep: () => {
      kept = noted;
    },
    undo: () => {
      if (noted !== kept) tell(kept);
    },
  };
}

/**
 * Whether a change makes, changes or takes away an entry that governs others. An entry with lists does: they are of members. So does another name: what
 * governs speaks of names; and the end of an entry: somebody may have come in as it.
 */
export function touchesGoverning(governs: Governs, change: Change, before: StoredEntry | undefined): boolean {
  if (before !== undefined && (before.large.length > 0 || governs(before))) return true;
  if (before !== undefined && (change.kind === 'delete' || !equalBytes(before.dnKey, change.entry.dnKey))) return true;
  return change.kind === 'put' && governs(change.entry);
}
