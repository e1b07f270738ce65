import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { type Asked, checkpointOf, type PassAnswer } from './checkpoint.ts';
import { reasonOf } from './reasons.ts';

/**
 * The thread that carries the write-ahead log over into the database, beside the one that serves: it copies pages and waits for the disk as long as that takes.
 */
const port = parentPort;
if (port === null) throw new Error('this file is for a thread of the store');
const database = new Database(String(workerData), { fileMustExist: true });
const checkpoint = checkpointOf(database);
port.on('message', (asked: Asked) => port.postMessage(answer(asked)));

function answer(asked: Asked): PassAnswer | undefined {
  switch (asked) {
    case 'close':
      database.close();
      return undefined;
    case 'pass':
      try {
        return { kind: 'passed', pass: checkpoint() };
      } catch (error) {
        return { kind: 'failed', code: reasonOf(error) };
      }
  }
}
