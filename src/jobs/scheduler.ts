import type { Log } from '#audit';
import type { Clock } from '#base';
import type { JobRow } from '#catalogue';
import { errors } from './errors.ts';

/** Where the waiting between runs comes from. */
export interface Timers {
  /** Calls back once, after `delayMs` milliseconds. Returns the way to stop it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Timers of the process. None of them keeps it alive. */
export const systemTimers: Timers = {
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** How a run of a job ended. */
export interface JobRun {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'done' | 'failed';
  /** What it reported, or why it failed. */
  readonly report: string;
}

export interface Scheduler {
  /** Takes a job in and, once started, plans its first run. Each name once. */
  add(name: string, row: JobRow, run: () => Promise<string>): void;
  start(): void;
  /** Plans anew the jobs whose interval is one of these settings, after they have changed. */
  replan(settings: readonly string[]): void;
  /** Runs a job now, or joins the run under way. `undefined` for a name that is no job. */
  run(name: string): Promise<JobRun> | undefined;
  /** Each job's last run since the start. */
  lastRuns(): ReadonlyMap<string, JobRun>;
  /** Plans nothing more and waits for what is under way. */
  close(): Promise<void>;
}

export interface SchedulerOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** The value in force of an integer setting, by name. */
  readonly secondsOf: (setting: string) => number;
}

interface Job {
  readonly row: JobRow;
  readonly run: () => Promise<string>;
  cancel: (() => void) | undefined;
  underWay: Promise<JobRun> | undefined;
  last: JobRun | undefined;
}

/** The longest a timer of Node can wait is 2³¹ − 1 ms; a longer plan is made in parts. */
const waitMaxMs = 2_000_000_000;

/** Makes the scheduler; nothing runs before `start`. */
export function createScheduler({ clock, timers, log, secondsOf }: SchedulerOptions): Scheduler {
  const jobs = new Map<string, Job>();
  let started = false;

  const plan = (name: string, job: Job) => {
    job.cancel?.();
    job.cancel = undefined;
    const everyS = started ? secondsOf(job.row.everyS) : 0;
    if (everyS > 0) wait(name, job, everyS * 1000);
  };
  const wait = (name: string, job: Job, remainingMs: number) => {
    const partMs = Math.min(remainingMs, waitMaxMs);
    job.cancel = timers.after(partMs, () => {
      if (partMs < remainingMs) wait(name, job, remainingMs - partMs);
      else void begin(name, job);
    });
  };
  const begin = (name: string, job: Job): Promise<JobRun> => {
    job.underWay ??= perform(name, job).finally(() => {
      job.underWay = undefined;
      // Planned from the end of a run: one that takes longer than its interval does not run without a pause.
      plan(name, job);
    });
    return job.underWay;
  };
  const perform = async (name: string, job: Job): Promise<JobRun> => {
    const startedMs = clock.nowMs();
    const ended = (outcome: JobRun['outcome'], report: string) => {
      job.last = { startedMs, endedMs: clock.nowMs(), outcome, report };
      return job.last;
    };
    try {
      const report = await job.run();
      log.debug(`job ${name}: ${report}`);
      return ended('done', report);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown error';
      log.error(errors.runFailed, `job ${name}: ${why}`, { job: name });
      return ended('failed', why);
    }
  };

  return {
    add: (name, row, run) => {
      if (jobs.has(name)) throw new Error(`two jobs are called ${name}`);
      const job: Job = { row, run, cancel: undefined, underWay: undefined, last: undefined };
      jobs.set(name, job);
      plan(name, job);
    },
    start: () => {
      started = true;
      for (const [name, job] of jobs) plan(name, job);
    },
    replan: (settings) => {
      for (const [name, job] of jobs) if (job.underWay === undefined && settings.includes(job.row.everyS)) plan(name, job);
    },
    run: (name) => {
      const job = jobs.get(name);
      return job === undefined ? undefined : begin(name, job);
    },
    lastRuns: () => new Map([...jobs].flatMap(([name, { last }]) => (last === undefined ? [] : [[name, last] as const]))),
    close: async () => {
      started = false;
      for (const job of jobs.values()) {
        job.cancel?.();
        job.cancel = undefined;
      }
      await Promise.all([...jobs.values()].map(({ underWay }) => underWay));
    },
  };
}
