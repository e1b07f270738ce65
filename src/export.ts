import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { utf8 } from '#base';
import type { Exported, ExportFolderOptions } from '#commands';
import { createDumper, type DumpedText, exportEntries } from '#directory';
import { formatLdifRecord } from '#ldap';
import { openDump } from '#store';
import { begin } from './begin.ts';
import { openDirectory } from './below.ts';
import type { ExportRange, ExportTask } from './export-thread.ts';
import type { AtriumOptions, Foundation } from './foundation.ts';

/** Row numbers of one piece of text. */
const rangeIds = 500;
/** Ranges that the second thread may be asked for before they are wanted. */
const aheadMax = 4;
const textCharacters = 65_536;

/** Writes every entry of a folder that no service has open as LDIF, superiors before what is below them. */
export async function exportFolder(options: AtriumOptions, given: ExportFolderOptions): Promise<Exported> {
  const begun = await begin(options, async (foundation): Promise<Exported> => {
    const path = join(foundation.dataDir, 'directory.sqlite');
    if (!existsSync(path)) return { kind: 'absent' };
    const entries = (await exportStraight(path, given)) ?? (await exportInOrder(foundation, given));
    return entries === 0 ? { kind: 'absent' } : { kind: 'exported', entries };
  });
  if (begun.kind === 'refused') return begun;
  await begun.open.disposeAsync();
  return begun.made;
}

/** In the order of row numbers, by two threads that make a range each in turn; `undefined` when that order will not do. */
async function exportStraight(path: string, { secrets, operational, onText }: ExportFolderOptions): Promise<number | undefined> {
  using dump = openDump(path, { secrets, operational });
  if (!dump.straight) return undefined;
  const { lastId } = dump;
  const own = createDumper(dump);
  const task: ExportTask = { path, secrets, operational };
  await using other = openOther(task);
  const rangeOf = (number: number): ExportRange => [number * rangeIds, (number + 1) * rangeIds];
  const ranges = Math.ceil(lastId / rangeIds);
  let asked = 1;
  let entries = 0;
  for (let number = 0; number < ranges; number++) {
    for (; asked < ranges && asked <= number + 2 * aheadMax; asked += 2) other.ask(rangeOf(asked));
    const made = number % 2 === 0 ? own(...rangeOf(number)) : await other.next();
    entries += made.entries;
    await onText(made.text, entries, Math.min(lastId, rangeOf(number)[1]), lastId);
  }
  return entries;
}

function openOther(task: ExportTask) {
  const worker = new Worker(new URL('./export-thread.ts', import.meta.url), { workerData: task });
  const made: DumpedText[] = [];
  let failure: unknown;
  let wake: (() => void) | undefined;
  worker.on('message', (text: DumpedText) => {
    made.push(text);
    wake?.();
  });
  worker.on('error', (error) => {
    failure = error;
    wake?.();
  });
  return {
    ask: (range: ExportRange) => worker.postMessage(range),
    async next(): Promise<DumpedText> {
      for (;;) {
        if (failure !== undefined) throw failure;
        const text = made.shift();
        if (text !== undefined) return text;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}

/** In the order of names. */
async function exportInOrder(foundation: Foundation, { secrets, operational, onText }: ExportFolderOptions): Promise<number> {
  const engine = openDirectory(foundation);
  let entries = 0;
  let buffer = '';
  for (const record of exportEntries(engine, { secrets, operational })) {
    buffer += formatLdifRecord(record);
    entries++;
    if (buffer.length < textCharacters) continue;
    await onText(utf8(buffer), entries, 0, undefined);
    buffer = '';
  }
  if (entries > 0) await onText(utf8(buffer), entries, 0, undefined);
  return entries;
}
