import type { Column, Scan, Scanned } from './column.ts';
import { partsMax } from './format.ts';
import type { List } from './slices.ts';

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
  /** The attributes that have too many values to lie in `user`: to be asked of the snapshot. */
  readonly large: readonly List[];
}

/** What the search path reads: no secret is ever fetched for it. Its parts may be views of a cache: they never change, and are not to be written to. */
export interface ReadableEntry extends Omit<StoredEntry, 'secret'> {
  /** The DN as it travels. */
  readonly dnOctets: Uint8Array;
  /** The user attributes and behind them the operational ones. */
  readonly attributes: Uint8Array;
  /** Octets of all its attributes. */
  readonly octets: number;
  /** Whether this is its entryUUID, for less than it takes to read it. */
  hasUuid(uuid: string): boolean;
  /** A number that no other entry and no other state of this one ever has in this process. */
  readonly version: number;
}

/** One key under which an entry is found: the attribute's canonical name in lower case, and the normalized value. */
export interface IndexKey {
  /** The store gives each name a small number of its own on disk. */
  readonly attribute: string;
  readonly key: Uint8Array;
  /** The entry is also found by what stands anywhere in the key. */
  readonly inside?: boolean;
}

/**
 * Computes the index keys of an entry. Given by the directory when it opens the store, since only the schema knows them.
 * Name, superior and entryUUID need no keys from it: the store finds entries by these itself.
 *
 * @param other  another state of the entry: then names may be left out under which both have the same keys, as most are at a modify
 */
export type Indexer = (entry: EntryRecord, other?: EntryRecord) => readonly IndexKey[];

/**
 * Whether an entry says what holds for others: rules, realms, policies, groups. Given by the directory when it opens the store. An entry with lists
 * always does: lists are of members.
 */
export type Governs = (entry: EntryRecord) => boolean;

/** What the schema says of attributes with very many values. Given when the store is opened. */
export interface LargeRules {
  /**
   * Takes attributes with very many values out of an entry. Each value is an octet string of its own that can be copied into an answer, with a key that
   * no other value of the attribute has, of at most `keyOctetsMax` octets.
   */
  readonly split: (entry: EntryRecord) => {
    readonly entry: EntryRecord;
    readonly lists: readonly {
      readonly attribute: string;
      readonly description: string;
      readonly values: readonly { readonly octets: Uint8Array; readonly key: Uint8Array }[];
    }[];
  };
  /** The same, a little at each step; nothing where nothing is to be taken out. */
  readonly splitInSteps: (entry: EntryRecord) => Generator<undefined, ReturnType<LargeRules['split']>> | undefined;
  /** The key of one value; nothing for octets that are none. */
  readonly keyOf: (attribute: string, value: Uint8Array) => Uint8Array | undefined;
}

/** What becomes of one list of an entry: values in the form in which `LargeRules` give them. */
export interface ListChange {
  readonly attribute: string;
  readonly description: string;
  readonly removed: readonly Uint8Array[];
  readonly added: readonly Uint8Array[];
}

/** The DN keys below one, as a range; without an end below the root, whose key is empty. Given when the store is opened: `keysBelow` of the schema. */
export type KeysBelow = (dnKey: Uint8Array) => { readonly from: Uint8Array; readonly before: Uint8Array | undefined };

/** What must still be so for a commit to be taken. */
export type Expectation =
  | { readonly kind: 'unchanged'; readonly uuid: string; readonly csn: string }
  | { readonly kind: 'absent'; readonly dnKey: Uint8Array }
  | { readonly kind: 'childless'; readonly uuid: string }
  /** No entry has this entryUUID: a `put` would else take the place of the one that has it. */
  | { readonly kind: 'unused'; readonly uuid: string }
  /** No other entries are found by an index key than these, and none of them has changed; not all of them need be. */
  | {
      readonly kind: 'held';
      readonly attribute: string;
      readonly key: Uint8Array;
      readonly by: readonly { readonly uuid: string; readonly csn: string }[];
    }
  /** Just so many entries have this one as their superior. */
  | { readonly kind: 'children'; readonly uuid: string; readonly count: number }
  /** Just so many entries have DN keys from here on and before there: a range that `keysBelow` gives. */
  | { readonly kind: 'between'; readonly from: Uint8Array; readonly before: Uint8Array; readonly count: number }
  /** Just so many rows of an index begin with this, as `countWithin` counts them. */
  | { readonly kind: 'within'; readonly attribute: string; readonly prefix: Uint8Array; readonly count: number };

