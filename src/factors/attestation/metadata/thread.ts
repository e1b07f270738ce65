import { parentPort, workerData } from 'node:worker_threads';
import { type BlobAsked, readBlob } from './blob.ts';

/** Reads one blob beside the loop and ends. */
parentPort?.postMessage(readBlob(workerData as BlobAsked));
