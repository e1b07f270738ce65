/**
 * What the store keeps of an entry. Attribute parts are concatenated PartialAttribute TLVs (RFC 4511 §4.1.7), encoded once when written,
 * so that a search copies them as they are.
 */
export interface EntryRecord {
  /** Lower-case text form. */
  readonly uuid: string;
  /** The superior's entryUUID; `undefined` for the entry at a suffix. */
  readonly parent: string | undefined;
  /** The DN as given. */
  readonly dn: string;
  /** `normalizeDn` of it: unique, root first, a prefix of the keys of all entries below. */
  readonly dnKey: Uint8Array;
  /** entryCSN of the last change. */
  readonly csn: string;
  readonly user: Uint8Array;
  readonly operational: Uint8Array;
  /** Attributes that no search ever reads (`userPassword`, sealed ones). Kept apart so that the search path cannot leak them. */
  readonly secret: Uint8Array;
}

/** An entry as read: the record and the row number it has in this process, which is good only until the next change. */
export interface StoredEntry extends EntryRecord {
  readonly id: number;
}

/** One key under which an entry is found: the attribute's canonical name in lower case, and the normalized value. */
export interface IndexKey {
  /** The store gives each name a small number of its own on disk. */
  readonly attribute: string;
  readonly key: Uint8Array;
}

/** Computes the index keys of an entry. Given by the directory when it opens the store, since only the schema knows them. */
export type Indexer = (entry: EntryRecord) => readonly IndexKey[];

/** What must still be so for a commit to be taken. */
export type Expectation =
  | { readonly kind: 'unchanged'; readonly uuid: string; readonly csn: string }
  | { readonly kind: 'absent'; readonly dnKey: Uint8Array }
  | { readonly kind: 'childless'; readonly uuid: string };

/** One final change. Names entryUUIDs, CSNs and final values; never row numbers. */
export type Change =
  | { readonly kind: 'put'; readonly entry: EntryRecord }
  | { readonly kind: 'delete'; readonly uuid: string; readonly csn: string };

export type CommitResult =
  | { readonly kind: 'committed'; readonly number: number }
  | { readonly kind: 'conflict'; readonly failed: Expectation };

/** Consistent reads: everything from one snapshot, synchronous. Good until the caller yields to the event loop. */
export interface Snapshot {
  /** The commit number inside the snapshot. Answers that depend on it wait for `durable(number)`. */
  readonly number: number;
  byDnKey(dnKey: Uint8Array): StoredEntry | undefined;
  byUuid(uuid: string): StoredEntry | undefined;
  byId(id: number): StoredEntry | undefined;
  /** Ids under one index key, ascending; stops at `limit`. */
  idsEqual(attribute: string, key: Uint8Array, limit: number): number[];
  /** Ids under keys that begin with `prefix`. */
  idsPrefix(attribute: string, prefix: Uint8Array, limit: number): number[];
  /** How many ids an equality has, counted up to `limit`: for choosing the cheapest branch. */
  countEqual(attribute: string, key: Uint8Array, limit: number): number;
  /** Ids of the direct children, and of a whole subtree with its base, from `afterId` on, at most `limit`. */
  children(uuid: string, afterId: number, limit: number): number[];
  subtree(dnKey: Uint8Array, afterId: number, limit: number): number[];
  hasChildren(uuid: string): boolean;
}

export interface ChangeRecord {
  readonly number: number;
  readonly csn: string;
  readonly change: Change;
}

/** The one system of record. All of a commit is on disk, or nothing of it. */
export interface Store {
  /** The newest snapshot. Cheap: the read transaction is held and reopened only after a commit. */
  snapshot(): Snapshot;
  /** Resolves when the commit of that number is on disk; at once when it already is. */
  durable(number: number): Promise<void> | undefined;
  /**
   * Takes changes if the expectations hold. What arrives in one turn of the event loop is one transaction.
   * Resolves only when the commit is on disk. Rejects with a refusal (no space: STS-STORE-…, LDAP 52).
   */
  commit(expected: readonly Expectation[], changes: readonly Change[]): Promise<CommitResult>;
  /** Called after each durable commit, in order. */
  watch(listener: (changes: readonly ChangeRecord[]) => void): () => void;
  close(): Promise<void>;
}
