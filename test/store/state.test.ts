import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { Refusal } from '#catalogue';
import { openStateStore, type StateRow, type StateStore } from '#store';
import { createSeen } from '../../src/store/seen.ts';
import { observeLog } from '../support/observed.ts';
import { child } from './child.ts';
import { folder, settingsWith } from './support.ts';

interface Opened {
  readonly state: StateStore;
  readonly clock: { now: number };
}

function opened(t: ExecutionContext, changed: Parameters<typeof settingsWith>[0] = {}, file = join(folder(t), 'state'), epoch = 1): Opened {
  const clock = { now: 1000 };
  const state = openStateStore({ file, settings: settingsWith(changed), clock: { nowMs: () => clock.now }, epoch });
  t.teardown(() => state.close());
  return { state, clock };
}

const row = { kind: 'session', key: 'k', value: 'v', owner: 'o', expiresAtMs: 2000 };

test('a row of another epoch is gone for every call, from the moment the file is opened in the new one, and a sweep takes it', (t) => {
  const file = join(folder(t), 'state');
  const { state: before } = opened(t, {}, file, 1);
  before.put('session', 'k', 'v', 2000, 'o');
  before.put('session', 'again', 'v', 2000, 'o');
  const { state } = opened(t, {}, file, 2);
  t.is(state.get('session', 'k'), undefined);
  t.false(state.replace('session', 'k', 'v', 'w', 3000));
  t.is(state.take('session', 'k'), undefined);
  t.deepEqual(state.list('session', 'o', 10), []);
  t.deepEqual(state.list('session', undefined, 10), []);
  state.put('session', 'again', 'w', 2000, 'o');
  t.is(state.get('session', 'again')?.value, 'w', 'its key may be used again');
  // A process that still has the file open in the epoch before.
  before.put('session', 'late', 'v', 2000, 'o');
  t.is(state.get('session', 'late'), undefined);
  t.is(before.get('session', 'again'), undefined);
  t.deepEqual(
    state.sweep(1000, 10).map(({ key }) => key),
    ['k'],
  );
});

test('a new file has small pages, which each write costs; one that was made with large ones is used as it is', (t) => {
  const file = join(folder(t), 'state');
  // SQLite's file format §1.3.2.
  const pageOctets = () => readFileSync(file).readUInt16BE(16);
  opened(t, {}, file).state.close();
  t.is(pageOctets(), 4096);
  const database = new Database(file);
  for (const pragma of ['journal_mode = DELETE', 'page_size = 8192']) database.pragma(pragma);
  database.exec('VACUUM');
  database.pragma('journal_mode = WAL');
  database.close();
  const { state } = opened(t, {}, file);
  state.put('session', 'k', 'v', 2000, 'o');
  t.like(state.get('session', 'k'), row);
  state.close();
  t.is(pageOctets(), 8192);
});

test('a row is there until it expires', (t) => {
  const { state, clock } = opened(t);
  t.deepEqual(state.put('session', 'k', 'v', 2000, 'o'), []);
  t.deepEqual(state.get('session', 'k'), row);
  t.is(state.get('parked', 'k'), undefined, 'kinds are apart');
  clock.now = 2000;
  t.is(state.get('session', 'k'), undefined);
  t.is(state.take('session', 'k'), undefined);
  t.false(state.replace('session', 'k', 'v', 'w'));
  t.deepEqual(state.list('session', undefined, 10), []);
});

test('what is taken is given once', (t) => {
  const { state } = opened(t);
  state.put('session', 'k', 'v', 2000, 'o');
  t.deepEqual(state.take('session', 'k'), row);
  t.is(state.take('session', 'k'), undefined);
});

