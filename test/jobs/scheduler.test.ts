import { PassThrough } from 'node:stream';
import test from 'ava';
import { createLog } from '#audit';
import type { JobRow } from '#catalogue';
import { createScheduler, systemTimers, type Timers } from '#jobs';
import { observeLog } from '../support/observed.ts';

const row = { everyS: 'a.everyS', scope: 'service', means: 'for this test' } as const satisfies JobRow;

/** A clock and its timers, moved by hand: what is due runs in its order, and what it begins has its turns. */
function handMoved() {
  let nowMs = 1_000_000;
  let timers: { readonly atMs: number; readonly callback: () => void }[] = [];
  const source: Timers = {
    after: (delayMs, callback) => {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  };
  const pass = async (ms: number) => {
    const untilMs = nowMs + ms;
    for (;;) {
      const [next] = timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      timers = timers.filter((one) => one !== next);
      nowMs = next.atMs;
      next.callback();
      await new Promise(setImmediate);
    }
    nowMs = untilMs;
  };
  return { clock: { nowMs: () => nowMs }, timers: source, pass, waiting: () => timers.length };
}

function open(settings: Record<string, number>) {
  const hand = handMoved();
  const stream = new PassThrough({ encoding: 'utf8' });
  const log = createLog({ json: false, level: 'debug', stream, clock: hand.clock });
  const scheduler = createScheduler({ ...hand, log, secondsOf: (name) => settings[name] ?? 0 });
  const logged = () => {
    const text = String(stream.read() ?? '');
    observeLog(text);
    return text;
  };
  return { ...hand, scheduler, logged };
}

test('a job runs each time its setting says, and not before the start', async (t) => {
  const { scheduler, pass } = open({ 'a.everyS': 30 });
  let runs = 0;
  scheduler.add('a', row, async () => `run ${++runs}`);
  await pass(100_000);
  t.is(runs, 0);
  scheduler.start();
  await pass(29_999);
  t.is(runs, 0);
  await pass(1);
  t.is(runs, 1);
  await pass(90_000);
  t.is(runs, 4);
  const last = scheduler.lastRuns().get('a');
  t.is(last?.outcome, 'done');
  t.is(last?.report, 'run 4');
});

test('0 switches a job off; a changed setting counts after replan', async (t) => {
  const settings = { 'a.everyS': 0 };
  const { scheduler, pass } = open(settings);
  let runs = 0;
  scheduler.add('a', row, async () => `run ${++runs}`);
  scheduler.start();
  await pass(1_000_000);
  t.is(runs, 0);
  settings['a.everyS'] = 10;
  scheduler.replan(['a.everyS']);
  await pass(20_000);
  t.is(runs, 2);
  settings['a.everyS'] = 0;
  await pass(10_000);
  t.is(runs, 3);
  await pass(1_000_000);
  t.is(runs, 3, 'the setting is read again after each run');
});

test('a job never overlaps itself, and who asks for a run meanwhile joins the one under way', async (t) => {
  const { scheduler, pass } = open({ 'a.everyS': 10 });
  let underWay = 0;
  let most = 0;
  let runs = 0;
  let finish = () => {};
  scheduler.add('a', row, async () => {
    most = Math.max(most, ++underWay);
    runs++;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    underWay--;
    return 'done';
  });
  scheduler.start();
  await pass(10_000);
  const byHand = scheduler.run('a');
  await pass(60_000);
  t.is(runs, 1);
  finish();
  t.is((await byHand)?.outcome, 'done');
  await pass(10_000);
  t.is(runs, 2);
  t.is(most, 1);
  finish();
  t.is(scheduler.run('none'), undefined);
});

test('a failed run is logged with STS-SCHED-0001, and the next one comes as planned', async (t) => {
  const { scheduler, pass, logged } = open({ 'a.everyS': 10 });
  let runs = 0;
  scheduler.add('a', row, async () => {
    if (++runs === 1) throw new Error('the disk is away');
    return 'done';
  });
  scheduler.start();
  await pass(10_000);
  t.deepEqual([scheduler.lastRuns().get('a')?.outcome, scheduler.lastRuns().get('a')?.report], ['failed', 'the disk is away']);
  t.regex(logged(), /error \[STS-SCHED-0001\] job a: the disk is away/);
  await pass(10_000);
  t.is(scheduler.lastRuns().get('a')?.outcome, 'done');
});

test('closing plans nothing more and waits for what is under way', async (t) => {
  const { scheduler, pass, waiting } = open({ 'a.everyS': 10 });
  let finish = () => {};
  let finished = false;
  scheduler.add('a', row, async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    finished = true;
    return 'done';
  });
  scheduler.start();
  await pass(10_000);
  const closed = scheduler.close();
  finish();
  await closed;
  t.true(finished);
  t.is(waiting(), 0);
});

test('an interval longer than a timer can wait is waited for in parts', async (t) => {
  const everyS = 60 * 86_400;
  const { scheduler, pass } = open({ 'a.everyS': everyS });
  let runs = 0;
  scheduler.add('a', row, async () => `run ${++runs}`);
  scheduler.start();
  await pass(everyS * 1000 - 1);
  t.is(runs, 0);
  await pass(1);
  t.is(runs, 1);
});

test('two jobs of one name are a defect', (t) => {
  const { scheduler } = open({});
  scheduler.add('a', row, async () => '');
  t.throws(() => scheduler.add('a', row, async () => ''));
});

test('the process’s timers call back once, unless they are stopped', async (t) => {
  const order: string[] = [];
  // Unref'd timers do not keep this test's loop alive; the interval does.
  const alive = setInterval(() => undefined, 1000);
  systemTimers.after(1, () => order.push('stopped'))();
  await new Promise<void>((resolve) => {
    systemTimers.after(1, () => {
      order.push('called');
      resolve();
    });
  });
  clearInterval(alive);
  t.deepEqual(order, ['called']);
});
