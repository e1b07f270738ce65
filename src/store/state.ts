import Database from 'better-sqlite3';
import type { Clock } from '#base';
import { refuse, type SettingValues } from '#catalogue';
import { type Format, openDatabase, placeOf, smallPageOctets } from './database.ts';
import { errors } from './errors.ts';
import { isDiskError, whyOf } from './reasons.ts';
import { createSeen, type Seen } from './seen.ts';
import type { settings as rows } from './settings.ts';

/** One row of short-lived state. */
export interface StateRow {
  readonly kind: string;
  readonly key: string;
  readonly value: string;
  /** Whose it is, for `list`; empty when nobody's. */
  readonly owner: string;
  /** From this moment on it is not there any more. */
  readonly expiresAtMs: number;
}

/** A row with its place among all: the younger, the larger. */
export interface PlacedRow extends StateRow {
  readonly place: number;
}

/** A number that counts up to a limit, from its first unit until it ends. */
export interface Counter {
  readonly kind: string;
  readonly key: string;
  readonly limit: number;
  /** When it ends, if this unit is its first. One that would end later than this begins anew: the clock was set back, or it was to last for less. */
  readonly expiresAtMs: number;
}

/** What was added to a counter: to that which ends at this moment. */
export interface Counted {
  readonly kind: string;
  readonly key: string;
  readonly expiresAtMs: number;
}

export type CountUp =
  | { readonly kind: 'counted'; readonly counted: readonly Counted[] }
  | { readonly kind: 'full'; readonly full: readonly Counted[] };

/**
 * Short-lived state shared by processes: each call is one transaction, so that of two processes that take a row, or replace the same
 * value, one succeeds. A killed process loses nothing that was put; a loss of power may lose the last moments.
 *
 * What writes throws a Refusal, STS-STORE-9008 (HTTP 503), when there is no space or another process keeps the file.
 */
export interface StateStore {
  /**
   * Puts a row, in place of one with its kind and key.
   *
   * @returns the rows that were put out to stay within the bound of the kind: the oldest
   */
  put(kind: string, key: string, value: string, expiresAtMs: number, owner?: string): StateRow[];
  /** The same where no row of its kind and key is there; nothing where one is. Of two processes that come at one moment one puts it. */
  putNew(kind: string, key: string, value: string, expiresAtMs: number, owner?: string): StateRow[] | undefined;
  get(kind: string, key: string): StateRow | undefined;
  /** As `get`, for who asks again and again: from memory where nobody has written since, which costs one look a turn of the event loop. */
  look(kind: string, key: string): StateRow | undefined;
  /** Gets a row and removes it: what is single-use is given once. */
  take(kind: string, key: string): StateRow | undefined;
  /** Replaces a value that is still the expected one. False when it is another, or gone. The expiry and the owner stay unless new ones are given. */
  replace(kind: string, key: string, expected: string, value: string, expiresAtMs?: number, owner?: string): boolean;
  /** As `replace`, and the row becomes the youngest of its kind. */
  touch(kind: string, key: string, expected: string, value: string, expiresAtMs: number): boolean;
  /** Adds one to each of some counters, or, when any of them has reached its limit, to none. */
  countUp(counters: readonly Counter[]): CountUp;
  /** Takes back what was counted; a counter that has ended meanwhile is left alone. */
  countDown(counted: readonly Counted[]): void;
  /** True when there was something to delete. */
  delete(kind: string, key: string): boolean;
  /** The rows of an owner, or of everybody, the oldest first, at most `limit`. */
  list(kind: string, owner: string | undefined, limit: number): StateRow[];
  /** The rows of an owner, or of everybody, the youngest first, at most `limit`: those behind a place, where one is given. */
  latest(kind: string, owner: string | undefined, limit: number, behind?: number): PlacedRow[];
  /** How many rows of a kind are kept, those included that have expired and are not swept yet. Costs the same however many there are. */
  count(kind: string): number;
  /** Whether no row of a kind is kept, also none that has expired: asked again and again it costs one look a turn of the event loop at whether anything was written. */
  isNone(kind: string): boolean;
  /** Removes what expired by `nowMs`, at most `limit` rows, and returns it. */
  sweep(nowMs: number, limit: number): StateRow[];
  close(): void;
}

