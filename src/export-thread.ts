import { parentPort, workerData } from 'node:worker_threads';
import { createDumper, type DumpedText } from '#directory';
import { openDump } from '#store';

/** What the second thread of an export is started with. */
export interface ExportTask {
  readonly path: string;
  readonly secrets: boolean;
  readonly operational: boolean;
}

/** Row numbers, above one and up to another. */
export type ExportRange = readonly [afterId: number, lastId: number];

// The second thread of an export: makes the text of every other range of entries.
if (parentPort !== null) {
  const port = parentPort;
  const task = workerData as ExportTask;
  const dumped = createDumper(openDump(task.path, task));
  port.on('message', ([afterId, lastId]: ExportRange) => {
    const made: DumpedText = dumped(afterId, lastId);
    port.postMessage(made, [made.text.buffer]);
  });
}
