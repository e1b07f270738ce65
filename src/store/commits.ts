import type Database from 'better-sqlite3';
import { refuse } from '#catalogue';
import { type CommitsOptions, type Outcome, recordsOf, refusedBy, type Waiting, type Written } from './batch.ts';
import { errors } from './errors.ts';
import { type LongResult, weightOf } from './long-commits.ts';
import { pagesOf, pagesOfPiece } from './pages.ts';
import { isDiskError, whyOf } from './reasons.ts';
import { createSleepers } from './sleepers.ts';
import type { BulkResult, Change, Expectation, WatchedChange } from './types.ts';
import { isSyncError, isUnsureError } from './wal.ts';

/**
 * Writes what arrives in one turn of the loop as one transaction, puts it on disk beside the loop, and only then answers. What arrives
 * meanwhile is the next batch: written as soon as the loop has nothing else to do, and put on disk and answered behind the first.
 */
export class Commits {
  readonly #options: CommitsOptions;
  readonly #waiting: Waiting[] = [];
  readonly #listeners = new Set<(changes: readonly WatchedChange[]) => void>();
  readonly #sleepers = createSleepers();
  /** Pieces of merging that come before the next batch. */
  #piecesOwed = 0;
  #state: 'resting' | 'writing' | 'closed' | 'dead' = 'resting';
  #scheduled = false;
  /** What the disk is putting down. */
  #syncing: Written | undefined;
  /** What was written meanwhile, and is next. */
  #written: Written | undefined;
  /** A commit is being written that takes more than one turn. */
  #isLong = false;
  /** What was rolled back may be there after a crash all the same, until something else is written in its place. */
  #isUnsure = false;
  /** How many waited in the turn before. */
  #gathered = 0;
  #rested: (() => void) | undefined;
  /** The number of the newest commit that can be seen. */
  #last: number;
  #durable: number;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;

  constructor(options: CommitsOptions) {
    this.#options = options;
    this.#last = options.writer.lastNumber();
    this.#durable = this.#last;
    this.#begin = options.database.prepare('BEGIN IMMEDIATE');
    this.#commit = options.database.prepare('COMMIT');
  }

  get durableNumber(): number {
    return this.#durable;
  }

