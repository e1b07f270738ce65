import { Worker } from 'node:worker_threads';
import type { Audit, Log } from '#audit';
import { Refusal } from '#catalogue';
import { createGenerationBuffer, type Engine } from '#directory';
import { createTallyBuffer, forgetTally, type Listener } from '#listener';
import { createNewsBuffer } from '#state';
import { createProgressBuffer } from '#store';
import { errors } from '../../errors.ts';
import { createLink, type Link } from './link.ts';
import { type MainSide, refusalRows, type WorkerPlan, type WorkerSide } from './worker-plan.ts';
import { serveWorker } from './worker-service.ts';

/** What the threads of the service share, made before the store that they read is opened. */
export interface Crew {
  readonly count: number;
  readonly progress: SharedArrayBuffer;
  /** The main thread's slot is 0. */
  readonly tally: SharedArrayBuffer;
  /** Which schema is in force. */
  readonly generation: SharedArrayBuffer;
  /** What is told of attempts that are counted. */
  readonly news: SharedArrayBuffer;
  /** Asks all workers to let their read transactions go, and resolves when they have, or when that takes too long. */
  letGo(): Promise<void>;
  /** Ends the connections of a person in all workers, or those by some app passwords. @returns how many there were */
  personEnded(entryUuid: string, appPasswords?: readonly string[]): Promise<number>;
  /** How many that would end. */
  connectionsOf(entryUuid: string, appPasswords?: readonly string[]): Promise<number>;
  /** As whom there are connections in all workers, one entryUUID for each. */
  boundAs(): Promise<readonly string[]>;
  /** Tells all workers that other settings are in force. */
  settingsChanged(): void;
  /** Has all workers show this certificate, those too that take the place of others later. */
  showCertificate(...shown: Parameters<Listener['showCertificate']>): Promise<void>;
  /** Starts the workers, and resolves when all of them listen. */
  start(duty: Duty): Promise<void>;
  /** Lets them end what is in progress, and ends them; those that take longer are ended all the same. */
  stop(timeoutMs: number): Promise<void>;
}

/** What the workers do, and for whom. */
export interface Duty {
  readonly engine: Engine;
  readonly plan: Omit<WorkerPlan, 'progress' | 'tally' | 'generation' | 'news'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly log: Log;
}

interface Member {
  readonly worker: Worker;
  readonly link: Link<WorkerSide>;
}

/** A worker that has not let go by then is busy with something long: the log is shortened another time. */
const letGoTimeoutMs = 250;
/** Beyond what its requests may take: for saying goodbye to its peers, and closing files. */
const stopMarginMs = 2000;
/** How long after a worker's death another takes its place: one that dies at once must not take a core for itself. */
const replaceMs = 1000;

/** The threads that serve LDAP beside the main one. One that dies takes its connections with it and nothing else: another takes its place. */
export function createCrew(count: number): Crew {
  const progress = createProgressBuffer();
  const tally = createTallyBuffer(count + 1);
  const generation = createGenerationBuffer();
  const news = createNewsBuffer();
  const members = new Map<number, Member>();
  const replacing = new Set<NodeJS.Timeout>();
  let stopping = false;
  let renewed: Parameters<Crew['showCertificate']> | undefined;

  async function begin(slot: number, duty: Duty): Promise<void> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { name: `ldap ${slot}` });
    const served = serveWorker(duty.engine, duty.audit, (changes) => link.tell('changed', changes));
    const link: Link<WorkerSide> = createLink<MainSide, WorkerSide>(worker, served.side, refusalRows);
    members.set(slot, { worker, link });
    let started = false;
    let why = 'it stopped by itself';
    worker.on('error', (error) => {
      why = placeOf(error);
    });
    worker.on('exit', () => {
      members.delete(slot);
      link.end();
      served.end();
      forgetTally(tally, slot);
      if (started) replace(slot, duty, why);
    });
    try {
      const asStarted = renewed;
      await link.ask('start', { ...planOf(duty, asStarted), progress, generation, news, tally: { buffer: tally, slot } });
      started = true;
      // It has no listener to show another with before.
      if (renewed !== undefined && renewed !== asStarted) await link.ask('showCertificate', ...renewed);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  function replace(slot: number, duty: Duty, why: string): void {
    if (stopping) return;
    duty.log.error(errors.workerEnded, `${errors.workerEnded.means}: ${why}`);
    const timer = setTimeout(() => {
      replacing.delete(timer);
      begin(slot, duty).catch((error: unknown) => replace(slot, duty, placeOf(error)));
    }, replaceMs);
    replacing.add(timer);
  }

  /** What each says; one that is gone took its connections with it. */
  async function all<T>(ask: (link: Link<WorkerSide>) => Promise<T>): Promise<readonly T[]> {
    const said = await Promise.all(
      [...members.values()].map(({ link }) =>
        ask(link)
          .then((each) => [each])
          .catch(() => []),
      ),
    );
    return said.flat();
  }

  async function sum(count: (link: Link<WorkerSide>) => Promise<number>): Promise<number> {
    return (await all(count)).reduce((counted, each) => counted + each, 0);
  }

  return {
    count,
    progress,
    tally,
    generation,
    news,
    async letGo() {
      const asked = [...members.values()].map(({ link }) => link.ask('letGo').catch(() => undefined));
      await within(letGoTimeoutMs, Promise.all(asked));
    },
    personEnded: (...whose) => sum((link) => link.ask('personEnded', ...whose)),
    connectionsOf: (...whose) => sum((link) => link.ask('connectionsOf', ...whose)),
    boundAs: async () => (await all((link) => link.ask('boundAs'))).flat(),
    settingsChanged() {
      for (const { link } of members.values()) link.tell('settingsChanged');
    },
    async showCertificate(...shown) {
      renewed = shown;
      await all((link) => link.ask('showCertificate', ...shown));
    },
    async start(duty) {
      await Promise.all(Array.from({ length: count }, (_, at) => begin(at + 1, duty)));
    },
    async stop(timeoutMs) {
      stopping = true;
      for (const timer of replacing) clearTimeout(timer);
      const stopped = async ({ worker, link }: Member) => {
        await within(
          timeoutMs + stopMarginMs,
          link.ask('stop').catch(() => undefined),
        );
        await worker.terminate();
      };
      await Promise.all([...members.values()].map(stopped));
    },
  };
}

/** With the certificate that is shown by now. */
function planOf({ plan }: Duty, renewed: Parameters<Crew['showCertificate']> | undefined): Duty['plan'] {
  if (renewed === undefined) return plan;
  const { ldap, ldaps } = plan.endpoints;
  const [shown] = renewed;
  return {
    ...plan,
    endpoints: {
      ...(ldap === undefined ? {} : { ldap: ldap.startTls === undefined ? ldap : { ...ldap, startTls: { ...ldap.startTls, ...shown } } }),
      ...(ldaps === undefined ? {} : { ldaps: { ...ldaps, ...shown } }),
    },
  };
}

/** What an operator can use: a refusal's words, or a defect's name and place. Its message stays out: it may repeat what it stumbled over. */
function placeOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (!(error instanceof Error)) return 'something was thrown that is no error';
  const frame = (error.stack ?? '').split('\n').find((line) => line.trim().startsWith('at '));
  return `${error.name} ${(frame ?? '').trim()}`;
}

/** Waits for something, or for so long. */
async function within(timeoutMs: number, waited: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([waited, elapsed]);
  clearTimeout(timer);
}
