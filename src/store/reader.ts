import type Database from 'better-sqlite3';
import type { AttributeNumbers } from './attributes.ts';
import type { Columns } from './columns.ts';
import type { EntryCache } from './entry-cache.ts';
import { GramReader } from './gram-reader.ts';
import { HeldSnapshot, type ReadContext, readStatements } from './snapshot.ts';
import type { KeysBelow, Snapshot, StoredEntry } from './types.ts';

interface Options {
  /** The connection to read by: that of the writer, or one of the reader's own. It is not closed with the reader. */
  readonly database: Database.Database;
  readonly attributes: Pick<AttributeNumbers, 'find'>;
  readonly keysBelow: KeysBelow;
  readonly cache: EntryCache;
  readonly columns: Columns;
  /** Told of each entry that was read with its secrets. */
  readonly readWhole: (entry: StoredEntry) => void;
  /** Moves with each commit, before anyone is told of it. */
  readonly generation: () => number;
  /** The number of the newest commit that touched an entry which governs others, asked when a transaction has been opened. */
  readonly governing: () => number;
}

/**
 * Reading. The read transaction stays open from one commit to the next: outside of one, each statement pays more for its locks than for its work.
 *
 * The thread that writes reads by the same connection: SQLite drops all the pages that a connection keeps when another one has written, and keeps them
 * when it has itself. A write begins and ends within one turn of the loop, so that nobody reads in the middle of it.
 */
export class Reader {
  readonly #context: ReadContext;
  readonly #database: Database.Database;
  readonly #generation: () => number;
  readonly #governing: () => number;
  readonly #begin: Database.Statement<[]>;
  readonly #end: Database.Statement<[]>;
  /** The writer's generation when the transaction was opened; undefined while none is open. */
  #held: number | undefined;
  #number = 0;
  #governed = 0;
  #era = 0;
  #used = false;

  constructor({ database, attributes, keysBelow, cache, columns, readWhole, generation, governing }: Options) {
    const statements = readStatements(database);
    const grams = new GramReader(database);
    this.#context = { statements, attributes, keysBelow, cache, grams, columns, readWhole, era: () => this.#era };
    this.#database = database;
    this.#begin = database.prepare('BEGIN');
    this.#end = database.prepare('COMMIT');
    this.#generation = generation;
    this.#governing = governing;
    // SQLite opens the log's file with the first statement that needs it.
    this.snapshot();
  }

  /** Reads what the last commit has left to searches, so that the next of them need not read it of many commits at once. */
  keepUp(): void {
    this.snapshot();
    this.#context.grams.keepUp();
  }

  snapshot(): Snapshot {
    this.#used = true;
    const generation = this.#generation();
    // SQLite rolls a transaction back by itself when a read of it fails.
    if (this.#held !== generation || !this.#database.inTransaction) {
      this.release();
      this.#open();
      this.#context.cache.moveOn();
      this.#context.grams.moveOn();
      this.#context.columns.moveOn();
      this.#held = generation;
    }
    return new HeldSnapshot(this.#context, this.#number, this.#governed);
  }

  #open(): void {
    this.#begin.run();
    try {
      // The first statement is what fixes the snapshot; the number read by it belongs to what is seen, whatever was written meanwhile.
      this.#number = this.#context.statements.number.get() ?? 0;
      this.#governed = this.#governing();
    } catch (error) {
      // Else no other transaction could begin, and one read that failed would be the end of all reading.
      if (this.#database.inTransaction) this.#end.run();
      throw error;
    }
  }

  /** Lets the read transaction go: for a write, and so that the log may begin anew. */
  release(): void {
    if (this.handOver()) this.#end.run();
  }

  /**
   * Ends reading, and leaves the transaction to whoever writes in it and ends it.
   *
   * @returns false when none is open: what is written without one is not all or nothing
   */
  handOver(): boolean {
    if (this.#held === undefined) return false;
    this.#held = undefined;
    this.#era++;
    return this.#database.inTransaction;
  }

  /** To be called now and then: lets go when nothing was read since the last call. */
  idle(): void {
    if (!this.#used) this.release();
    this.#used = false;
  }

  /** After it nothing may be read any more. */
  close(): void {
    this.release();
    this.#era++;
  }
}
