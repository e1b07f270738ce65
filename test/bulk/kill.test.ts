import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { copy, damageOf, folder, importText, people, person, read, unfinished } from './support.ts';

/** A folder with the frame of a realm and one person, to copy. */
let frame = '';
test.before(async () => {
  frame = mkdtempSync(join(tmpdir(), 'atrium-bulk-'));
  await importText(frame, person('first'));
});
test.after.always(() => rmSync(frame, { recursive: true, force: true }));

/** Entries go to where the new file is written by the mebibyte: of these there are several. */
const audio = `audio:: ${Buffer.alloc(2400).toString('base64')}\n`;
const heavy = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => person(`p${from + n}`, audio)).join('');

/** Imports in a process of its own until it says that it has come to the mark; there it is killed. */
async function killedAt(t: ExecutionContext, mark: string, count: number, dataDir: string, file: string): Promise<boolean> {
  const script = join(import.meta.dirname, 'children', 'import.ts');
  const child = spawn(process.execPath, [script, mark, String(count), dataDir, file], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  return await new Promise((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('at the mark')) child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => t.log(chunk.toString()));
    child.once('close', () => resolve(said.includes('at the mark')));
  });
}

const marks: readonly (readonly [title: string, mark: string, count: number, there: 'old' | 'new'])[] = [
  ['in the middle of the entries', 'entries', 800, 'old'],
  ['behind the last entry', 'entries', 1200, 'old'],
  ['before the new file is on disk', 'before fsyncSync', 0, 'old'],
  ['before the new file takes the place', 'before renameSync', 0, 'old'],
  ['when it has taken the place', 'after renameSync', 0, 'new'],
];

for (const [title, mark, count, there] of marks) {
  test(`an import that is killed ${title} leaves the ${there} file whole, and the next one works`, async (t) => {
    const dataDir = copy(t, frame);
    const file = join(folder(t), 'people.ldif');
    writeFileSync(file, heavy(0, 1200));
    t.true(await killedAt(t, mark, count, dataDir, file));
    t.deepEqual(await damageOf(dataDir), []);
    const entries = read(dataDir, (database) => database.prepare('SELECT count(*) FROM entry').pluck().get());
    const before = read(frame, (database) => database.prepare('SELECT count(*) FROM entry').pluck().get());
    t.is(entries, there === 'old' ? before : Number(before) + 1200);
    t.like(await importText(dataDir, people(5000, 5010)), { kind: 'imported', entries: 10 });
    t.deepEqual(unfinished(dataDir), []);
    t.deepEqual(await damageOf(dataDir), []);
  });
}

test('an import that is killed in the middle of its transaction leaves a full folder as it was', async (t) => {
  const base = folder(t);
  const dataDir = join(base, 'data');
  await importText(dataDir, people(0, 200));
  const file = join(base, 'people.ldif');
  writeFileSync(file, heavy(200, 1400));
  t.true(await killedAt(t, 'entries', 800, dataDir, file));
  t.deepEqual(await damageOf(dataDir), []);
  t.like(await importText(dataDir, people(200, 210)), { kind: 'imported', entries: 10 });
  t.deepEqual(await damageOf(dataDir), []);
});
