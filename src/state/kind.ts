import { sha256 } from '#keys';
import type { StateRow, StateStore } from '#store';

/** One kind of short-lived record. */
export interface KindRow<T> {
  /** Namespaced and stable: it stands on disk. */
  readonly name: string;
  /** Reads what JSON gave back; `undefined` for what is not of this kind any more: such a row counts as gone. */
  readonly parse: (value: unknown) => T | undefined;
  /** Most rows in one realm; the least recently used goes first. The store's own bound holds beside it. Read at each put. */
  readonly rowsMax?: (realm: string) => number;
  /** Most rows of one owner; the least recently used of theirs goes first, and nobody else's. */
  readonly ownerRowsMax?: number;
  /** Whose rows go before all others where there is no room; the least recently used of them first. */
  readonly firstToGo?: string;
  /** Told of each row that went without its holder asking for it. */
  readonly gone?: (kept: Kept<T>, why: 'expired' | 'evicted') => void;
  /** Done behind each sweep, when there may be room again: for what could not be written before. */
  readonly atSweep?: () => Promise<void>;
}

/** A record as it was read. */
export interface Kept<T> {
  readonly value: T;
  readonly realm: string;
  /** Whose it is; empty when nobody's. */
  readonly owner: string;
  readonly expiresAtMs: number;
  /** SHA-256 of the token, base64url. */
  readonly key: string;
  /** The text on disk, against which a replacement is compared. */
  readonly text: string;
}

/** Records of one kind. Each call is one step: nothing comes between its reading and its writing. */
export interface Kind<T> {
  /** The token is one that was never put before. */
  put(realm: string, token: string, value: T, expiresAtMs: number, owner?: string): Promise<void>;
  /** The same of a token that may have been put: false when it is there, and nothing is changed. Of several processes that do so at once one is first. */
  putNew(realm: string, token: string, value: T, expiresAtMs: number, owner?: string): Promise<boolean>;
  /** Notes a token that nobody noted before, with nothing under it: of several who do so at once one is first. Once noted it is until it ends. */
  claim(realm: string, token: string, expiresAtMs: number): Promise<boolean>;
  get(realm: string, token: string): Promise<Kept<T> | undefined>;
  /** Gets and removes: of several takers one gets it. */
  take(realm: string, token: string): Promise<Kept<T> | undefined>;
  /**
   * Puts a value in place of one that is still as it was read. `undefined` when it is not.
   *
   * @param owner  whose it is from now on; by default whose it was
   */
  replace(kept: Kept<T>, value: T, expiresAtMs?: number, owner?: string): Promise<Kept<T> | undefined>;
  /** As `replace`, and the row becomes the most recently used. */
  touch(kept: Kept<T>, value: T, expiresAtMs?: number): Promise<Kept<T> | undefined>;
  /** True when it was there. */
  remove(kept: Kept<T>): Promise<boolean>;
  /** The rows of an owner, or of the whole realm, the least recently used first. */
  list(realm: string, owner: string | undefined, limit: number): Promise<Kept<T>[]>;
  /** Some of the rows of an owner, or of the whole realm, the most recently used first. What is used between two pages is on neither, or on both. */
  page(realm: string, asked: PageAsked<T>): Promise<KeptPage<T>>;
}

export interface PageAsked<T> {
  readonly owner?: string | undefined;
  readonly limit: number;
  /** `next` of the page before. */
  readonly behind?: number | undefined;
  /** Which of them are meant; all, when absent. */
  readonly fits?: (kept: Kept<T>) => boolean;
}

export interface KeptPage<T> {
  readonly kept: readonly Kept<T>[];
  /** Where it ended, when there may be more. */
  readonly next?: number | undefined;
}

/** Rows that are read at once for a page, and those that are looked at for one before it ends with what was found. */
const rowsAtOnce = 500;
const lookedMax = 10_000;

/** What a kind needs of the store, and what the sweep needs of a kind. */
export interface OpenKind<T> extends Kind<T> {
  /** Tells the kind that a row of it is gone. */
  readonly swept: (row: StateRow) => void;
}