test('a value is replaced only while it is the expected one', (t) => {
  const { state } = opened(t);
  state.put('session', 'k', 'v', 2000, 'o');
  t.false(state.replace('session', 'k', 'other', 'w'));
  t.true(state.replace('session', 'k', 'v', 'w'));
  t.deepEqual(state.get('session', 'k'), { ...row, value: 'w' });
  t.true(state.replace('session', 'k', 'w', 'x', 3000));
  t.deepEqual(state.get('session', 'k'), { ...row, value: 'x', expiresAtMs: 3000 });
  t.false(state.replace('session', 'absent', 'v', 'w'));
});

test('the rows of an owner are listed, the oldest first', (t) => {
  const { state } = opened(t);
  state.put('session', 'b', '1', 2000, 'o');
  state.put('session', 'a', '2', 2000, 'o');
  state.put('session', 'c', '3', 2000, 'p');
  state.put('parked', 'd', '4', 2000, 'o');
  const keys = (owner: string | undefined, limit = 10) => state.list('session', owner, limit).map(({ key }) => key);
  t.deepEqual(keys('o'), ['b', 'a']);
  t.deepEqual(keys(undefined), ['b', 'a', 'c']);
  t.deepEqual(keys(undefined, 2), ['b', 'a']);
  t.true(state.delete('session', 'b'));
  t.false(state.delete('session', 'b'));
  t.deepEqual(keys('o'), ['a']);
});

test('a kind has at most as many rows as its bound says: the oldest is put out, and told', (t) => {
  const { state } = opened(t, { 'persistence.stateRowsMax': 2 });
  state.put('session', 'a', '1', 2000);
  state.put('session', 'b', '2', 2000);
  t.deepEqual(state.put('session', 'b', '3', 2000), [], 'one that is put again counts once');
  t.deepEqual(state.put('parked', 'a', '4', 2000), [], 'kinds are counted apart');
  t.deepEqual(
    state.put('session', 'c', '5', 2000).map(({ key }) => key),
    ['a'],
  );
  state.take('session', 'b');
  t.deepEqual(state.put('session', 'd', '6', 2000), [], 'what was taken counts no more');
});

test('a sweep removes what has expired and returns it, in pieces', (t) => {
  const { state } = opened(t);
  for (const [at, key] of ['a', 'b', 'c'].entries()) state.put('session', key, 'v', 1100 + at);
  t.deepEqual(
    state.sweep(1101, 1).map(({ key }) => key),
    ['a'],
  );
  t.deepEqual(
    state.sweep(1101, 9).map(({ key }) => key),
    ['b'],
  );
  t.deepEqual(state.sweep(1101, 9), []);
  t.is(state.get('session', 'c')?.value, 'v');
});

test('two processes that open a file that is not there yet both get a whole one', async (t) => {
  const path = folder(t);
  const openers = [child(t, 'open', path), child(t, 'open', path)];
  await Promise.all(openers.map((opener) => opener.said('ready')));
  for (const opener of openers) opener.say('go');
  t.deepEqual(await Promise.all(openers.map((opener) => opener.ended)), [0, 0], openers.map(({ output }) => output).join());
  for (let number = 0; number < 100; number++) {
    const { state } = opened(t, {}, join(path, String(number)));
    t.is(state.list('opener', undefined, 10).length, 2);
    state.close();
  }
  t.is(readdirSync(path).length, 100, 'nothing else is left');
});

test('two processes that take the same rows, replace the same values, or put where nothing is, never both succeed', async (t) => {
  const file = join(folder(t), 'state');
  const racers = [child(t, 'race', file), child(t, 'race', file)];
  await Promise.all(racers.map((racer) => racer.said('ready')));
  const { state } = opened(t, {}, file);
  for (let number = 0; number < 300; number++) {
    state.put('ticket', String(number), 'fresh', Number.MAX_SAFE_INTEGER);
    state.put('counter', String(number), '0', Number.MAX_SAFE_INTEGER);
  }
  for (const racer of racers) racer.say('go');
  t.deepEqual(await Promise.all(racers.map((racer) => racer.ended)), [0, 0], racers.map(({ output }) => output).join());
  const told = racers.flatMap(({ output }) => output.split('\n'));
  for (const what of ['took', 'replaced', 'put']) {
    const won = told.filter((line) => line.startsWith(what));
    t.is(won.length, 300);
    t.is(new Set(won).size, 300);
  }
});

