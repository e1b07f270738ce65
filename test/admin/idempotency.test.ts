import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import type { AuditRow } from '#audit';
import { readSettings, refuse } from '#catalogue';
import { openState } from '#state';
import { openStateStore, type StateStore, storeErrors, storeSettings } from '#store';
import { type Idempotency, openIdempotency } from '../../src/admin/api/idempotency.ts';
import { openClock } from '../support/clock.ts';
import { call, openApi } from './api.ts';

const minuteMs = 60_000;

/** Keys of two processes over one state, whose disk can be full: then every write is refused as the store refuses it. */
function open(t: { teardown(done: () => void): void }) {
  const clock = openClock();
  const settings = { ...readSettings(storeSettings, { environment: {} }).values, 'persistence.mode': 'memory' as const };
  const real = openStateStore({ file: 'unused', settings, clock, epoch: 1 });
  t.teardown(() => real.close());
  const disk = { isFull: false };
  const whenRoom = <A extends readonly unknown[], T>(write: (...given: A) => T) => {
    return (...given: A): T => {
      if (disk.isFull) throw refuse(storeErrors.stateNotWritten, { why: 'SQLITE_FULL' });
      return write(...given);
    };
  };
  const { put, putNew, replace, delete: remove, sweep } = real;
  const written = { put, putNew, replace, delete: remove, sweep };
  const refusing = Object.fromEntries(
    Object.entries(written).map(([name, write]) => [name, whenRoom(write as (...given: unknown[]) => unknown)]),
  );
  const store: StateStore = { ...real, ...refusing };
  const state = openState({ store, clock });
  const told: string[] = [];
  const keys = openIdempotency(state, clock, { warn: ({ code }) => void told.push(code) });
  const beside = openIdempotency(openState({ store, clock }), clock, { warn: () => undefined });
  let made = 0;
  const askOf =
    (keys: Idempotency) =>
    (key: string, given: unknown = {}, { by = 'ada', fills = false, fails = false, until = Promise.resolve() } = {}) =>
      keys.once({ realm: 'default', caller: { entryUuid: by }, row: { name: 'things.create' }, key }, given, async () => {
        await until;
        disk.isFull ||= fills;
        if (fails) throw new Error('refused');
        const thing = { ok: true, thing: ++made };
        return { value: thing, made: thing };
      });
  return { clock, disk, state, told, ask: askOf(keys), askBeside: askOf(beside), count: () => made };
}

test('a disk that becomes full while a thing is made: it is answered as made, and so is its key, for a day, with room or without', async (t) => {
  const { clock, disk, told, ask, count } = open(t);
  const first = await ask('k', {}, { fills: true });
  t.deepEqual(first, { ok: true, thing: 1 });
  t.deepEqual(told, ['STS-API-9240']);
  t.deepEqual(await ask('k'), first);
  await t.throwsAsync(ask('k', { other: true }), { message: /STS-API-9014/ });
  await t.throwsAsync(ask('new'), { message: /STS-STORE-9008/ });
  t.is(count(), 1, 'what cannot be noted is not begun');

  // What it noted at its beginning has ended.
  clock.moveMs(11 * minuteMs);
  t.deepEqual(await ask('k'), first);
  disk.isFull = false;
  t.deepEqual(await ask('k'), first);
  clock.moveMs(23 * 60 * minuteMs);
  t.deepEqual(await ask('k'), first);
  clock.moveMs(2 * 60 * minuteMs);
  t.deepEqual(await ask('k'), { ok: true, thing: 2 });
});

test('what waited for room is noted by the sweep, so that other processes find it', async (t) => {
  const { clock, disk, state, ask, askBeside } = open(t);
  const first = await ask('k', {}, { fills: true });
  clock.moveMs(11 * minuteMs);
  await t.throwsAsync(state.sweep(), { message: /STS-STORE-9008/ });
  disk.isFull = false;
  await state.sweep();
  t.deepEqual(await askBeside('k'), first);
});

test('a call that made nothing while the disk became full is told its own refusal, and its key is free as soon as there is room', async (t) => {
  const { disk, ask } = open(t);
  await t.throwsAsync(ask('k', {}, { fills: true, fails: true }), { message: 'refused' });
  disk.isFull = false;
  t.deepEqual(await ask('k'), { ok: true, thing: 1 });
});

test('of more than may wait the oldest goes, and the others are kept', async (t) => {
  const { disk, ask, count } = open(t);
  const over = Promise.withResolvers<void>();
  const all = Array.from({ length: 1001 }, (_, at) => ask('k', {}, { by: `person ${at}`, until: over.promise }));
  // Each is under way, and noted, before the disk is full.
  await new Promise(setImmediate);
  disk.isFull = true;
  over.resolve();
  await Promise.all(all);
  t.is(count(), 1001);
  await t.throwsAsync(ask('k', {}, { by: 'person 0' }), { message: /STS-API-9015/ });
  for (const at of [1, 1000]) t.deepEqual(await ask('k', {}, { by: `person ${at}` }), { ok: true, thing: at + 1 });
});

test('STS-API-9240: a state that cannot be written when something was made is no 503, and the key makes nothing twice', async (t) => {
  const clock = openClock();
  let lock: Database.Database | undefined;
  const begun = (row: AuditRow) => {
    if (row.action !== 'admin.groups.create' || lock !== undefined) return;
    lock = new Database(join(atrium.dataDir, 'state.sqlite'));
    lock.exec('BEGIN IMMEDIATE');
  };
  const atrium = await openApi({ clock, heard: begun });
  t.teardown(() => atrium[Symbol.asyncDispose]());
  const create = () =>
    call(t, atrium, 'groups.create', {
      json: { name: 'once', members: [atrium.adminDn] },
      headers: { 'idempotency-key': '"k"' },
    });
  const first = await create();
  t.is(first.status, 201);
  t.regex(atrium.log(), /STS-API-9240/);
  lock?.close();
  clock.moveMs(11 * minuteMs);
  const second = await create();
  t.deepEqual([second.status, second.headers.get('idempotency-replayed')], [201, 'true']);
  t.deepEqual(second.body, first.body);
});