export interface StateStoreOptions {
  /** Not used in memory mode. */
  readonly file: string;
  readonly settings: SettingValues<typeof rows>;
  readonly clock: Clock;
  /** `Store.epoch`: what was put in another one is not there any more. */
  readonly epoch: number;
}

/** The file, as who examines it must know it. */
export const stateFormat: Format = {
  applicationId: 0x41747253, // "AtrS"
  version: 2,
  pageOctets: smallPageOctets,
  migrations: ['ALTER TABLE state ADD COLUMN epoch INTEGER NOT NULL DEFAULT 1'],
  // Counting rows at each put would cost more the more there are; the triggers keep the count within the same transaction.
  tables: `
    CREATE TABLE state (
      age INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, owner TEXT NOT NULL,
      expires_at_ms INTEGER NOT NULL, epoch INTEGER NOT NULL DEFAULT 1, UNIQUE (kind, key)
    );
    CREATE INDEX state_owner ON state (kind, owner, age);
    CREATE INDEX state_age ON state (kind, age);
    CREATE INDEX state_expiry ON state (expires_at_ms);
    CREATE TABLE amount (kind TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TRIGGER state_more AFTER INSERT ON state BEGIN
      INSERT INTO amount VALUES (new.kind, 1) ON CONFLICT (kind) DO UPDATE SET rows = rows + 1;
    END;
    CREATE TRIGGER state_less AFTER DELETE ON state BEGIN
      UPDATE amount SET rows = rows - 1 WHERE kind = old.kind;
    END;
  `,
};

/** How long a call waits for another process. */
const busyMs = 2000;
/** Pages of the log after which SQLite carries it over: 32 MiB, 64 of a file with large pages. The thread that writes waits for the disk then, so that it is to be seldom; a sign-in writes 26. */
const pagesOfPass = 8000;
const columns = 'kind, key, value, owner, expires_at_ms AS expiresAtMs';

/**
 * Opens the state's file, or makes it.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005 as `openStore`
 */
