import type { Outcome as AuditOutcome, Log } from '#audit';
import { Refusal } from '#catalogue';
import { type Engine, generalizedTime, newestEngine, openTaskList, type Task, type TaskList } from '#directory';
import { LdifError } from '#ldap';
import { type BackUp, backupTask } from './backup.ts';
import { errors } from './errors.ts';
import { type Exchange, openExchange } from './exchange.ts';
import { exportTask, type OpenRealm } from './export.ts';
import { importTask } from './import.ts';
import { createReport } from './report.ts';
import { type Outcome, TaskEnded, type Work } from './task.ts';

export interface TaskOptions {
  readonly engine: Engine;
  /** The folder of files that come in and go out. */
  readonly folder: string;
  readonly openRealm: OpenRealm;
  readonly backUp: BackUp;
  readonly log: Log;
}

/** The tasks of a running service. */
export interface Tasks {
  /** Ends what is under way: an import goes on with the next start. */
  stop(): Promise<void>;
  /** Removes what uploads that broke off have left. @returns what it did */
  sweep(): string;
}

/** For so long nothing has to come of an upload: its task is given when all of it is there. */
const uploadMs = 3_600_000;

interface Current {
  readonly uuid: string;
  readonly controller: AbortController;
}

/**
 * Does what entries below cn=tasks ask for, one after the other, and says in each how far it is. What an earlier start left in the middle comes first: imports
 * go on, exports and backups are told to be interrupted.
 */
export async function startTasks(options: TaskOptions): Promise<Tasks> {
  const { engine } = options;
  const exchange = openExchange(options.folder);
  const list = await openTaskList(engine);
  const tried = new Set<string>();
  let isStopping = false;
  let current: Current | undefined;
  let awake = Promise.withResolvers<void>();
  const wake = () => {
    awake.resolve();
    awake = Promise.withResolvers();
  };
  const leave = list.watch((gone) => {
    for (const task of gone) if (task.uuid !== current?.uuid && task.ended === undefined) dropFile(options, exchange, task);
    if (current !== undefined && list.find(current.uuid) === undefined) current.controller.abort(new TaskEnded('cancelled'));
    wake();
  });
  await interruptOthers(options, list, exchange);
  const sweep = () => {
    const waiting = list.all().filter(({ ended }) => ended === undefined);
    const files = exchange.removeUploads(new Set(waiting.map(({ file }) => file)), engine.clock.nowMs() - uploadMs);
    return `${files} files of uploads removed`;
  };
  sweep();

  const run = async () => {
    while (!isStopping) {
      const woken = awake.promise;
      const task = list.all().find(({ uuid, ended }) => ended === undefined && !tried.has(uuid));
      if (task === undefined) {
        await woken;
        continue;
      }
      tried.add(task.uuid);
      const controller = new AbortController();
      current = { uuid: task.uuid, controller };
      await perform(options, list, exchange, task, controller.signal);
      current = undefined;
      await prune(options, list);
    }
  };
  const running = run().catch((error: unknown) => options.log.error(errors.taskFailed, `tasks are done no more: ${String(error)}`));
  return {
    sweep,
    async stop() {
      isStopping = true;
      leave();
      current?.controller.abort(new TaskEnded('stopped'));
      wake();
      await running;
    },
  };
}

/** Of exports and backups nothing is kept that could be gone on with. */
async function interruptOthers({ engine }: TaskOptions, list: TaskList, exchange: Exchange): Promise<void> {
  for (const task of list.all()) {
    if (task.ended !== undefined || task.state === 'waiting' || task.kind === 'import') continue;
    exchange.forget(task.file);
    const ended = generalizedTime(engine.clock.nowMs());
    await list.update(task.uuid, { state: 'interrupted', result: 'the service ended before it was done; add it again', ended });
  }
}

