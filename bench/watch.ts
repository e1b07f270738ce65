import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { LoopReport } from './loop.ts';
import type { LoopDelay } from './process.ts';

const pollMs = 5;
const answerMaxMs = 30_000;

/** Watches the event loop of a process into which `loop.ts` was preloaded. */
export function watchLoop(pid: number, file: string): () => Promise<() => Promise<LoopDelay>> {
  let turn = 0;
  const tell = async (): Promise<LoopReport> => {
    turn++;
    process.kill(pid, 'SIGUSR2');
    for (const begunMs = performance.now(); performance.now() - begunMs < answerMaxMs; await wait(pollMs)) {
      const report = read(file);
      if (report?.turn === turn) return report;
    }
    throw new Error('the watch on the event loop does not answer');
  };
  return async () => {
    await tell();
    return async () => {
      const { p99Ms, worstMs } = await tell();
      return { p99Ms, worstMs };
    };
  };
}

function read(file: string): LoopReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LoopReport;
  } catch {
    return undefined;
  }
}