/**
 * One final change. Names entryUUIDs, CSNs and final values; never row numbers. A `put` says all of an entry. An `amend` says all but its lists, and names
 * each of them with what becomes of it: so a new member of a large group is one value, to the commit and to the log.
 *
 * `drops` says how many values of lists go with a `put` or a `delete`: it is known by that that these are much work, and nothing depends on it otherwise.
 */
export type Change =
  | { readonly kind: 'put'; readonly entry: EntryRecord; readonly drops?: number }
  | { readonly kind: 'amend'; readonly entry: EntryRecord; readonly lists: readonly ListChange[] }
  | { readonly kind: 'delete'; readonly uuid: string; readonly csn: string; readonly drops?: number };

export type CommitResult =
  | {
      readonly kind: 'committed';
      readonly number: number;
      /** Of its changes in their order, where the thread that writes has given them. */
      readonly csns?: readonly string[];
    }
  | { readonly kind: 'conflict'; readonly failed: Expectation };

/** How a commit of very many new entries ends; `gaveWay` when others came to write meanwhile: then nothing of it was written. */
export type BulkResult = CommitResult | { readonly kind: 'gaveWay' };

/**
 * Consistent reads: everything from one snapshot, synchronous. Good until the caller yields to the event loop: one that is used after a
 * commit throws, since it would mix two states.
 *
 * Index keys beyond `keyOctetsMax` octets are cut, when stored and when asked for: what an index returns are candidates, to be judged by the filter.
 */
export interface Snapshot {
  /** The commit number inside the snapshot. Answers that depend on it wait for `durable(number)`. */
  readonly number: number;
  /**
   * The governing number: that of the newest commit that touched an entry which governs others (`Governs`). What was worked out from such entries
   * in a snapshot is good in this one as long as that one's `number` is not below it.
   */
  readonly governing: number;
  /** The CSN of the newest change inside the snapshot; nothing when there is none. */
  readonly csn: string | undefined;
  /** How many rows of indexes and entries this snapshot has read, for `explain`. */
  readonly visited: number;
  byDnKey(dnKey: Uint8Array): StoredEntry | undefined;
  /** The row number that `byDnKey` would find, without reading the entry. */
  idOf(dnKey: Uint8Array): number | undefined;
  byUuid(uuid: string): StoredEntry | undefined;
  byId(id: number): StoredEntry | undefined;
  /** As `byId`, without the secret attributes: for search. */
  readable(id: number): ReadableEntry | undefined;
  /** Whether a list of an entry has the value of a key. */
  hasValue(id: number, attribute: string, key: Uint8Array): boolean;
  /** All values of a list, each piece some of them one behind the other. */
  valuesOf(list: List): Uint8Array[];
  /** Ids under one index key, ascending, from behind `afterId` on; stops at `limit`. */
  idsEqual(attribute: string, key: Uint8Array, limit: number, afterId?: number): number[];
  /**
   * Ids under keys that begin with `prefix` (an empty one: every entry that has a key), each once, ascending. Nothing when there are more than
   * `rowsMax` such keys: they would have to be read in one step, since they do not stand in the order of ids.
   */
  idsPrefix(attribute: string, prefix: Uint8Array, rowsMax: number): number[] | undefined;
  /** How many ids an equality has, counted up to `limit`: for choosing the cheapest branch. */
  countEqual(attribute: string, key: Uint8Array, limit: number): number;
  /** How many rows of an index have keys that begin with `prefix`, one for each entry and value, counted up to `limit`. */
  countWithin(attribute: string, prefix: Uint8Array, limit: number): number;
  /**
   * Ids under keys in which all of these parts may stand, ascending: candidates, among them every entry that has such a key. Only for attributes
   * whose keys the indexer gives as `inside`. Nothing when the parts say too little: all are shorter than four octets, or of what most keys hold.
   */
  idsInside(attribute: string, parts: readonly Uint8Array[], limit: number): number[] | undefined;
  /** About how many ids that are, counted up to `limit`, and for less than it takes to find them. */
  countInside(attribute: string, parts: readonly Uint8Array[], limit: number): number | undefined;
  /** Ids of the direct children, ascending, from behind `afterId` on (0 for the first), at most `limit`. */
  children(uuid: string, afterId: number, limit: number): number[];
  /**
   * Ids of a whole subtree with its base, superiors before what is below them, at most `limit`. To go on after a pause pass the `dnKey`
   * of the last entry that was read: it stays a place in the order even when that entry is gone. An empty `dnKey` means every entry.
   */
  subtree(dnKey: Uint8Array, afterDnKey: Uint8Array | undefined, limit: number): number[];
  hasChildren(uuid: string): boolean;
  countChildren(uuid: string): number;
  /** Whether an entry has fewer children than so many; they are counted no further, and by their names alone. */
  hasFewerChildren(uuid: string, count: number): boolean;
  /** The same of all below a name. */
  hasFewerBelow(dnKey: Uint8Array, count: number): boolean;
  /** The greatest id that an entry has. */
  lastId(): number;
  /** One step of a look through all entries for what they have of an attribute. What it gives are candidates: none is missing, some may not fit. */
  scan(scan: Scan): Scanned;
  /** What a whole scan is as much work as, in entries read; `undefined` when there is no room for such a column. */
  scanCost(column: Column): number | undefined;
}

