import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Refusal } from '#catalogue';
import { lockFolder } from '#store';
import { observeLog } from '../support/observed.ts';
import { child } from './child.ts';
import { folder } from './support.ts';

const clock = { nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) };

test('a second process on the same folder is told who holds it, and ends', async (t) => {
  const path = folder(t);
  const lock = lockFolder(path, clock);
  const second = child(t, 'lock', path);
  await second.ended;
  t.true(second.output.includes(`process ${process.pid}, since 2026-01-02T03:04:05.000Z`), second.output);
  t.true(second.output.startsWith('[STS-STORE-9002]'));
  observeLog(second.output);
  lock.release();
});

test('within one process, too, a folder is held once', (t) => {
  const path = folder(t);
  const lock = lockFolder(path, clock);
  const error = t.throws(() => lockFolder(path, clock), { instanceOf: Refusal });
  t.is(error?.row.code, 'STS-STORE-9002');
  lock.release();
  lockFolder(path, clock).release();
});

test('after kill -9 the next process gets the folder', async (t) => {
  const path = folder(t);
  const first = child(t, 'lock', path);
  await first.said('locked');
  t.throws(() => lockFolder(path, clock), { instanceOf: Refusal, message: new RegExp(`process ${first.pid},`) });
  first.kill();
  await first.ended;
  const lock = lockFolder(path, clock);
  t.is(JSON.parse(readFileSync(join(path, 'lock.holder'), 'utf8')).pid, process.pid);
  lock.release();
});

test('a holder that has not written its name is "another process"', (t) => {
  const path = folder(t);
  const lock = lockFolder(path, clock);
  writeFileSync(join(path, 'lock.holder'), '{"pid":');
  t.throws(() => lockFolder(path, clock), { instanceOf: Refusal, message: /another process uses/ });
  lock.release();
});

test('a folder whose lock cannot be written is refused', (t) => {
  const path = folder(t);
  mkdirSync(join(path, 'lock'));
  const error = t.throws(() => lockFolder(path, clock), { instanceOf: Refusal });
  t.is(error?.row.code, 'STS-STORE-9005');
});
