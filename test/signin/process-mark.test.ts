import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { systemChance } from '#base';
import { markProcess } from '../../src/wiring/process-mark.ts';

test('a process of the same start may be at work as long as it is there, and not from the moment it was killed', async (t) => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  t.teardown(() => child.kill('SIGKILL'));
  const here = markProcess('aa', systemChance);
  const there = markProcess('aa', systemChance, { pid: child.pid ?? 0 }).text;
  t.true(here.lives(here.text));
  t.true(here.lives(there));
  t.false(markProcess('bb', systemChance).lives(there), 'of another start');
  child.kill('SIGKILL');
  await once(child, 'close');
  t.false(here.lives(there));
});

test('what cannot be found out of a process is taken for life: where numbers are counted apart, or it is another’s', (t) => {
  const failing = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  const asked = (code: string) => markProcess('aa', systemChance, { pid: 7, room: '1', signal: failing(code) });
  const of = (room: string, pid: number) => markProcess('aa', systemChance, { pid, room }).text;
  t.true(asked('EPERM').lives(of('1', 8)));
  t.false(asked('ESRCH').lives(of('1', 8)));
  t.true(asked('ESRCH').lives(of('2', 8)), 'in another container');
  t.false(asked('EPERM').lives(of('1', 7)), 'one that had this number before');
});
