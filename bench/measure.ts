import { attributesWritten, type Compared, compareServers } from './answers.ts';
import type { Generator } from './generators.ts';
import type { Counted } from './load.ts';
import { anonymousMib, type LoopDelay, type Peer, residentMib, runProgram, type Server } from './process.ts';
import type { World } from './requests.ts';
import type { RowResult, Sample } from './results.ts';
import type { Measure } from './rows.ts';
import { percentileUs } from './statistics.ts';

/** Something for each of the two. */
export interface Both<T> {
  readonly atrium: T;
  readonly slapd: T;
}

export type Side = keyof Both<unknown>;

/** Who goes first alternates, so that a machine that slows down slows both. */
export function orderOf(round: number): readonly Side[] {
  return round % 2 === 0 ? ['atrium', 'slapd'] : ['slapd', 'atrium'];
}

export interface Timings {
  readonly rounds: number;
  /** Before the first round of a row. */
  readonly firstWarmMs: number;
  readonly warmMs: number;
  readonly sampleMs: number;
}

/** What is the same for all rows that load running servers. */
export interface Session extends AsyncDisposable {
  /** The servers, slapd with that many threads. */
  servers(threads: number): Promise<Both<Server>>;
  /** Ends both; who asks for them next gets them started anew. */
  stop(): Promise<void>;
  /** Attributes, in lower case, that rows have written so far. */
  readonly written: Set<string>;
}

/** Reads every entry once: the rows are of servers that have been at work. */
async function readAll({ port, adminDn, adminPassword }: Server, base: string): Promise<void> {
  const address = ['-H', `ldap://127.0.0.1:${port}`, '-D', adminDn, '-w', adminPassword, '-b', base];
  await runProgram('ldapsearch', ['-x', '-LLL', ...address, '(objectClass=*)', '1.1']);
}

