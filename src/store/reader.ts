import Database from 'better-sqlite3';
import type { AttributeNumbers } from './attributes.ts';
import type { EntryCache } from './entry-cache.ts';
import { GramReader } from './gram-reader.ts';
import { HeldSnapshot, type ReadContext, readStatements } from './snapshot.ts';
import type { KeysBelow, Snapshot } from './types.ts';

interface Options {
  readonly path: string;
  /** Of database pages. */
  readonly cacheMib: number;
  readonly attributes: AttributeNumbers;
  readonly keysBelow: KeysBelow;
  readonly cache: EntryCache;
  /** Moves with each commit, before anyone is told of it. */
  readonly generation: () => number;
}

/**
 * The reading connection. Its read transaction stays open from one commit to the next: outside of one, each statement pays
 * more for its locks than for its work.
 */
export class Reader {
  readonly #database: Database.Database;
  readonly #context: ReadContext;
  readonly #generation: () => number;
  /** The writer's generation when the transaction was opened; undefined while none is open. */
  #held: number | undefined;
  #number = 0;
  #era = 0;
  #used = false;

  constructor({ path, cacheMib, attributes, keysBelow, cache, generation }: Options) {
    this.#database = new Database(path, { readonly: true });
    this.#database.pragma(`cache_size = ${-cacheMib * 1024}`);
    const statements = readStatements(this.#database);
    const grams = new GramReader(this.#database);
    this.#context = { statements, attributes, keysBelow, cache, grams, era: () => this.#era };
    this.#generation = generation;
    // SQLite opens the log's file with the first statement that needs it.
    this.snapshot();
  }

  snapshot(): Snapshot {
    this.#used = true;
    const generation = this.#generation();
    if (this.#held !== generation) {
      this.release();
      this.#database.exec('BEGIN');
      // The first statement is what fixes the snapshot; the number read by it belongs to what is seen, whatever was written meanwhile.
      this.#number = this.#context.statements.number.get() ?? 0;
      this.#context.cache.moveOn();
      this.#context.grams.moveOn();
      this.#held = generation;
    }
    return new HeldSnapshot(this.#context, this.#number);
  }

  /** Lets the read transaction go, so that the log may begin anew. */
  release(): void {
    if (this.#held === undefined) return;
    this.#held = undefined;
    this.#era++;
    this.#database.exec('COMMIT');
  }

  /** To be called now and then: lets go when nothing was read since the last call. */
  idle(): void {
    if (!this.#used) this.release();
    this.#used = false;
  }

  close(): void {
    this.#era++;
    this.#held = undefined;
    this.#database.close();
  }
}
