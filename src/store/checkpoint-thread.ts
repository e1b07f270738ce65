import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { checkpointOf, type PassAnswer } from './checkpointer.ts';
import { reasonOf } from './database.ts';

/**
 * The thread that carries the write-ahead log over into the database, beside the one that serves: it copies pages and waits for the disk as long as that takes.
 * Each message asks for one pass and is answered by one; a null ends the thread.
 */
const port = parentPort;
if (port === null) throw new Error('this file is for a thread of the store');
const database = new Database(String(workerData), { fileMustExist: true });
const checkpoint = checkpointOf(database);

port.on('message', (asked: 'pass' | null) => {
  if (asked === null) {
    database.close();
    port.close();
    return;
  }
  port.postMessage(answer());
});

function answer(): PassAnswer {
  try {
    return { kind: 'passed', pass: checkpoint() };
  } catch (error) {
    return { kind: 'failed', code: reasonOf(error) };
  }
}
