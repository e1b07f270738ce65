// Preloaded into Atrium by the benchmark, and known to nothing in src: at SIGUSR2 the delays of the main thread's event loop are counted, at the next
// they are written and counting ends. Nothing is counted in between, so that rows that do not ask are not disturbed.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** What it writes each time it is told. */
export interface LoopReport {
  /** Signals heard so far. */
  readonly turn: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

/** In the environment of the process: where to write. */
export const loopFileEnv = 'ATRIUM_BENCH_LOOP_FILE';

const file = process.env[loopFileEnv];
const resolutionMs = 1;

if (isMainThread && file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  let turn = 0;
  process.on('SIGUSR2', () => {
    if (turn % 2 === 0) {
      histogram.reset();
      histogram.enable();
    } else {
      histogram.disable();
    }
    turn++;
    // Nanoseconds from one tick to the next, which are one resolution apart when nothing is late.
    const lateMs = (ns: number) => Math.max(0, ns / 1e6 - resolutionMs);
    const report: LoopReport = { turn, p99Ms: lateMs(histogram.percentile(99)), worstMs: lateMs(histogram.max) };
    writeFileSync(`${file}.new`, JSON.stringify(report));
    renameSync(`${file}.new`, file);
  });
}
