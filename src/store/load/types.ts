import type { EntryRecord } from '../types.ts';

/** What is there before a load begins. */
export interface Existing {
  /** No entry at all. */
  readonly empty: boolean;
  /** The entryUUID of the entry of that name. */
  uuidAt(dnKey: Uint8Array): string | undefined;
  has(uuid: string): boolean;
  /** The newest entryCSN of the change log. */
  readonly newestCsn: string | undefined;
  /** Whether entries may keep the entryCSNs that they come with: where the log begins behind them. Elsewhere CSNs ascend with the changes. */
  readonly keepsCsns: boolean;
}

/** Where entries go that are loaded all or none. */
export interface Load {
  readonly existing: Existing;
  /**
   * Takes an entry: a new one, with a name and an entryUUID of its own, below a superior that is there or was put before.
   *
   * @returns when to go on, when it is not at once
   */
  put(entry: EntryRecord): Promise<void> | undefined;
}
