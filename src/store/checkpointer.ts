import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** What a pass over the write-ahead log did: how many frames the log has, and how many of them stand in the database. */
export interface Pass {
  readonly frames: number;
  readonly carried: number;
}

export type PassAnswer = { readonly kind: 'passed'; readonly pass: Pass } | { readonly kind: 'failed'; readonly code: string };

/** Carries the log over beside the thread that serves. One pass at a time. */
export interface Checkpointer {
  /** @throws SqliteError  as SQLite had it in the thread */
  pass(): Promise<Pass>;
  close(): Promise<void>;
}

type Row = [busy: number, frames: number, carried: number];

/** One pass by a connection: all that nobody still reads in its older form. The connection must not be within a transaction. */
export function checkpointOf(database: Database.Database): () => Pass {
  const statement = database.prepare<[], Row>('PRAGMA wal_checkpoint(PASSIVE)').raw();
  return () => {
    const [, frames, carried] = statement.get() ?? [0, 0, 0];
    return { frames, carried };
  };
}

/** A thread of its own for a file, started when it is first needed: most processes end before their log is that long. */
export function startCheckpointer(path: string): Checkpointer {
  let worker: Worker | undefined;

  async function pass(): Promise<Pass> {
    if (worker === undefined) {
      worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: path });
      // It keeps no process alive: whoever ends without closing the store has nothing to wait for.
      worker.unref();
    }
    const answered = once(worker, 'message');
    worker.postMessage('pass');
    const [answer] = (await answered) as [PassAnswer];
    if (answer.kind === 'failed') throw new Database.SqliteError('the log could not be carried over', answer.code);
    return answer.pass;
  }

  return {
    pass,
    async close() {
      if (worker === undefined) return;
      const ended = once(worker, 'exit');
      worker.postMessage(null);
      await ended;
    },
  };
}
