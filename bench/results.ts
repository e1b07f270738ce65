import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Compared } from './answers.ts';
import type { Machine } from './machine.ts';
import type { LoopDelay } from './process.ts';
import { isSignIns } from './sign-ins-report.ts';

/** One measurement of one server. */
export interface Sample {
  /** In the unit of the row: operations a second, seconds, MiB, or a quotient. */
  readonly value: number;
  readonly p50Us?: number;
  readonly p99Us?: number;
  /** Processor time of the server for each operation or entry, microseconds. */
  readonly processorUs?: number;
  readonly residentMib?: number;
  /** The part of the resident memory that is no pages of files. */
  readonly anonymousMib?: number;
  readonly octetsEach?: number;
  /** Share of one core that the load generator used. */
  readonly generatorBusy?: number;
  /** What other connections did meanwhile, or, where a row sets two kinds of work against each other, the work it is held against. */
  readonly beside?: { readonly perS: number; readonly p50Us: number; readonly p99Us: number; readonly processorUs?: number };
  /** How late the server's event loop was, where it was watched. */
  readonly loop?: LoopDelay;
}

export interface RowResult {
  readonly id: string;
  /** One a round; the same place is the same round. */
  readonly atrium: readonly Sample[];
  readonly slapd: readonly Sample[];
  readonly compared?: Compared;
  /** How long all of it took. */
  readonly tookS?: number;
  /** Why there is no measurement. */
  readonly missing?: { readonly failed: boolean; readonly why: string };
}

/** What the load generator reaches when the server costs nothing. */
export interface Ceiling {
  readonly connections: number;
  readonly outstanding: number;
  readonly perS: number;
  readonly processorUs: number;
}

/** One run, as it is kept. */
export interface Run {
  readonly format: 1;
  readonly date: string;
  readonly commit: string;
  /** Whether files differed from that commit. */
  readonly changed: boolean;
  readonly size: number;
  readonly rounds: number;
  readonly sampleS: number;
  /** Rounds of import, export and start-up. */
  readonly bulkRounds?: number;
  /** Whether every row was taken up, those that failed included. */
  readonly complete: boolean;
  readonly machine: Machine;
  readonly ceilings: readonly Ceiling[];
  readonly rows: readonly RowResult[];
}

const folder = join(import.meta.dirname, 'results');

/** Keeps a run, or what there is of it so far: the last writing takes the place of those before. @returns the name of the file, below `bench/results` */
export function saveRun(run: Run): string {
  mkdirSync(folder, { recursive: true });
  const name = `${run.date.slice(0, 16).replace(/:/g, '')}-${run.size}-${run.commit}`;
  const part = `${name}-part.json`;
  const file = run.complete ? `${name}.json` : part;
  writeFileSync(join(folder, file), `${JSON.stringify(run, rounded, 1)}\n`);
  if (run.complete) rmSync(join(folder, part), { force: true });
  return file;
}

/** Six digits are more than any measurement has. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}

/** The newest complete run of each size on each kind of processor, the smallest size first. */
export function newestRuns(): Run[] {
  const runs = readdirSync(folder)
    .filter((name) => name.endsWith('.json') && !isSignIns(name))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Run);
  return newestOfEachKind(runs);
}

export function newestOfEachKind(runs: readonly Run[]): Run[] {
  const newest = new Map<string, Run>();
  for (const run of runs.filter(({ complete }) => complete).sort((a, b) => a.date.localeCompare(b.date)))
    newest.set(`${run.size} ${run.machine.processor}`, run);
  return [...newest.values()].sort((a, b) => a.size - b.size || a.machine.processor.localeCompare(b.machine.processor));
}
