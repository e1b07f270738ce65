import type { Outcome, Work } from './task.ts';

/** Copies the file of entries into a new file. @returns entries and the number of the newest change */
export type BackUp = (
  target: string,
  onProgress: (done: number, total: number) => void,
) => Promise<{ readonly entries: number; readonly number: number }>;

/** Makes a backup as atrium backup does. */
export async function backupTask({ task, exchange, report, signal }: Work, backUp: BackUp): Promise<Outcome> {
  let pages = 0;
  let told = Promise.resolve();
  const { entries, number } = await backUp(exchange.free(task.file), (done, total) => {
    signal.throwIfAborted();
    pages = done;
    // Pages are copied without waiting for what is told of them.
    told = told.then(() => report.progress(done, Math.floor((done * 100) / Math.max(1, total))));
  });
  await told;
  return {
    state: 'done',
    result: `${entries.toLocaleString('en')} entries up to change ${number} are in ${task.file}`,
    done: pages,
  };
}