export function openStateStore({ file, settings, clock, epoch }: StateStoreOptions): StateStore {
  const place = placeOf(file, settings['persistence.mode']);
  const database = openDatabase(place.path, stateFormat, busyMs);
  database.pragma(`wal_autocheckpoint = ${pagesOfPass}`);
  // A sweep takes what it finds expired; to every call the rows of another epoch are gone from here on.
  const refuseOthers = database.prepare<[number]>('UPDATE state SET expires_at_ms = 0 WHERE epoch <> ?');
  allowed(() => refuseOthers.run(epoch));
  const statements = stateStatements(database, epoch);
  place.forget();

  const seen = seenBy(statements, clock);
  const written = <T>(write: () => T, kind: string, ...keys: readonly string[]): T => {
    seen.forget(kind, keys);
    return allowed(write);
  };
  const allWritten = <T>(write: () => T, counters: readonly Pick<Counter, 'kind' | 'key'>[]): T => {
    for (const { kind, key } of counters) seen.forget(kind, [key]);
    return allowed(write);
  };

  const put = database.transaction((kind: string, key: string, value: string, expiresAtMs: number, owner: string): StateRow[] => {
    statements.put.run(kind, key, value, owner, expiresAtMs);
    const excess = (statements.amount.get(kind) ?? 0) - settings['persistence.stateRowsMax'];
    return excess > 0 ? statements.evict.all(kind, excess) : [];
  });

  const putNew = database.transaction((...row: Parameters<typeof put>): StateRow[] | undefined =>
    statements.get.get(row[0], row[1], clock.nowMs()) === undefined ? put(...row) : undefined,
  );

  const countUp = database.transaction((counters: readonly Counter[]): CountUp => {
    const standing = counters.map((counter) => {
      const row = statements.get.get(counter.kind, counter.key, clock.nowMs());
      return { counter, row: row !== undefined && row.expiresAtMs <= counter.expiresAtMs ? row : undefined };
    });
    const full = standing.flatMap(({ counter, row }) => (row !== undefined && Number(row.value) >= counter.limit ? row : []));
    if (full.length > 0) return { kind: 'full', full };
    return { kind: 'counted', counted: standing.map(({ counter, row }) => addOne(counter, row)) };
  });
  const addOne = ({ kind, key, expiresAtMs }: Counter, row: StateRow | undefined): Counted => {
    if (row !== undefined) {
      statements.up.run(kind, key, row.expiresAtMs);
      return { kind, key, expiresAtMs: row.expiresAtMs };
    }
    // One that has ended is as old as its end: its place among those of its kind goes with it.
    statements.delete.run(kind, key);
    put(kind, key, '1', expiresAtMs, '');
    return { kind, key, expiresAtMs };
  };
  const countDown = database.transaction((counted: readonly Counted[]): void => {
    for (const { kind, key, expiresAtMs } of counted) {
      // Its last unit goes with the row: most attempts are the only one, and succeed.
      if (statements.forgetLast.run(kind, key, expiresAtMs).changes === 0) statements.down.run(kind, key, expiresAtMs);
    }
  });

  return {
    countUp: (counters) => allWritten(() => countUp.immediate(counters), counters),
    countDown: (counted) => allWritten(() => countDown.immediate(counted), counted),
    put: (kind, key, value, expiresAtMs, owner = '') => written(() => put.immediate(kind, key, value, expiresAtMs, owner), kind, key),
    putNew: (kind, key, value, expiresAtMs, owner = '') => written(() => putNew.immediate(kind, key, value, expiresAtMs, owner), kind, key),
    get: (kind, key) => statements.get.get(kind, key, clock.nowMs()),
    look: seen.look,
    take: (kind, key) => written(() => statements.take.get(kind, key, clock.nowMs()), kind, key),
    replace: (kind, key, expected, value, expiresAtMs, owner) =>
      written(() => statements.replace.run(value, expiresAtMs ?? null, owner ?? null, kind, key, expected, clock.nowMs()), kind, key)
        .changes === 1,
    touch: (kind, key, expected, value, expiresAtMs) =>
      written(() => statements.touch.run(value, expiresAtMs, kind, key, expected, clock.nowMs()), kind, key).changes === 1,
    delete: (kind, key) => written(() => statements.delete.run(kind, key), kind, key).changes === 1,
    list: (kind, owner, limit) =>
      owner === undefined ? statements.list.all(kind, clock.nowMs(), limit) : statements.listOwned.all(kind, owner, clock.nowMs(), limit),
    latest: (kind, owner, limit, behind = Number.MAX_SAFE_INTEGER) =>
      owner === undefined
        ? statements.latest.all(kind, behind, clock.nowMs(), limit)
        : statements.latestOwned.all(kind, owner, behind, clock.nowMs(), limit),
    count: (kind) => statements.amount.get(kind) ?? 0,
    isNone: seen.isNone,
    sweep: (nowMs, limit) => {
      const swept = allowed(() => statements.sweep.all(nowMs, limit));
      if (swept.length > 0) seen.forgetAll();
      return swept;
    },
    close: () => void database.close(),
  };
}

/** What a thread beside the one that writes may ask. */
export interface StateBeside extends Pick<StateStore, 'look' | 'isNone' | 'close'> {}

export interface StateBesideOptions extends Omit<StateStoreOptions, 'settings'> {
  /** A number that moves when the thread that writes has written what is looked at here, before anybody is told of it. */
  readonly moved: () => number;
}

/**
 * Opens, in another thread of the process, the file that `openStateStore` has opened. What is looked at is as fresh as in the thread that writes: `moved` is
 * asked at each look, and whether another process has written once a turn of the event loop.
 */
export function openStateBeside({ file, clock, epoch, moved }: StateBesideOptions): StateBeside {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: busyMs });
  const seen = seenBy(lookStatements(database, Math.trunc(epoch)), clock, moved);
  return { look: seen.look, isNone: seen.isNone, close: () => void database.close() };
}

function seenBy(statements: ReturnType<typeof lookStatements>, clock: Clock, moved?: () => number): Seen {
  return createSeen({
    version: () => statements.version.get(),
    isNone: (kind) => (statements.amount.get(kind) ?? 0) === 0,
    // Whatever its end: whether that has come is asked of the clock at each look.
    row: (kind, key) => statements.get.get(kind, key, 0),
    clock,
    ...(moved === undefined ? {} : { moved }),
  });
}

