import { parentPort, workerData } from 'node:worker_threads';
import { createIndexer, createLargeRules } from '#directory';
import { serveBuild } from '#store';
import { schemaOf } from './installation.ts';

// The thread of an import that writes the new file of entries while the main thread reads and checks.
if (parentPort !== null) {
  const schema = schemaOf((workerData as { root: string }).root);
  serveBuild(parentPort, createIndexer(schema), createLargeRules(schema));
}