test('in memory mode the same holds', (t) => {
  const { state } = opened(t, { 'persistence.mode': 'memory' });
  state.put('session', 'k', 'v', 2000, 'o');
  t.deepEqual(state.take('session', 'k'), row);
  t.is(state.take('session', 'k'), undefined);
});

const asRoot = process.getuid?.() === 0 && existsSync('/proc/mounts') ? test : test.skip;

asRoot('no space: nothing is put, what is there can be read, and it is a refusal with 503', (t) => {
  const path = folder(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]);
  t.teardown(() => execFileSync('umount', [path]));
  const { state } = opened(t, {}, join(path, 'state'));
  state.put('session', 'k', 'v', 2000, 'o');
  const refusal = t.throws(() => state.put('session', 'k', 'x'.repeat(2 ** 21), 2000), { instanceOf: Refusal });
  t.is(refusal?.row.code, 'STS-STORE-9008');
  observeLog(refusal?.message ?? '');
  t.deepEqual(state.get('session', 'k'), row);
  state.put('session', 'k', 'w', 2000);
  t.is(state.get('session', 'k')?.value, 'w');
});

test('what was looked at is remembered, and never what this process has written since, or another by the next turn of the loop', async (t) => {
  const file = join(folder(t), 'state');
  const { state, clock } = opened(t, {}, file);
  const { state: other } = opened(t, {}, file);
  const look = () => state.look('counter', 'k')?.value;
  const counter = { kind: 'counter', key: 'k', limit: 9, expiresAtMs: 2000 };
  t.true(state.isNone('counter'));
  t.is(look(), undefined);
  state.countUp([counter]);
  t.is(look(), '1', 'what this process counts');
  t.false(state.isNone('counter'));
  const counted = [{ kind: 'counter', key: 'k', expiresAtMs: 2000 }];
  state.countUp([counter]);
  t.is(look(), '2');
  state.countDown(counted);
  t.is(look(), '1');
  for (const value of ['put', 'replaced', 'touched']) {
    if (value === 'put') state.put('counter', 'k', value, 2000);
    if (value === 'replaced') state.replace('counter', 'k', 'put', value);
    if (value === 'touched') state.touch('counter', 'k', 'replaced', value, 2000);
    t.is(look(), value);
  }
  state.delete('counter', 'k');
  t.is(look(), undefined);
  other.countUp([counter]);
  await new Promise(setImmediate);
  t.is(look(), '1', 'what another process counts');
  clock.now = 2000;
  t.is(look(), undefined, 'it ends by itself');
  clock.now = 1999;
  t.is(look(), '1', 'and is there again when the clock is set back');
  state.take('counter', 'k');
  t.is(look(), undefined);
  state.put('counter', 'k', 'v', 2000);
  t.is(look(), 'v');
  state.sweep(2000, 10);
  t.is(look(), undefined);
  t.true(state.isNone('counter'));
});

test('what is looked at costs no reading while nobody writes', (t) => {
  let reads = 0;
  let version = 0;
  const looked = (read: () => StateRow | undefined) =>
    createSeen({
      version: () => version,
      isNone: () => {
        reads++;
        return false;
      },
      row: () => {
        reads++;
        return read();
      },
      clock: { nowMs: () => 1000 },
    });
  for (const found of [undefined, row]) {
    reads = 0;
    version = 0;
    const seen = looked(() => found);
    for (let times = 0; times < 3; times++) {
      t.false(seen.isNone('session'));
      t.is(seen.look('session', 'k'), found);
    }
    t.is(reads, 2);
    seen.forget('session', ['another']);
    seen.look('session', 'k');
    t.is(reads, 2, 'another row was written');
    seen.forget('session', ['k']);
    seen.look('session', 'k');
    t.is(reads, 3);
  }
});