/** Does a write; what the disk or another process does not allow is a refusal, and nothing of it was kept. */
function allowed<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    throw refuse(errors.stateNotWritten, { why: whyOf(error) });
  }
}

/** @param epoch  a whole number */
function lookStatements(database: Database.Database, epoch: number) {
  return {
    version: database.prepare<[], number>('PRAGMA data_version').pluck(),
    amount: database.prepare<[string], number>('SELECT rows FROM amount WHERE kind = ?').pluck(),
    get: database.prepare<[string, string, number], StateRow>(
      `SELECT ${columns} FROM state WHERE kind = ? AND key = ? AND epoch = ${epoch} AND expires_at_ms > ?`,
    ),
  };
}

function stateStatements(database: Database.Database, given: number) {
  // A whole number, so that it may stand in the texts of the statements.
  const epoch = Math.trunc(given);
  const counter = `WHERE kind = ? AND key = ? AND expires_at_ms = ? AND epoch = ${epoch}`;
  const live = `epoch = ${epoch} AND expires_at_ms > ?`;
  return {
    ...lookStatements(database, epoch),
    put: database.prepare<[string, string, string, string, number]>(
      `INSERT INTO state (kind, key, value, owner, expires_at_ms, epoch) VALUES (?, ?, ?, ?, ?, ${epoch}) ON CONFLICT (kind, key) DO UPDATE
       SET value = excluded.value, owner = excluded.owner, expires_at_ms = excluded.expires_at_ms, epoch = excluded.epoch`,
    ),
    evict: database.prepare<[string, number], StateRow>(
      `DELETE FROM state WHERE age IN (SELECT age FROM state WHERE kind = ? ORDER BY age LIMIT ?) RETURNING ${columns}`,
    ),
    take: database.prepare<[string, string, number], StateRow>(
      `DELETE FROM state WHERE kind = ? AND key = ? AND ${live} RETURNING ${columns}`,
    ),
    replace: database.prepare<[string, number | null, string | null, string, string, string, number]>(
      `UPDATE state SET value = ?, expires_at_ms = coalesce(?, expires_at_ms), owner = coalesce(?, owner) WHERE kind = ? AND key = ? AND value = ? AND ${live}`,
    ),
    touch: database.prepare<[string, number, string, string, string, number]>(
      `UPDATE state SET age = (SELECT max(age) + 1 FROM state), value = ?, expires_at_ms = ? WHERE kind = ? AND key = ? AND value = ? AND ${live}`,
    ),
    up: database.prepare<[string, string, number]>(`UPDATE state SET value = CAST(value AS INTEGER) + 1 ${counter}`),
    down: database.prepare<[string, string, number]>(`UPDATE state SET value = CAST(value AS INTEGER) - 1 ${counter}`),
    forgetLast: database.prepare<[string, string, number]>(`DELETE FROM state ${counter} AND value = '1'`),
    delete: database.prepare<[string, string]>('DELETE FROM state WHERE kind = ? AND key = ?'),
    list: database.prepare<[string, number, number], StateRow>(
      `SELECT ${columns} FROM state WHERE kind = ? AND ${live} ORDER BY age LIMIT ?`,
    ),
    latest: database.prepare<[string, number, number, number], PlacedRow>(
      `SELECT ${columns}, age AS place FROM state WHERE kind = ? AND age < ? AND ${live} ORDER BY age DESC LIMIT ?`,
    ),
    latestOwned: database.prepare<[string, string, number, number, number], PlacedRow>(
      `SELECT ${columns}, age AS place FROM state WHERE kind = ? AND owner = ? AND age < ? AND ${live} ORDER BY age DESC LIMIT ?`,
    ),
    listOwned: database.prepare<[string, string, number, number], StateRow>(
      `SELECT ${columns} FROM state WHERE kind = ? AND owner = ? AND ${live} ORDER BY age LIMIT ?`,
    ),
    sweep: database.prepare<[number, number], StateRow>(
      `DELETE FROM state WHERE age IN (SELECT age FROM state WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?) RETURNING ${columns}`,
    ),
  };
}
