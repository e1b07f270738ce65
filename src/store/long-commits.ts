import Database from 'better-sqlite3';
import { attributeNumbers } from './attributes.ts';
import { busyMs } from './database.ts';
import type { JustRead } from './just-read.ts';
import type { RowNumbers } from './row-numbers.ts';
import type { Change, Expectation, Indexer, LargeRules } from './types.ts';
import { type Before, type Governed, writerOf } from './writer.ts';

interface Options {
  readonly path: string;
  /** `longestOf` the log. */
  readonly logOctets: number;
  readonly indexer: Indexer;
  readonly large: LargeRules;
  readonly rows: RowNumbers;
  /** What others have read: told of each entry that was written or removed in the turn of the loop in which the commit can be seen. */
  readonly justRead: Pick<JustRead, 'drop'>;
  /** Told of the row numbers then, before the commit can be seen. */
  readonly touch: (id: number) => void;
  readonly pended: () => void;
  /** Told then, too, when the commit touches an entry that governs others. */
  readonly governing: Governed;
}

export interface LongOrder {
  readonly number: number;
  readonly expected: readonly Expectation[];
  readonly changes: readonly Change[];
  /** Whether most of them are new entries. */
  readonly bulk: boolean;
  /** Asked at each turn. */
  readonly givesWay: () => boolean;
  readonly commitsMax: number;
}

export type LongResult =
  | { readonly kind: 'written'; readonly before: Before }
  | { readonly kind: 'conflict'; readonly failed: Expectation }
  | { readonly kind: 'gaveWay' };

export interface LongCommits {
  /**
   * Writes a commit; nobody else may write until this resolves or rejects. Nothing is kept of one that fails.
   *
   * @returns that all is written and can be seen, the expectation that does not hold, or that it gave way
   */
  write(order: LongOrder): Promise<LongResult>;
  close(): void;
}

/** Pages that are written stay in memory up to so much, and go to the log before the commit does: else it would write all of them in one turn. */
const cacheKib = 4096;
const expectationsInStep = 8;
/** Some five milliseconds together. */
const stepsInTurn = 48;

/**
 * Writes one commit over several turns of the loop. It has a connection of its own, so that all others go on reading the state before it until it is
 * committed; it is one transaction like any other.
 */
export function createLongCommits({ path, logOctets, indexer, large, rows, justRead, touch, pended, governing }: Options): LongCommits {
  const database = new Database(path, { timeout: busyMs, fileMustExist: true });
  database.pragma('synchronous = NORMAL');
  database.pragma('temp_store = MEMORY');
  database.pragma('wal_autocheckpoint = 0');
  database.pragma(`journal_size_limit = ${logOctets}`);
  database.pragma(`cache_size = ${-cacheKib}`);
  const attributes = attributeNumbers(database);
  let touched: number[] = [];
  let pendedRows = 0;
  let governs = false;
  const unknown = { keep: () => undefined, of: () => undefined, drop: () => undefined };
  const writer = writerOf(
    database,
    attributes,
    indexer,
    large,
    unknown,
    (id) => void touched.push(id),
    () => void pendedRows++,
    rows,
    { governs: governing.governs, governed: () => (governs = true) },
  );

  function* written({ number, expected, changes, bulk, commitsMax }: LongOrder): Generator<undefined, LongResult> {
    attributes.reload();
    for (const [at, expectation] of expected.entries()) {
      if (writer.failed([expectation]) !== undefined) return { kind: 'conflict', failed: expectation };
      if (at % expectationsInStep === 0) yield;
    }
    const before = yield* writer.steps(number, changes, bulk ? expected : undefined);
    if (number > commitsMax) writer.trim(number, commitsMax);
    yield;
    // From here on in one turn: nobody may keep what was read before as if it were read behind.
    for (const id of touched) touch(id);
    if (governs) governing.governed(number);
    for (const change of changes) justRead.drop(change.kind === 'delete' ? change.uuid : change.entry.uuid);
    return { kind: 'written', before };
  }

  return {
    async write(order) {
      touched = [];
      pendedRows = 0;
      governs = false;
      database.exec('BEGIN IMMEDIATE');
      try {
        const result = await inTurns(written(order), order.givesWay);
        if (result.kind !== 'written') return result;
        database.exec('COMMIT');
        for (let at = 0; at < pendedRows; at++) pended();
        return result;
      } finally {
        // SQLite has rolled back by itself where the disk was full.
        if (database.inTransaction) database.exec('ROLLBACK');
      }
    },
    close: () => void database.close(),
  };
}

async function inTurns(steps: Generator<undefined, LongResult>, givesWay: () => boolean): Promise<LongResult> {
  for (;;) {
    if (givesWay()) return { kind: 'gaveWay' };
    for (let at = 0; at < stepsInTurn; at++) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

/** Octets of an entry, and values of a list, that are as much work as a change more. */
const octetsOfChange = 2048;
const valuesOfChange = 8;

/** About how many small changes would be as much work. */
export function weightOf(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => {
    if (change.kind === 'delete') return sum + 1 + (change.drops ?? 0) / valuesOfChange;
    const values =
      change.kind === 'put'
        ? (change.drops ?? 0)
        : change.lists.reduce((all, { removed, added }) => all + removed.length + added.length, 0);
    return sum + 1 + values / valuesOfChange + change.entry.user.length / octetsOfChange;
  }, 0);
}