async function perform(options: TaskOptions, list: TaskList, exchange: Exchange, task: Task, signal: AbortSignal): Promise<void> {
  const engine = newestEngine(options.engine);
  const { clock } = engine;
  const report = createReport(list, task.uuid, clock, task.messages);
  const update: Work['update'] = (progress, along) => list.update(task.uuid, progress, along);
  const work: Work = { task, engine, exchange, report, signal, update };
  try {
    if (task.state !== 'waiting') report.message('the service ended in the middle; it goes on');
    await report.write({ ...(task.state === 'waiting' ? { state: 'running' as const } : {}), started: generalizedTime(clock.nowMs()) });
    const outcome = await done(work, options);
    await end(work, outcome, outcome.state === 'failed' ? errors.taskFailed.code : undefined);
    dropFile(options, exchange, task);
  } catch (error) {
    if (error instanceof TaskEnded) {
      if (error.how !== 'cancelled') return;
      dropFile(options, exchange, task);
      tell(work, 'refused', 'it was cancelled: its entry is gone', undefined);
      return;
    }
    const { result, code } = failureOf(error);
    options.log.warn(errors.taskFailed, `${task.dn}: ${result}`);
    await end(work, { state: 'failed', result, done: undefined }, code).then(
      () => dropFile(options, exchange, task),
      (why: unknown) => options.log.error(errors.taskFailed, `${task.dn}: how it ended cannot be written: ${String(why)}`),
    );
  }
}

/** What came for this task alone goes with it, once it is written how it ended: until then the next start may go on with it. */
function dropFile({ log }: TaskOptions, exchange: Exchange, { kind, options, file, dn }: Task): void {
  if (kind !== 'import' || !options.includes('drop')) return;
  try {
    exchange.remove(file);
  } catch (error) {
    log.warn(errors.taskFailed, `${dn}: ${file} stays in the folder exchange: ${String(error)}`);
  }
}

async function done(work: Work, { openRealm, backUp }: TaskOptions): Promise<Outcome> {
  switch (work.task.kind) {
    case 'import':
      return await importTask(work);
    case 'export':
      return await exportTask(work, openRealm);
    case 'backup':
      return await backupTask(work, backUp);
  }
  // An import into a stopped folder looks at no task.
  return { state: 'failed', result: `there is no such kind: ${work.task.kind}`, done: undefined };
}

function failureOf(error: unknown): { readonly result: string; readonly code: string } {
  if (error instanceof Refusal) return { result: error.message, code: error.row.code };
  if (error instanceof LdifError) return { result: error.message, code: errors.taskFailed.code };
  return { result: `internal error: ${error instanceof Error ? error.message : String(error)}`, code: errors.taskFailed.code };
}

async function end(work: Work, { state, result, done: count }: Outcome, code: string | undefined): Promise<void> {
  const ended = generalizedTime(work.engine.clock.nowMs());
  const percent = state === 'done' ? { percent: 100 } : {};
  await work.report.write({ state, result, ended, ...percent, ...(count === undefined ? {} : { done: count }) });
  tell(work, state === 'done' ? 'success' : 'failed', result, code);
}

function tell({ engine, task }: Work, outcome: AuditOutcome, summary: string, errorCode: string | undefined): void {
  const { kind, realm, by, uuid, file } = task;
  engine.audit.record({
    ...{ realm, door: 'service', subject: by, correlationId: uuid, address: '', action: `task.${kind}`, outcome },
    summary: `${file}: ${summary}`,
    ...(errorCode === undefined ? {} : { errorCode }),
  });
}

/** Of tasks that have ended as many are kept as the setting says. */
async function prune({ engine }: TaskOptions, list: TaskList): Promise<void> {
  const ended = list.all().filter((task) => task.ended !== undefined);
  const over = ended.toSorted((a, b) => ((a.ended ?? '') < (b.ended ?? '') ? -1 : 1));
  for (const { uuid } of over.slice(0, Math.max(0, over.length - engine.settings['tasks.keptMax']))) await list.remove(uuid);
}
