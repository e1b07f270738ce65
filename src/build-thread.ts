import { parentPort, workerData } from 'node:worker_threads';
import { createIndexer } from '#directory';
import { serveBuild } from '#store';
import { schemaOf } from './installation.ts';

// The thread of an import that writes the new file of entries while the main thread reads and checks.
if (parentPort !== null) serveBuild(parentPort, createIndexer(schemaOf((workerData as { root: string }).root)));
