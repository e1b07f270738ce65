import type { Along, Engine, Task, TaskProgress, TaskUpdated } from '#directory';
import type { Exchange } from './exchange.ts';
import type { Report } from './report.ts';

/** What the work of a task is given. */
export interface Work {
  readonly task: Task;
  readonly engine: Engine;
  readonly exchange: Exchange;
  readonly report: Report;
  /** Aborted with a `TaskEnded` when the task's entry is gone, or the service ends. */
  readonly signal: AbortSignal;
  /** Writes to the task's entry, and other changes in the same commit. */
  readonly update: (progress: TaskProgress, along: Along) => Promise<TaskUpdated>;
}

/** What ends the work of a task from outside: somebody has deleted its entry, or the service ends. */
export class TaskEnded extends Error {
  readonly how: 'cancelled' | 'stopped';
  constructor(how: 'cancelled' | 'stopped') {
    super(`the task was ${how}`);
    this.how = how;
  }
}

/** How a task ended, as its entry says it; nothing for one whose entry is gone or that goes on with the next start. */
export interface Outcome {
  readonly state: 'done' | 'failed' | 'interrupted';
  readonly result: string;
  /** Entries, or pages of a backup. */
  readonly done: number | undefined;
}