  /** @param bulk  whether they are very many new entries, which give way to whoever comes meanwhile */
  push(expected: readonly Expectation[], changes: readonly Change[], bulk = false): Promise<BulkResult> {
    if (this.#state === 'closed') return Promise.reject(new Error('the store is closed'));
    const pending = this.#waiting.length;
    if (pending >= this.#options.limits().pendingMax) return Promise.reject(refuse(errors.commitsWaiting, { pending }));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ expected, changes, bulk, resolve, reject });
      if (this.#written === undefined) this.#schedule();
    });
  }

  durable(number: number): Promise<void> | undefined {
    return number <= this.#durable ? undefined : this.#sleepers.wait(number);
  }

  watch(listener: (changes: readonly WatchedChange[]) => void, begun?: () => void): () => void {
    this.#listeners.add(listener);
    begun?.();
    return () => this.#listeners.delete(listener);
  }

  /** To be called now and then: begins to put in place what is pending when nothing else is to be done. */
  idle(): void {
    this.#options.merge.tick();
    if (this.#state !== 'resting' || this.#options.merge.waiting === 0 || this.#options.merge.isBulk) return;
    this.#options.merge.resume();
    this.#piecesOwed = 1;
    this.#schedule();
  }

  /** Resolves when nothing is under way, after which nothing is taken any more. False when the disk has failed: then no file may be touched. */
  async close(): Promise<boolean> {
    this.#options.merge.end();
    while (this.#state === 'writing') await new Promise<void>((resolve) => (this.#rested = resolve));
    if (this.#state === 'dead') return false;
    this.#state = 'closed';
    return true;
  }

  #schedule(): void {
    if (this.#state === 'dead') return;
    this.#state = 'writing';
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After the loop has read all sockets that were ready: their changes share one transaction.
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    const { log, reader } = this.#options;
    const { wait } = log;
    if (wait !== undefined) {
      void wait.then(() => {
        // Who goes on reading as before the log was carried over would keep it from beginning anew.
        reader.release();
        this.#turn();
      });
      return;
    }
    this.#scheduled = false;
    if (this.#state === 'dead' || this.#isLong) return;
    if (this.#piecesOwed > 0 || (this.#waiting.length === 0 && this.#syncing === undefined)) this.#mergePiece();
    else if (this.#waiting.length > 0 && this.#written === undefined && !this.#isGathering()) this.#writeBatch();
  }

  /** While the disk is at work a batch grows for as long as more comes: it is written beside when a turn of the loop brought nothing. */
  #isGathering(): boolean {
    if (this.#syncing === undefined || this.#waiting.length === this.#gathered) return false;
    this.#gathered = this.#waiting.length;
    this.#schedule();
    return true;
  }

  #writeBatch(): void {
    const { batchMax, turnMax } = this.#options.limits();
    const long = this.#waiting.findIndex(({ changes }, at) => at < batchMax && weightOf(changes) > turnMax);
    const batch = this.#waiting.splice(0, long < 0 ? batchMax : Math.max(long, 1));
    this.#gathered = 0;
    const [first] = batch;
    if (long === 0 && first !== undefined) {
      this.#isLong = true;
      this.#writeLong(first, true).catch((error) => this.die(error));
      return;
    }
    const changes: WatchedChange[][] = [];
    let outcomes: readonly Outcome[];
    try {
      outcomes = this.#write(batch, changes);
    } catch (error) {
      this.die(error);
      return;
    }
    this.#wrote({ batch, outcomes, number: this.#last, changes });
  }

  #wrote(written: Written): void {
    if (this.#isUnsure) this.die(new Error('what was refused may be there after a crash'));
    else if (this.#syncing === undefined) this.#sync(written);
    else this.#written = written;
  }

  /** Others read the state before it until it is done. A disk that refuses it gets one more chance, with more room. @throws when an fsync failed */
  async #writeLong(waiting: Waiting, mayRetry: boolean): Promise<void> {
    const { long, limits, reader, attributes, committed } = this.#options;
    const { expected, changes, bulk } = waiting;
    const givesWay = () => bulk && this.#waiting.length > 0;
    let done: LongResult;
    try {
      done = await long.write({ number: this.#last + 1, expected, changes, bulk, givesWay, commitsMax: limits().commitsMax });
    } catch (error) {
      this.#options.undone();
      if (isSyncError(error)) throw error;
      this.#isUnsure ||= isUnsureError(error);
      if (!mayRetry || !isDiskError(error)) this.#endLong(waiting, refusedBy(error), []);
      else {
        this.#makeRoom();
        await this.#writeLong(waiting, false);
      }
      return;
    }
    if (this.#state === 'dead') return;
    if (done.kind !== 'written') {
      this.#endLong(waiting, done, []);
      return;
    }
    this.#isUnsure = false;
    this.#last++;
    // What this connection still reads is the state before.
    reader.release();
    attributes.reload();
    committed();
    this.#endLong(waiting, { kind: 'committed', number: this.#last }, [recordsOf(this.#last, changes, done.before)]);
  }

  #endLong(waiting: Waiting, outcome: Outcome, changes: Written['changes']): void {
    this.#isLong = false;
    this.#wrote({ batch: [waiting], outcomes: [outcome], number: this.#last, changes });
  }

  #sync(written: Written): void {
    // Of one without changes all that it could see is on disk.
    if (written.changes.length === 0) this.#answer(written);
    else {
      this.#syncing = written;
      this.#options.log.sync((error) => (error === null ? this.#synced(written) : this.die(error)));
    }
  }

  #synced(written: Written): void {
    // The log could not be carried over meanwhile: what was synced may be lost all the same.
    if (this.#state === 'dead') return;
    this.#syncing = undefined;
    // Behind the answers: none is sent any more once a sync has failed.
    if (this.#written !== undefined) setImmediate(() => this.#syncNext());
    this.#answer(written);
  }

  /** What was written meanwhile needs a sync of its own: whether the last one still took it along nobody says. */
  #syncNext(): void {
    const next = this.#written;
    if (next === undefined || this.#state === 'dead') return;
    this.#written = undefined;
    this.#sync(next);
    this.#goOn();
  }

  #answer({ batch, outcomes, number, changes }: Written): void {
    this.#durable = number;
    this.#options.durable(number);
    batch.forEach(({ resolve, reject }, at) => {
      const outcome = outcomes[at];
      if (outcome === undefined) reject(new Error('a commit without an outcome'));
      else if (outcome.kind === 'refused') reject(outcome.reason);
      else resolve(outcome);
    });
    this.#sleepers.wake(number);
    try {
      if (changes.length > 0) this.#options.log.keepShort(pagesOf(changes));
    } catch (error) {
      this.die(error);
      return;
    }
    if (changes.length > 0) this.#options.merge.resume();
    this.#piecesOwed = this.#options.merge.piecesOwed;
    this.#goOn();
    for (const each of changes) for (const listener of this.#listeners) listener(each);
  }

  #goOn(): void {
    const isBusy = this.#syncing !== undefined || this.#written !== undefined || this.#isLong;
    if (this.#waiting.length > 0 || (this.#options.merge.isDue && !isBusy)) this.#schedule();
    else if (!isBusy) {
      this.#state = 'resting';
      this.#rested?.();
    }
  }

  /** Puts a little of what is pending in place. Nobody waits for it, so that it may be lost with the next power cut. */
  #mergePiece(): void {
    const { database, attributes, log, merge, reader } = this.#options;
    this.#piecesOwed = Math.max(0, this.#piecesOwed - 1);
    reader.release();
    try {
      this.#begin.run();
      merge.piece();
      this.#commit.run();
      log.keepShort(pagesOfPiece);
    } catch (error) {
      if (isSyncError(error)) {
        this.die(error);
        return;
      }
      if (database.inTransaction) database.exec('ROLLBACK');
      attributes.reload();
      merge.abandon();
      this.#piecesOwed = 0;
      if (!isDiskError(error)) throw error;
    }
    this.#goOn();
  }

  /** Nothing that is not known to be on disk is ever answered: what waits goes on waiting until the process has ended. */
  die(error: unknown): void {
    this.#state = 'dead';
    this.#options.merge.end();
    this.#rested?.();
    this.#options.fatal(refuse(errors.syncFailed, { why: whyOf(error) }));
  }

  /**
   * Writes a batch in one transaction; when something refuses it, makes room where it can and tries each commit for itself, so that a
   * small one is not lost with a great one, nor a good one with one that cannot be.
   *
   * @throws SqliteError  when an fsync failed, after which the process must end
   */
  #write(batch: readonly Waiting[], written: WatchedChange[][]): readonly Outcome[] {
    try {
      return this.#transaction(batch, written);
    } catch (error) {
      if (isSyncError(error)) throw error;
      if (isDiskError(error)) this.#makeRoom();
    }
    return batch.map((waiting) => {
      try {
        return this.#transaction([waiting], written)[0] ?? { kind: 'refused', reason: new Error('a commit without an outcome') };
      } catch (error) {
        if (isSyncError(error)) throw error;
        return refusedBy(error);
      }
    });
  }

  #makeRoom(): void {
    this.#options.reader.release();
    this.#options.log.shorten();
  }

  #transaction(batch: readonly Waiting[], written: WatchedChange[][]): readonly Outcome[] {
    const { database, attributes, writer, limits, reader, committed, undone } = this.#options;
    const before = this.#last;
    const fresh: WatchedChange[][] = [];
    const isOpen = reader.handOver();
    try {
      if (!isOpen) this.#begin.run();
      const outcomes = batch.map((waiting) => this.#one(waiting, before + fresh.length, fresh));
      const { commitsMax } = limits();
      if (fresh.length > 0 && before + fresh.length > commitsMax) writer.trim(before + fresh.length, commitsMax);
      this.#commit.run();
      if (fresh.length > 0) {
        this.#isUnsure = false;
        written.push(...fresh);
        this.#last = before + fresh.length;
        committed();
      }
      return outcomes;
    } catch (error) {
      // SQLite has rolled back by itself where the disk was full.
      if (database.inTransaction) database.exec('ROLLBACK');
      this.#isUnsure ||= isUnsureError(error);
      undone();
      attributes.reload();
      throw error;
    }
  }

  /** Nothing is written before everything that is expected was seen to hold: a conflict leaves nothing to take back. */
  #one({ expected, changes, bulk }: Waiting, before: number, fresh: WatchedChange[][]): Outcome {
    const { writer } = this.#options;
    const failed = writer.failed(expected);
    if (failed !== undefined) return { kind: 'conflict', failed };
    if (changes.length === 0) return { kind: 'committed', number: before };
    const number = before + 1;
    fresh.push(recordsOf(number, changes, writer.write(number, changes, bulk ? expected : undefined)));
    return { kind: 'committed', number };
  }
}
