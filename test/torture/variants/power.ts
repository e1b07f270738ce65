import { join } from 'node:path';
import { randomNumbers } from '../../support/people.ts';
import { findProgram } from '../../support/programs.ts';
import { followAnswers } from '../answers.ts';
import { followDisk } from '../disk.ts';
import { rebuildAt } from '../rebuild.ts';
import { checkAfterFailure, lanesCount, loadUntil, mustBeFaultless, type Round, type Seen, suffix, TortureFailure } from '../round.ts';
import { startServer } from '../server.ts';
import { readCalls, straceTo } from '../trace.ts';
import { createWorld, type World } from '../world.ts';

const instantsPerRound = 4;

/** Why power cannot fail here. */
export function unavailable(): string | undefined {
  if (process.platform !== 'linux') return 'strace is there on Linux only';
  return findProgram('strace') === undefined ? 'strace is not installed' : undefined;
}

/**
 * Loss of power: one run is traced from its first start on, then the folder is made as a disk may have it at several instants of that run, and a
 * service is started on each.
 */
export async function power({ seed, code, folder }: Round): Promise<Seen> {
  const random = randomNumbers(seed);
  const dataDir = join(folder, 'data');
  const log = join(folder, 'trace');
  const world = createWorld(suffix, lanesCount);
  const server = await startServer({ code, dataDir, under: straceTo(log) });
  try {
    const load = await loadUntil(world, server, seed, 30 + random.below(250));
    await server.kill();
    await load.over;
    mustBeFaultless(load.faults);
  } finally {
    await server.kill();
  }

  const { disk, take } = followDisk(dataDir);
  const sent = followAnswers(server.port);
  let lines = 0;
  for await (const call of readCalls(log)) {
    take(call);
    sent.take(call);
    lines = call.end;
  }
  const codes = new Map(sent.answers.map((answer) => [answer.id, answer]));
  fillIn(world, codes);
  for (let at = 0; at < instantsPerRound; at++) {
    const instant = pickInstant(random, lines, sent.answers, disk.syncs);
    const rebuilt = join(folder, `at-${instant}-${at}`);
    rebuildAt(disk, instant, random, rebuilt);
    try {
      await checkAfterFailure(world, code, rebuilt, ({ id }) => (codes.get(id)?.end ?? lines) < instant);
    } catch (error) {
      throw new TortureFailure([
        `power lost before line ${instant} of ${lines}: ${error instanceof Error ? error.message : String(error)}`,
      ]);
    }
  }
  return { answers: sent.answers.length, failures: instantsPerRound };
}

/** Answers that the service sent and nobody received any more: the trace knows them. */
export function fillIn(world: World, codes: ReadonlyMap<string, { readonly code: number }>): void {
  for (const step of world.all.flatMap(({ steps }) => steps)) step.code ??= codes.get(step.id)?.code;
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
