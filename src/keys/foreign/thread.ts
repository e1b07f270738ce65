// A thread that judges hashes of other systems: started by threads.ts.
import { parentPort } from 'node:worker_threads';
import { matchesForeign } from './match.ts';
import type { Asked } from './threads.ts';

if (parentPort === null) throw new Error('this is the program of a thread, not of a process');
const port = parentPort;
port.on('message', ({ password, hash }: Asked) => port.postMessage(matchesForeign(password, hash)));