/** @param base  the entry that all others are below */
export function openSession(peers: Both<Peer>, base: string): Session {
  let running: { servers: Both<Server>; threads: number } | undefined;
  const stop = async () => {
    const servers = running?.servers;
    running = undefined;
    await servers?.atrium.stop();
    await servers?.slapd.stop();
  };
  return {
    written: new Set(),
    async servers(threads) {
      if (running?.threads !== threads) {
        await stop();
        const atrium = await peers.atrium.start(threads, true);
        running = {
          servers: {
            atrium,
            slapd: await peers.slapd.start(threads, true).catch(async (error) => {
              await atrium.stop();
              throw error;
            }),
          },
          threads,
        };
        for (const server of Object.values(running.servers)) await readAll(server, base);
      }
      return running.servers;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

export interface Measuring {
  readonly session: Session;
  readonly generator: Generator;
  readonly world: World;
  readonly timings: Timings;
  readonly progress: (text: string) => void;
}

/** Compares the two servers' answers to what a row asks, then loads them in turn. */
export async function measureLoad(id: string, measure: LoadMeasure, measuring: Measuring): Promise<RowResult> {
  const { session, generator, world, timings, progress } = measuring;
  const servers = await session.servers(measure.slapdThreads);
  progress('comparing answers');
  const compared: Compared = await compareServers({ ...servers, lanes: measure.lanes, world, written: session.written });
  for (const attribute of attributesWritten(measure.lanes)) session.written.add(attribute);

  const samples: Both<Sample[]> = { atrium: [], slapd: [] };
  const taking: readonly Side[] = measure.kind === 'loop' ? ['atrium'] : ['atrium', 'slapd'];
  try {
    for (const side of taking) {
      const { port, pid, adminDn, adminPassword, name } = servers[side];
      await generator.open(name, { port, pid, adminDn, adminPassword, lanes: measure.lanes, world });
    }
    for (let round = 0; round < timings.rounds; round++) {
      for (const side of orderOf(round).filter((each) => taking.includes(each))) {
        progress(`round ${round + 1} of ${timings.rounds}, ${servers[side].name}`);
        const count = (half: number, lanes: readonly number[]) =>
          generator.sample(servers[side].name, {
            seed: seedOf(id, round, half),
            warmMs: round === 0 ? timings.firstWarmMs : timings.warmMs,
            sampleMs: timings.sampleMs,
            operationsMin,
            lanes,
          });
        samples[side].push(await takeSample(measure, servers[side], count));
      }
    }
  } finally {
    for (const side of taking) await generator.close(servers[side].name);
  }
  return { id, ...samples, compared };
}

type LoadMeasure = Extract<Measure, { kind: 'load' | 'repeated' | 'storm' | 'against' | 'loop' }>;
type Count = (half: number, lanes: readonly number[]) => Promise<Counted>;

async function takeSample({ kind, lanes }: LoadMeasure, server: Server, count: Count): Promise<Sample> {
  const all = lanes.map((_, i) => i);
  switch (kind) {
    case 'load':
    case 'repeated':
      return sampleOf(await count(1, all), server);
    case 'storm': {
      const [alone] = (await count(0, [0])).lanes;
      const sample = sampleOf(await count(1, all), server);
      return { ...sample, value: (sample.p99Us ?? Number.NaN) / percentileUs(alone?.latencies ?? [], 0.99) };
    }
    case 'against': {
      const { counted, loop } = await watched(server, () => count(1, [0]));
      const sample = sampleOf(counted, server, loop);
      const other = sampleOf(await count(0, [1]), server);
      const { value: perS, p50Us = Number.NaN, p99Us = Number.NaN, processorUs = Number.NaN } = other;
      return { ...sample, value: (sample.processorUs ?? Number.NaN) / processorUs, beside: { perS, p50Us, p99Us, processorUs } };
    }
    case 'loop': {
      const { counted, loop } = await watched(server, () => count(1, all));
      if (loop === undefined) throw new Error(`the event loop of ${server.name} cannot be watched`);
      return { ...sampleOf(counted, server, loop), value: loop.p99Ms };
    }
  }
}

/** Watches the server's event loop, if it has one, while something is measured. */
async function watched(server: Server, measure: () => Promise<Counted>): Promise<{ counted: Counted; loop: LoopDelay | undefined }> {
  const end = await server.watchLoop?.();
  const counted = await measure();
  return { counted, loop: await end?.() };
}

/** A rate of fewer operations than this is none. */
const operationsMin = 10;

/** The same for both servers, another for each sample of each row. */
function seedOf(id: string, round: number, half: number): number {
  let seed = 1 + round * 2 + half;
  for (const character of id) seed = (seed * 31 + character.charCodeAt(0)) % 8191;
  return 1 + seed;
}

function sampleOf(counted: Counted, server: Server, loop?: LoopDelay): Sample {
  const [first, ...others] = counted.lanes;
  if (first === undefined || first.operations === 0) throw new Error(`${server.name} answered nothing in ${counted.seconds.toFixed(1)} s`);
  const operations = counted.lanes.reduce((sum, lane) => sum + lane.operations, 0);
  const latencies = others.flatMap((lane) => lane.latencies);
  const beside = {
    perS: (operations - first.operations) / counted.seconds,
    p50Us: percentileUs(latencies, 0.5),
    p99Us: percentileUs(latencies, 0.99),
  };
  return {
    value: first.operations / counted.seconds,
    p50Us: percentileUs(first.latencies, 0.5),
    p99Us: percentileUs(first.latencies, 0.99),
    processorUs: (counted.serverProcessorMs * 1000) / operations,
    residentMib: residentMib(server.pid),
    anonymousMib: anonymousMib(server.pid),
    octetsEach: first.octets / first.operations,
    generatorBusy: counted.generatorProcessorMs / 1000 / counted.seconds,
    ...(others.length > 0 ? { beside } : {}),
    ...(loop === undefined ? {} : { loop }),
  };
}
