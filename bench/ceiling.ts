import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Generator } from './generators.ts';
import type { Listening } from './nothing.ts';
import type { World } from './requests.ts';
import type { Ceiling } from './results.ts';

const connections = 10;
const warmMs = 500;
const sampleMs = 1500;

/** Loads a server that answers without looking: no rate above what comes out here can be measured, whoever answers. */
export async function measureCeilings(generator: Generator, world: World): Promise<Ceiling[]> {
  const child = fork(join(import.meta.dirname, 'nothing.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [{ port }] = (await once(child, 'message')) as [Listening];
    const ceilings: Ceiling[] = [];
    for (const outstanding of [1, 8]) {
      await generator.open('nothing', {
        port,
        pid: child.pid ?? 0,
        adminDn: '',
        adminPassword: '',
        lanes: [{ connections, outstanding, asking: { kind: 'equality', attributes: [] }, as: 'person' }],
        world,
      });
      const { lanes, seconds, generatorProcessorMs } = await generator.sample('nothing', {
        seed: 1,
        warmMs,
        sampleMs,
        operationsMin: 0,
        lanes: [0],
      });
      await generator.close('nothing');
      const operations = lanes[0]?.operations ?? 0;
      ceilings.push({ connections, outstanding, perS: operations / seconds, processorUs: (generatorProcessorMs * 1000) / operations });
    }
    return ceilings;
  } finally {
    child.kill();
  }
}