/** One change of a commit. All changes of a commit have its number, and stand in the order in which they were given. */
export interface ChangeRecord {
  readonly number: number;
  readonly csn: string;
  readonly change: Change;
}

/** A durable change as those who watch hear of it. */
export interface WatchedChange extends ChangeRecord {
  /** The entry as it was; nothing for one that was not there. */
  readonly before: StoredEntry | undefined;
}

/** A place in the change log: behind a part of a commit. Behind all of its parts, whatever their number: `wholeCommit`. */
export interface LogPlace {
  readonly number: number;
  readonly part: number;
}

export const wholeCommit = partsMax - 1;

/** A change as the log has it: without what was before, but for the name. */
export interface LogRow extends ChangeRecord, LogPlace {
  /** The name that the entry had; nothing for one that was not there. */
  readonly former: string | undefined;
}

/** Of which entry a change is, and whether it came, went or was given another name by it. */
export interface LogMark extends LogPlace {
  readonly uuid: string;
  readonly moved: boolean;
}

/** The durable part of the change log. */
export interface ChangeLog {
  /** The number of the newest commit, and that of the oldest which the log still has. */
  newest(): number;
  oldest(): number;
  /** The CSN that stands for all changes up to a commit: that of its last. */
  csnOf(number: number): string | undefined;
  /** The commit that has this CSN as its last; nothing when the log has none. */
  numberOf(csn: string): number | undefined;
  /** Behind a place, in order: at most `limit`, and no more, but one, when they come to `octetsMax` together. */
  rows(after: LogPlace, limit: number, octetsMax: number): LogRow[];
  marks(after: LogPlace, limit: number): LogMark[];
}

/** The one system of record. All of a commit is on disk, or nothing of it. */
export interface Store {
  /**
   * Which life of the directory this is. A restore begins another, with a greater number: whatever is kept elsewhere and must not outlive a
   * restore (sessions, single-use codes, what was signed) remembers the epoch in which it was made, and is worth nothing in another.
   */
  readonly epoch: number;
  /** The newest snapshot. Cheap: the read transaction is held and reopened only after a commit. */
  snapshot(): Snapshot;
  /** The governing number (`Snapshot.governing`) of a snapshot that is taken now. Moves in the turn of the loop in which its commit can be seen. */
  readonly governing: number;
  /** Resolves when the commit of that number is on disk; at once when it already is. */
  durable(number: number): Promise<void> | undefined;
  /**
   * Takes changes if the expectations hold. What arrives in one turn of the event loop is one transaction.
   * Resolves only when the commit is on disk; a commit without changes resolves when all that it could see is. Expectations are judged
   * in the order of the calls; a conflict touches no other commit. Never resolves once the disk has failed: then `fatal` was called.
   *
   * @throws Refusal  STS-STORE-0067 (LDAP 52) when there is no space or the disk refuses; STS-STORE-9006 (LDAP 51) when too many wait
   * @throws Error    for changes that cannot be: two entries of one DN, a DN key of nothing. Nothing of that commit is kept
   */
  commit(expected: readonly Expectation[], changes: readonly Change[]): Promise<CommitResult>;
  /**
   * The same for very many new entries, for less work of each: those that are expected to be `absent` and `unused`. Others who come to write meanwhile
   * are served first, and nothing of it is written: then it is asked again in small commits. Only in the thread that writes.
   */
  bulk(expected: readonly Expectation[], changes: readonly Change[]): Promise<BulkResult>;
  /** The change log from behind a number on, in order, at most `limit` changes. Its oldest are gone when it is longer than its bound. */
  changes(afterNumber: number, limit: number): ChangeRecord[];
  readonly log: ChangeLog;
  /**
   * Called after each durable commit, in order, until the function that comes back is called. `begun` is called once nothing is missed any more: at
   * once in the thread that writes. Nobody who watches may throw.
   */
  watch(listener: (changes: readonly WatchedChange[]) => void, begun?: () => void): () => void;
  /** Waits for what is under way, then closes the files. */
  close(): Promise<void>;
}
