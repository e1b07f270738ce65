import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, randomNumbers } from '../../support/people.ts';
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
  wasAnswered,
} from '../round.ts';
import { followInjected, readRun, type TracedRun } from '../run-trace.ts';
import { type Ended, NotStarted, type Server, startServer, within } from '../server.ts';
import { type Call, octetsOf, straceTo } from '../trace.ts';
import { createWorld, type World } from '../world.ts';

/** A system call that fails: after how many calls, and how often, each thread for itself. Each range is from the least to the most. */
interface Fault {
  readonly call: 'fdatasync' | 'fsync' | 'pwrite64';
  readonly error: 'EIO' | 'ENOSPC';
  readonly behind: readonly [least: number, most: number];
  readonly times: readonly [least: number, most: number];
}

/** A first start makes some fifty fsyncs and 130 writes: now and then it is the start that fails. */
const possibleFaults = [
  { call: 'fdatasync', error: 'EIO', behind: [2, 20], times: [1, 1] },
  { call: 'pwrite64', error: 'ENOSPC', behind: [250, 1800], times: [1, 120] },
  { call: 'fsync', error: 'EIO', behind: [30, 90], times: [1, 1] },
  { call: 'pwrite64', error: 'EIO', behind: [1, 1800], times: [1, 60] },
] as const satisfies readonly Fault[];

/** LDAP's code for a change that could not be written: unavailable. */
const notWritten = 52;
/** As long as a start may take: on a machine that others use a process takes its time to end, too. */
const endTimeoutMs = 60_000;
const answersMax = 2500;
const answersBetweenLooks = 20;
const answersAfter = 60;

/** What became of the service. */
interface Outcome {
  readonly port: number | undefined;
  readonly thread: string | undefined;
  /** When it ended by itself, or never started. */
  readonly ended: Ended | undefined;
}

/**
 * A disk that fails: strace makes some of the service's writes or syncs return an error. A failed sync must end the process with nothing more
 * answered; a failed write is answered 52, nothing of it is kept, and later writes work. Then the folder is looked at as it is, and as it would be
 * had the power failed as well.
 */
export async function faults({ seed, code, workers, folder }: Round): Promise<Seen> {
  const random = randomNumbers(seed);
  const fault: Fault = random.pick(possibleFaults);
  const [behind, times] = [between(random, fault.behind), between(random, fault.times)];
  const injection = `${fault.call}:error=${fault.error}:when=${behind}..${behind + times - 1}`;
  const whole = join(folder, 'disk');
  mkdirSync(whole);
  const dataDir = join(whole, placeOnDisk);
  const log = join(folder, 'trace');
  const world = createWorld(suffix, lanesCount);
  try {
    const outcome = await runFaulty({ world, code, workers, dataDir, log, injection, times, seed, fault });
    const run = await readRun(log, whole, outcome.port, world);
    const rebuilt = join(folder, 'after-power-loss');
    rebuildAt(run.disk, run.lines + 1, random, rebuilt);
    mustBeFaultless(fault.call === 'pwrite64' ? judgeWrites(outcome, run) : judgeSyncs(outcome, run, workers, world.queued));
    await checkAfterFailure(world, code, dataDir, wasAnswered);
    await checkAfterFailure(world, code, join(rebuilt, placeOnDisk), wasAnswered);
    return { answers: run.answers.length, failures: run.injected.length };
  } catch (error) {
    throw error instanceof TortureFailure ? new TortureFailure([`${injection}: ${error.message}`]) : error;
  }
}

interface Run {
  readonly world: World;
  readonly code: string;
  readonly workers: number;
  readonly dataDir: string;
  readonly log: string;
  readonly injection: string;
  readonly times: number;
  readonly seed: number;
  readonly fault: Fault;
}

async function runFaulty(run: Run): Promise<Outcome> {
  let server: Server;
  try {
    server = await startServer({ code: run.code, workers: run.workers, dataDir: run.dataDir, under: straceTo(run.log, [run.injection]) });
  } catch (error) {
    if (error instanceof NotStarted) return { port: undefined, thread: undefined, ended: { status: null, said: error.message } };
    throw error;
  }
  try {
    const ended = await loadFaulty(run, server);
    return { port: server.port, thread: server.thread, ended };
  } finally {
    await server.kill();
  }
}

