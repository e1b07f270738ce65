import { createWriter, decodeMessage, type Response } from '#ldap';
import { type Random, randomNumbers } from '../test/support/people.ts';
import { bind, Connection, explain, readHead } from './connection.ts';
import { processorMs } from './process.ts';
import { type Asking, draw, nameOf, type World } from './requests.ts';
import { type Counts, createHistogram, type Histogram } from './statistics.ts';

/** Connections that all do the same. */
export interface Lane {
  readonly connections: number;
  /** Requests that each has under way at any time. */
  readonly outstanding: number;
  readonly asking: Asking;
  readonly as: 'person' | 'administrator';
}

/** Whom to load, and with what. */
export interface Target {
  readonly port: number;
  /** The server's process, whose processor time is read. */
  readonly pid: number;
  readonly adminDn: string;
  readonly adminPassword: string;
  readonly lanes: readonly Lane[];
  readonly world: World;
}

export interface Timing {
  readonly seed: number;
  /** Before counting begins. */
  readonly warmMs: number;
  readonly sampleMs: number;
  /** The sample goes on until each lane has done so many. */
  readonly operationsMin: number;
  /** Which of the lanes take part, by their place. */
  readonly lanes: readonly number[];
}

export interface LaneCount {
  readonly operations: number;
  readonly octets: number;
  readonly latencies: Counts;
}

export interface Counted {
  /** In the order in which the lanes were named. */
  readonly lanes: readonly LaneCount[];
  readonly seconds: number;
  /** Of the server, during these seconds. */
  readonly serverProcessorMs: number;
  /** Of the generator itself: near 1000 for each second it was what limited the rate. */
  readonly generatorProcessorMs: number;
}

/** Connections to one server, open and bound, that are set to work for a while again and again. */
export class Load implements Disposable {
  readonly #target: Target;
  readonly #workers: readonly Worker[];

  private constructor(target: Target, workers: readonly Worker[]) {
    this.#target = target;
    this.#workers = workers;
  }

  static async open(target: Target): Promise<Load> {
    const workers: Worker[] = [];
    for (const [lane, { connections, ...each }] of target.lanes.entries()) {
      for (let i = 0; i < connections; i++) {
        const connection = await Connection.open(target.port);
        // Who binds again and again need not bind before. One at a time: what this costs is no part of the row.
        if (each.asking.kind !== 'bind') await bindAs(connection, each.as, target);
        workers.push({ connection, lane, outstanding: each.outstanding, asking: each.asking });
      }
    }
    return new Load(target, workers);
  }

  /** @throws Error for any answer but success: a row that fails is not a fast row */
  async sample(timing: Timing): Promise<Counted> {
    const { pid, world } = this.#target;
    const counters = timing.lanes.map(() => createCounter(timing.operationsMin));
    const counterOf = (lane: number) => counters[timing.lanes.indexOf(lane)];
    let state: State = 'warming';
    let next = timing.seed * numbersPerSample;
    const shared = { world, unused: () => next++, state: () => state };
    const running = this.#workers.flatMap((worker, index) => {
      const counter = counterOf(worker.lane);
      return counter === undefined ? [] : [work(worker, { ...shared, random: randomNumbers(timing.seed * 1009 + index), counter })];
    });
    const ended = Promise.all(running);
    try {
      await Promise.race([wait(timing.warmMs), ended]);
      const before = { ms: performance.now(), server: processorMs(pid), own: ownProcessorMs() };
      state = 'counting';
      await Promise.race([Promise.all([wait(timing.sampleMs), ...counters.map(({ enough }) => enough)]), ended]);
      state = 'ending';
      const after = { ms: performance.now(), server: processorMs(pid), own: ownProcessorMs() };
      await within(drainMs, ended);
      return {
        lanes: counters.map(({ operations, octets, histogram }) => ({ operations, octets, latencies: histogram.counts() })),
        seconds: (after.ms - before.ms) / 1000,
        serverProcessorMs: after.server - before.server,
        generatorProcessorMs: after.own - before.own,
      };
    } finally {
      state = 'ending';
    }
  }

  [Symbol.dispose](): void {
    for (const { connection } of this.#workers) connection[Symbol.dispose]();
  }
}

type State = 'warming' | 'counting' | 'ending';

/** Names of one sample's new entries are apart from those of any other's. */
const numbersPerSample = 1_000_000;
/** A queue of slow hashes may need some time to be worked off. */
const drainMs = 60_000;

interface Worker {
  readonly connection: Connection;
  readonly lane: number;
  readonly outstanding: number;
  readonly asking: Asking;
}

interface Counter {
  operations: number;
  octets: number;
  readonly histogram: Histogram;
  /** Resolves when the least number of operations is counted. */
  readonly enough: Promise<void>;
  count(us: number, octets: number): void;
}

function createCounter(operationsMin: number): Counter {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (operationsMin === 0) resolve();
  const histogram = createHistogram();
  return {
    operations: 0,
    octets: 0,
    histogram,
    enough: promise,
    count(us, octets) {
      this.octets += octets;
      histogram.add(us);
      if (++this.operations === operationsMin) resolve();
    },
  };
}

interface Working {
  readonly world: World;
  readonly random: Random;
  readonly unused: () => number;
  readonly state: () => State;
  readonly counter: Counter;
}

/** Between two chunks of at most 64 KiB. */
const slowRestMs = 20;
const idsMax = 1 << 15;
const writerOctets = 65_536;

/** Keeps a connection busy until the state says that it ends and everything under way is answered. */
function work({ connection, outstanding, asking }: Worker, { state, counter, ...drawing }: Working): Promise<void> {
  const begunMs = new Float64Array(idsMax);
  let id = 0;
  let underWay = 0;
  let octets = 0;
  const due = createWriter(writerOctets);

  const issue = () => {
    id = (id % (idsMax - 1)) + 1;
    due.message({ messageId: id, op: draw(asking, drawing), controls: [] });
    begunMs[id] = performance.now();
    underWay++;
  };
  const send = () => {
    if (due.length > 0) connection.write(due.take());
  };

  return new Promise((resolve, reject) => {
    connection.listen({
      message(bytes, at, next) {
        const { messageId, code } = readHead(bytes, at);
        octets += next - at;
        if (code < 0) return;
        underWay--;
        if (code !== 0) return reject(new Error(`${asking.kind}: ${wordsOf(bytes.subarray(at, next))}`));
        if (state() === 'counting') counter.count((performance.now() - (begunMs[messageId] ?? 0)) * 1000, octets);
        octets = 0;
        if (state() !== 'ending') issue();
        else if (underWay === 0) resolve();
      },
      turn() {
        send();
        if (asking.kind === 'slowly') connection.rest(slowRestMs);
      },
      lost: reject,
    });
    for (let i = 0; i < outstanding; i++) issue();
    send();
  });
}

function wordsOf(message: Uint8Array): string {
  const decoded = decodeMessage(message, { depthMax: 100 });
  return decoded.kind === 'bad' ? decoded.why : explain(decoded.message.op as Response);
}

async function bindAs(connection: Connection, as: Lane['as'], { adminDn, adminPassword, world }: Target): Promise<void> {
  if (as === 'administrator') await bind(connection, adminDn, adminPassword);
  else await bind(connection, personDn(world), world.password);
}

/** The person that searches are made as: nobody special, and not the one who administers. */
export function personDn({ base, count }: World): string {
  return nameOf(count >> 1, base);
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`requests were left without an answer for ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
