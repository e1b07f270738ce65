import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';

const root = join(import.meta.dirname, '../..');

/** An installation whose sources are these, with a place of its own for what Node compiles. */
function installation(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-compiled-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(join(root, 'atrium.mjs'), join(folder, 'atrium.mjs'));
  symlinkSync(join(root, 'src'), join(folder, 'src'));
  mkdirSync(join(folder, 'node_modules'));
  return folder;
}

function version(folder: string, environment: Readonly<Record<string, string>> = {}): string {
  const env = { PATH: process.env['PATH'], ...environment };
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'atrium.mjs'), 'version'], { env, encoding: 'utf8' });
  return status === 0 ? stdout : `${status}: ${stderr}`;
}

const kept = (folder: string) => join(folder, 'node_modules', '.cache', 'atrium');
const said = /^atrium \S+\n$/;

test('what Node compiles is kept in a folder that only its owner can enter', (t) => {
  const folder = installation(t);
  t.regex(version(folder), said);
  t.is(statSync(kept(folder)).mode & 0o777, 0o700);
  t.not(readdirSync(kept(folder)).length, 0);
  t.regex(version(folder), said);
});

test('what others can write to is not used: it would be run', (t) => {
  const folder = installation(t);
  mkdirSync(kept(folder), { recursive: true });
  chmodSync(kept(folder), 0o777);
  t.regex(version(folder), said);
  t.deepEqual(readdirSync(kept(folder)), []);
});

test('where nothing can be kept, everything works', (t) => {
  const folder = installation(t);
  writeFileSync(join(folder, 'node_modules', '.cache'), 'a file where a folder should be');
  t.regex(version(folder), said);
});

test('an operator who names another place, or none, is obeyed', (t) => {
  const folder = installation(t);
  const elsewhere = join(folder, 'elsewhere');
  t.regex(version(folder, { NODE_COMPILE_CACHE: elsewhere }), said);
  t.not(readdirSync(elsewhere).length, 0);
  t.regex(version(folder, { NODE_DISABLE_COMPILE_CACHE: '1' }), said);
  t.deepEqual(readdirSync(join(folder, 'node_modules')), []);
});
