import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomNumbers } from '../../support/people.ts';
import { findProgram } from '../../support/programs.ts';
import { rebuildAt } from '../rebuild.ts';
import {
  checkAfterFailure,
  lanesCount,
  loadUntil,
  mustBeFaultless,
  placeOnDisk,
  type Round,
  type Seen,
  suffix,
  TortureFailure,
} from '../round.ts';
import { readRun } from '../run-trace.ts';
import { startServer } from '../server.ts';
import { straceTo } from '../trace.ts';
import { createWorld } from '../world.ts';

const instantsPerRound = 3;

/** Why power cannot fail here. */
export function unavailable(): string | undefined {
  if (process.platform !== 'linux') return 'strace is there on Linux only';
  return findProgram('strace') === undefined ? 'strace is not installed' : undefined;
}

/**
 * Loss of power: one run is traced from its first start on, then the folder is made as a disk may have it at several instants of that run, and a
 * service is started on each.
 */
export async function power({ seed, code, workers, folder }: Round): Promise<Seen> {
  const random = randomNumbers(seed);
  const whole = join(folder, 'disk');
  mkdirSync(whole);
  const dataDir = join(whole, placeOnDisk);
  const log = join(folder, 'trace');
  const world = createWorld(suffix, lanesCount);
  const server = await startServer({ code, workers, dataDir, under: straceTo(log) });
  try {
    const load = await loadUntil(world, server, seed, 30 + random.below(250));
    await server.kill();
    await load.over;
    mustBeFaultless(load.faults);
  } finally {
    await server.kill();
  }

  const { disk, answers, lines, answeredBefore } = await readRun(log, whole, server.port, world);
  for (let at = 0; at < instantsPerRound; at++) {
    const instant = pickInstant(random, lines, answers, disk.syncs);
    const rebuilt = join(folder, `at-${instant}-${at}`);
    rebuildAt(disk, instant, random, rebuilt);
    try {
      await checkAfterFailure(world, code, join(rebuilt, placeOnDisk), answeredBefore(instant));
    } catch (error) {
      throw new TortureFailure([
        `power lost before line ${instant} of ${lines}: ${error instanceof Error ? error.message : String(error)}`,
      ]);
    }
  }
  return { answers: answers.length, failures: instantsPerRound };
}

/** Mostly right behind an answer, or around a sync; else anywhere. */
function pickInstant(
  random: ReturnType<typeof randomNumbers>,
  lines: number,
  answers: readonly { readonly end: number }[],
  syncs: readonly { readonly start: number; readonly end: number }[],
): number {
  if (answers.length > 0 && random.chance(0.5)) return random.pick(answers).end + 1;
  if (syncs.length > 0 && random.chance(0.6)) return random.pick(syncs).end + random.below(3) - 1;
  return 1 + random.below(lines);
}
