import { parentPort, workerData } from 'node:worker_threads';
import { createIndexer, createLargeRules } from '#directory';
import { type Definition, loadSchema, type SchemaText } from '#schema';
import { serveBuild } from '#store';

// The thread of an import that writes the new file of entries while the main thread reads and checks.
if (parentPort !== null) {
  const { files, stored } = workerData as { files: readonly SchemaText[]; stored: readonly Definition[] };
  const schema = loadSchema(files, stored);
  serveBuild(parentPort, createIndexer(schema), createLargeRules(schema));
}
