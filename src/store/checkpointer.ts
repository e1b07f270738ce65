import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { Asked, Pass, PassAnswer } from './checkpoint.ts';

/** Carries the log over beside the thread that serves. One pass at a time. */
export interface Checkpointer {
  /** @throws SqliteError  as SQLite had it in the thread */
  pass(): Promise<Pass>;
  close(): Promise<void>;
}

/** A thread of its own for a file, started when it is first needed: most processes end before their log is that long. */
export function startCheckpointer(path: string): Checkpointer {
  let worker: Worker | undefined;

  /** At rest the thread keeps no process alive: whoever ends without closing the store has nothing to wait for. */
  async function ask(asked: Worker, what: Asked): Promise<PassAnswer | undefined> {
    asked.ref();
    const answered = once(asked, 'message');
    asked.postMessage(what);
    const [answer] = (await answered) as [PassAnswer | undefined];
    asked.unref();
    return answer;
  }

  return {
    async pass() {
      worker ??= new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: path });
      const answer = await ask(worker, 'pass');
      if (answer?.kind !== 'passed') throw new Database.SqliteError('the log could not be carried over', answer?.code ?? 'SQLITE_ERROR');
      return answer.pass;
    },
    async close() {
      if (worker === undefined) return;
      await ask(worker, 'close');
      await worker.terminate();
    },
  };
}
