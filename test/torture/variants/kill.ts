import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { randomNumbers } from '../../support/people.ts';
import { checkService } from '../check.ts';
import { settle } from '../model.ts';
import {
  administrator,
  checkAfterFailure,
  lanesCount,
  loadUntil,
  mustBeFaultless,
  type Round,
  type Seen,
  suffix,
  wasAnswered,
} from '../round.ts';
import { startServer } from '../server.ts';
import { createWorld } from '../world.ts';

/** SIGKILL while everything changes, again and again on one folder: each next start finds what was answered, and goes on from there. */
export async function kill({ seed, code, workers, folder }: Round): Promise<Seen> {
  const random = randomNumbers(seed);
  const world = createWorld(suffix, lanesCount);
  const dataDir = join(folder, 'data');
  const failures = 1 + random.below(3);
  let answers = 0;
  for (let cycle = 0; cycle < failures; cycle++) {
    const server = await startServer({ code, workers, dataDir });
    try {
      if (cycle > 0) {
        const { found, faults } = await checkService(world, { port: server.port, ...administrator }, wasAnswered);
        mustBeFaultless(faults);
        settle(world.all, found);
      }
      const load = await loadUntil(world, server, seed + cycle, random.below(500));
      // Some turns later, at whatever moment that is.
      for (let turns = random.below(40); turns > 0; turns--) await setImmediate();
      await server.kill();
      await load.over;
      mustBeFaultless(load.faults);
      answers += load.answers;
    } finally {
      await server.kill();
    }
  }
  await checkAfterFailure(world, code, dataDir, wasAnswered);
  return { answers, failures };
}
