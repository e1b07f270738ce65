import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDump } from '#store';
import { createDumper, type DumpedText } from './dumper.ts';
import { idsOf, type Ranges, takeRange, waitBehind } from './export-ranges.ts';

/** What the second thread of an export is started with. */
export interface ExportTask {
  readonly path: string;
  readonly secrets: boolean;
  /** Attributes that are left out, in lower case: to name them here would load all of the directory for their sake. */
  readonly left: ReadonlySet<string> | undefined;
  readonly except: Uint8Array;
  readonly exceptBeginning: string;
  readonly ranges: Ranges;
}

/** The text of one range. */
export interface ExportedRange extends DumpedText {
  readonly range: number;
}

// The second thread of an export: makes the text of ranges of entries that the first has not taken.
if (parentPort !== null) {
  const { path, ranges, left, ...wanted } = workerData as ExportTask;
  using dump = openDump(path, wanted);
  const dumper = createDumper(dump, left);
  for (let range = takeRange(ranges); range !== undefined; range = takeRange(ranges)) {
    waitBehind(ranges, range);
    for (let back = receiveMessageOnPort(parentPort); back !== undefined; back = receiveMessageOnPort(parentPort))
      dumper.reuse(back.message);
    const made: ExportedRange = { range, ...dumper.text(...idsOf(ranges, range)) };
    parentPort.postMessage(made, [made.text.buffer]);
  }
}
