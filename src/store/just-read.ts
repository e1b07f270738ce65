import type { StoredEntry } from './types.ts';

/**
 * Entries as the thread that writes has read them a moment ago. A write begins with what its decision has just read: looking for it again by entryUUID, and
 * reading it, took a fifth of a modify. Nobody else writes, and what is written is dropped, so that what is here is always the newest state.
 */
export interface JustRead {
  keep(entry: StoredEntry): void;
  of(uuid: string): StoredEntry | undefined;
  drop(uuid: string): void;
}

/** Decisions of some turns. */
const entriesMax = 1000;
/** A larger one is worth reading again. */
const octetsMax = 16_384;

export function createJustRead(): JustRead {
  const entries = new Map<string, StoredEntry>();
  return {
    keep(entry) {
      if (entry.user.length + entry.operational.length + entry.secret.length > octetsMax) return;
      if (entries.size >= entriesMax) entries.clear();
      entries.set(entry.uuid, entry);
    },
    of: (uuid) => entries.get(uuid),
    drop: (uuid) => void entries.delete(uuid),
  };
}
