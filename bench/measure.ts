import { attributesWritten, type Compared, compareServers } from './answers.ts';
import type { Generator } from './generators.ts';
import type { Counted, Lane } from './load.ts';
import { anonymousMib, type Peer, residentMib, type Server } from './process.ts';
import type { World } from './requests.ts';
import type { RowResult, Sample } from './results.ts';
import type { Row } from './rows.ts';
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
  readonly warmMs: number;
  readonly sampleMs: number;
}

/** What is the same for all rows that load running servers. */
export interface Session extends AsyncDisposable {
  /** The servers, slapd with that many threads. */
  servers(threads: number): Promise<Both<Server>>;
  /** Attributes, in lower case, that rows have written so far. */
  readonly written: Set<string>;
}

export function openSession(peers: Both<Peer>): Session {
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
        const atrium = await peers.atrium.start(threads);
        running = {
          servers: {
            atrium,
            slapd: await peers.slapd.start(threads).catch(async (error) => {
              await atrium.stop();
              throw error;
            }),
          },
          threads,
        };
      }
      return running.servers;
    },
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
export async function measureLoad(row: Row, measuring: Measuring): Promise<RowResult | undefined> {
  const { measure } = row;
  if (measure.kind !== 'load' && measure.kind !== 'storm') return undefined;
  const { session, generator, world, timings, progress } = measuring;
  const servers = await session.servers(measure.slapdThreads);
  progress('comparing answers');
  const compared: Compared = await compareServers({ ...servers, lanes: measure.lanes, world, written: session.written });
  for (const attribute of attributesWritten(measure.lanes)) session.written.add(attribute);

  const samples: Both<Sample[]> = { atrium: [], slapd: [] };
  try {
    for (const server of [servers.atrium, servers.slapd]) {
      const { port, pid, adminDn, adminPassword, name } = server;
      await generator.open(name, { port, pid, adminDn, adminPassword, lanes: measure.lanes, world });
    }
    for (let round = 0; round < timings.rounds; round++) {
      for (const side of orderOf(round)) {
        progress(`round ${round + 1} of ${timings.rounds}, ${servers[side].name}`);
        const count = (lanes: number, half: number) =>
          generator.sample(servers[side].name, {
            seed: seedOf(row, round, half),
            warmMs: timings.warmMs,
            sampleMs: timings.sampleMs,
            operationsMin,
            lanes,
          });
        const alone = measure.kind === 'storm' ? await count(1, 0) : undefined;
        samples[side].push(sampleOf(measure.lanes, await count(measure.lanes.length, 1), servers[side], alone));
      }
    }
  } finally {
    for (const { name } of [servers.atrium, servers.slapd]) await generator.close(name);
  }
  return { id: row.id, ...samples, compared };
}

/** A rate of fewer operations than this is none. */
const operationsMin = 10;

/** The same for both servers, another for each sample of each row. */
function seedOf(row: Row, round: number, half: number): number {
  let seed = 1 + round * 2 + half;
  for (const character of row.id) seed = (seed * 31 + character.charCodeAt(0)) % 8191;
  return 1 + seed;
}

function sampleOf(lanes: readonly Lane[], counted: Counted, server: Server, alone?: Counted): Sample {
  const [first, second] = counted.lanes;
  if (first === undefined || first.operations === 0) throw new Error(`${server.name} answered nothing in ${counted.seconds.toFixed(1)} s`);
  const operations = counted.lanes.reduce((sum, lane) => sum + lane.operations, 0);
  const p99Us = percentileUs(first.latencies, 0.99);
  const aloneP99Us = percentileUs(alone?.lanes[0]?.latencies ?? [], 0.99);
  return {
    value: alone === undefined ? first.operations / counted.seconds : p99Us / aloneP99Us,
    p50Us: percentileUs(first.latencies, 0.5),
    p99Us,
    processorUs: (counted.serverProcessorMs * 1000) / operations,
    residentMib: residentMib(server.pid),
    anonymousMib: anonymousMib(server.pid),
    octetsEach: first.octets / first.operations,
    generatorBusy: counted.generatorProcessorMs / 1000 / counted.seconds,
    ...(lanes.length > 1 && second !== undefined
      ? { beside: { perS: second.operations / counted.seconds, p99Us: percentileUs(second.latencies, 0.99) } }
      : {}),
  };
}