/** Changes everything until the fault has come and gone; after failed writes, changes must then succeed as ever. */
async function loadFaulty({ world, log, times, seed, fault }: Run, server: Server): Promise<Ended | undefined> {
  const isSync = fault.call !== 'pwrite64';
  const injected = followInjected(log);
  // Each thread fails for itself: writes are over for changes when they are over in the thread that writes entries, whatever the others still meet.
  const isOver = () =>
    isSync ? injected().some(isOfEntries) : injected().filter(({ thread }) => thread === server.thread).length >= times;
  const load = await loadUntil(world, server, seed, 1, isSync ? [] : [notWritten]);
  while (!load.isOver && load.answers < answersMax && !isOver()) await load.reached(load.answers + answersBetweenLooks);
  load.stop();
  const ended = isSync && isOver() ? await within(endTimeoutMs, server.ended) : undefined;
  await load.over;
  mustBeFaultless(load.faults);
  if (isSync || !isOver()) return ended;

  const after = await loadUntil(world, server, seed + 1, answersAfter);
  after.stop();
  await after.over;
  mustBeFaultless(after.faults);
  if (after.answers < answersAfter) throw new TortureFailure([`after writes that failed the service ended: ${server.said()}`]);
  return undefined;
}

/**
 * The files of entries, also while they are made. Not the folder in which a new one is made: SQLite does not mind when its sync fails, and needs
 * not to, since the file gets its name when it is complete.
 */
const ofEntries = /\/directory\.sqlite(-wal|\.new-[^/]*\/database(-journal)?)?$/;

function isOfEntries(call: Call): boolean {
  return ofEntries.test(pathOf(call));
}

/** What comes of a sync that failed: of one of entries, the end. SQLite's own of the audit trail may fail, since nobody is told it is on disk. */
function judgeSyncs(
  { port, thread, ended }: Outcome,
  { injected, answers }: TracedRun,
  workers: number,
  queued: ReadonlySet<string>,
): string[] {
  const first = injected.find(isOfEntries);
  if (first === undefined) return ended === undefined || injected.length > 0 ? [] : [`it ended without a fault: ${ended.said}`];
  if (port === undefined) return judgeStart(ended);
  if (ended === undefined) return ['a sync of the entries failed, and the process goes on'];
  const faults: string[] = [];
  if (ended.status !== 1 || !ended.said.includes('STS-STORE-9001')) faults.push(`it ended with ${ended.status} and said: ${ended.said}`);
  // Of what fails beside it the main thread hears later, and answers meanwhile what its own sync has confirmed; and beside it an answer may be on
  // its way. That what was answered is on disk is seen when the power is lost.
  if (workers > 0 || (first.thread !== thread && first.name !== 'fdatasync')) return faults;
  const promising = answers.filter(({ id, code, kind }) => code === 0 && kind !== 'bindResponse' && !queued.has(id));
  const later = promising.filter(({ end }) => end > first.end);
  if (later.length > 0) faults.push(`${later.length} changes were answered with success after a failed sync`);
  return faults;
}

function judgeWrites({ port, ended }: Outcome, { injected, answers }: TracedRun): string[] {
  if (port === undefined) return judgeStart(ended);
  // The first takes a whole batch with it, after which each change is tried for itself.
  const ofLog = injected.filter((call) => pathOf(call).endsWith('/directory.sqlite-wal')).length;
  if (ofLog > 2 && !answers.some(({ code }) => code === notWritten))
    return [`${ofLog} writes of the log failed, and no change was refused`];
  return injected.length === 0 || ended === undefined ? [] : [`it ended after a write that failed: ${ended.said}`];
}

/** A start that meets a fault is refused in words. */
function judgeStart(ended: Ended | undefined): string[] {
  const said = ended?.said ?? '';
  return /STS-[A-Z]+-\d{4}/.test(said) ? [] : [`the start failed without an error code: ${said}`];
}

/** The path of the file of a call: the descriptor's. */
function pathOf({ args }: Call): string {
  return octetsOf(/^\d+<((?:\\x[0-9a-f]{2})+)>/.exec(args)?.[1] ?? '').toString();
}

function between(random: Random, [least, most]: readonly [least: number, most: number]): number {
  return least + random.below(most - least + 1);
}
