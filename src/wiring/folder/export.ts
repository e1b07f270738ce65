import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { utf8 } from '#base';
import type { Exported, ExportFolderOptions } from '#commands';
import { deletedUuid, ownOperational, subschemaKey, subschemaRecord } from '#directory';
import { decodeAttributes, formatLdifRecord } from '#ldap';
import { entryAt, openDump } from '#store';
import { begin } from '../begin.ts';
import type { AtriumOptions } from '../foundation.ts';
import { createDumper, type DumpedText } from './dumper.ts';
import { countOf, createRanges, idsOf, isAhead, noteWritten, takeRange } from './export-ranges.ts';
import type { ExportedRange, ExportTask } from './export-thread.ts';

/** Fewer ranges are made before a second thread has begun. */
const aloneMax = 32;

/** Writes every entry of a folder that no service has open as LDIF, superiors before what is below them. */
export async function exportFolder(options: AtriumOptions, given: ExportFolderOptions): Promise<Exported> {
  const begun = await begin(options, async (foundation): Promise<Exported> => {
    const path = join(foundation.dataDir, 'directory.sqlite');
    if (!existsSync(path)) return { kind: 'absent' };
    const head = await exportSubschema(path, given);
    const entries =
      (await exportStraight(path, given, head)) ?? (await (await import('./export-in-order.ts')).exportInOrder(foundation, given, head));
    return entries === 0 ? { kind: 'absent' } : { kind: 'exported', entries };
  });
  if (begun.kind === 'refused') return begun;
  await begun.open.disposeAsync();
  return begun.made;
}

/**
 * The definitions that were added at run time come first, whatever else is wanted: by them an import reads what follows.
 *
 * @returns how many entries that were
 */
async function exportSubschema(path: string, { operational, onText }: ExportFolderOptions): Promise<number> {
  const stored = entryAt(path, subschemaKey);
  if (stored === undefined) return 0;
  await onText(utf8(formatLdifRecord(subschemaRecord(decodeAttributes(stored.operational), operational))), 1, 0, undefined);
  return 1;
}

/** In the order of row numbers, by two threads, each of which makes the next range; `undefined` when that order will not do. */
async function exportStraight(
  path: string,
  { secrets, operational, onText }: ExportFolderOptions,
  head: number,
): Promise<number | undefined> {
  using dump = openDump(path, { secrets, except: subschemaKey, exceptBeginning: deletedUuid });
  if (!dump.isStraight()) return undefined;
  const { lastId } = dump;
  const left = operational ? undefined : ownOperational;
  const ranges = createRanges(lastId);
  const count = countOf(ranges);
  await using other =
    count > aloneMax ? openOther({ path, secrets, left, except: subschemaKey, exceptBeginning: deletedUuid, ranges }) : undefined;
  const dumper = createDumper(dump, left);
  const made = new Map<number, DumpedText>();
  let own = takeRange(ranges);
  let entries = head;
  for (let written = 0; written < count; ) {
    const mine = made.get(written);
    const next = mine ?? other?.take(written);
    if (next !== undefined) {
      made.delete(written);
      entries += next.entries;
      await onText(next.text, entries, idsOf(ranges, written)[1], lastId);
      (mine === undefined ? other : dumper)?.reuse(next.text.buffer);
      noteWritten(ranges, ++written);
    } else if (own !== undefined && !isAhead(ranges, own)) {
      made.set(own, dumper.text(...idsOf(ranges, own)));
      own = takeRange(ranges);
      // What the other thread has made is heard of between two turns of the loop.
      await new Promise((resolve) => setImmediate(resolve));
    } else await other?.untilMore();
  }
  return entries;
}

/** The second thread, as the first sees it. */
function openOther(task: ExportTask) {
  const worker = new Worker(new URL('./export-thread.ts', import.meta.url), { workerData: task });
  const made = new Map<number, DumpedText>();
  let failure: unknown;
  let heard = Promise.withResolvers<void>();
  const hear = () => {
    heard.resolve();
    heard = Promise.withResolvers();
  };
  worker.on('message', ({ range, ...text }: ExportedRange) => {
    made.set(range, text);
    hear();
  });
  worker.on('error', (error) => {
    failure = error;
    hear();
  });
  return {
    take(range: number): DumpedText | undefined {
      if (failure !== undefined) throw failure;
      const text = made.get(range);
      made.delete(range);
      return text;
    },
    reuse: (buffer: ArrayBuffer) => worker.postMessage(buffer, [buffer]),
    untilMore: () => heard.promise,
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}