/** Opens a kind on a store. */
export function openKind<T>(row: KindRow<T>, store: StateStore, sweep: () => void): OpenKind<T> {
  const tell = (stored: StateRow, why: 'expired' | 'evicted') => {
    const kept = read(row, stored);
    if (kept !== undefined) row.gone?.(kept, why);
  };
  const makeRoomOf = (kind: string, owner: string, rowsMax: number) => {
    // There are more than that only where several processes put at one moment.
    const theirs = store.list(kind, owner, rowsMax * 2);
    for (const oldest of theirs.slice(0, Math.max(0, theirs.length - rowsMax + 1)))
      if (store.delete(kind, oldest.key)) tell(oldest, 'evicted');
  };
  const makeRoom = (kind: string, rowsMax: number) => {
    if (store.count(kind) < rowsMax) return;
    sweep();
    while (store.count(kind) >= rowsMax) {
      const first = row.firstToGo === undefined ? [] : store.list(kind, row.firstToGo, 1);
      const [oldest] = first.length > 0 ? first : store.list(kind, undefined, 1);
      if (oldest === undefined || !store.delete(kind, oldest.key)) return;
      tell(oldest, 'evicted');
    }
  };

  const all = (rows: readonly StateRow[]) =>
    rows.flatMap((stored) => {
      const kept = read(row, stored);
      return kept === undefined ? [] : [kept];
    });
  const roomFor = (realm: string, owner: string): string => {
    const kind = kindOf(row.name, realm);
    if (row.ownerRowsMax !== undefined && owner !== '') makeRoomOf(kind, owner, row.ownerRowsMax);
    if (row.rowsMax !== undefined) makeRoom(kind, row.rowsMax(realm));
    return kind;
  };
  return {
    put: async (realm, token, value, expiresAtMs, owner = '') => {
      const kind = roomFor(realm, owner);
      for (const evicted of store.put(kind, keyOf(token), JSON.stringify(value), expiresAtMs, owner)) tell(evicted, 'evicted');
    },
    putNew: async (realm, token, value, expiresAtMs, owner = '') => {
      const [key, text] = [keyOf(token), JSON.stringify(value)];
      const stored = store.get(kindOf(row.name, realm), key);
      // No room is made for what is there: it might go itself, and be put once more.
      if (read(row, stored) !== undefined) return false;
      // What is not of this kind any more counts as gone.
      if (stored !== undefined) return store.replace(stored.kind, key, stored.value, text, expiresAtMs, owner);
      const evicted = store.putNew(roomFor(realm, owner), key, text, expiresAtMs, owner);
      for (const each of evicted ?? []) tell(each, 'evicted');
      return evicted !== undefined;
    },
    claim: async (realm, token, expiresAtMs) => {
      const [kind, key] = [kindOf(row.name, realm), keyOf(token)];
      // Likewise: room that is made must not be that of the very one.
      if (store.get(kind, key) !== undefined) return false;
      if (row.rowsMax !== undefined) makeRoom(kind, row.rowsMax(realm));
      return store.countUp([{ kind, key, limit: 1, expiresAtMs }]).kind === 'counted';
    },
    get: async (realm, token) => read(row, store.get(kindOf(row.name, realm), keyOf(token))),
    take: async (realm, token) => read(row, store.take(kindOf(row.name, realm), keyOf(token))),
    replace: async (kept, value, expiresAtMs, owner = kept.owner) => {
      const text = JSON.stringify(value);
      const done = store.replace(kindOf(row.name, kept.realm), kept.key, kept.text, text, expiresAtMs, owner);
      return done ? { ...kept, value, text, owner, expiresAtMs: expiresAtMs ?? kept.expiresAtMs } : undefined;
    },
    touch: async (kept, value, expiresAtMs = kept.expiresAtMs) => {
      const text = JSON.stringify(value);
      const done = store.touch(kindOf(row.name, kept.realm), kept.key, kept.text, text, expiresAtMs);
      return done ? { ...kept, value, text, expiresAtMs } : undefined;
    },
    remove: async (kept) => store.delete(kindOf(row.name, kept.realm), kept.key),
    list: async (realm, owner, limit) => all(store.list(kindOf(row.name, realm), owner, limit)),
    page: async (realm, asked) => pageOf(row, store, realm, asked),
    swept: (stored) => tell(stored, 'expired'),
  };
}

function pageOf<T>(row: KindRow<T>, store: StateStore, realm: string, { owner, limit, behind, fits }: PageAsked<T>): KeptPage<T> {
  const found: Kept<T>[] = [];
  const atOnce = Math.min(limit + 1, rowsAtOnce);
  let place = behind;
  for (let looked = 0; looked < lookedMax; looked += atOnce) {
    const rows = store.latest(kindOf(row.name, realm), owner, atOnce, place);
    for (const stored of rows) {
      const kept = read(row, stored);
      if (kept !== undefined && (fits === undefined || fits(kept))) {
        if (found.length === limit) return { kept: found, next: place };
        found.push(kept);
      }
      place = stored.place;
    }
    if (rows.length < atOnce) return { kept: found };
  }
  return { kept: found, next: place };
}

/** The kind's name of a stored row. */
export function nameOf(storedKind: string): string {
  return storedKind.slice(0, storedKind.indexOf('/'));
}

function kindOf(name: string, realm: string): string {
  return `${name}/${realm}`;
}

function realmOf(name: string, storedKind: string): string {
  return storedKind.slice(name.length + 1);
}

function keyOf(token: string): string {
  return Buffer.from(sha256(token)).toString('base64url');
}

function read<T>(row: KindRow<T>, stored: StateRow | undefined): Kept<T> | undefined {
  if (stored === undefined) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(stored.value);
  } catch {
    return undefined;
  }
  const value = row.parse(json);
  if (value === undefined) return undefined;
  const realm = realmOf(row.name, stored.kind);
  return { value, realm, owner: stored.owner, expiresAtMs: stored.expiresAtMs, key: stored.key, text: stored.value };
}
