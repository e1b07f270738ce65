import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { examineDirectory } from '#store';
import { attributeNumbers } from '../../src/store/attributes.ts';
import { findProgram, withPrograms } from '../support/programs.ts';
import { type Child, child } from './child.ts';
import { folder, indexer, large, open, uuid } from './support.ts';

const program = findProgram('strace') ?? '';
const traced = withPrograms(test, 'strace');

/** A writer whose store has an entry already, and which does one thing behind the other as it is told; `told` gives what it says last. */
async function writerOn(t: ExecutionContext, file: string): Promise<Child & { readonly told: (line: string) => Promise<string> }> {
  const writer = child(t, 'told', file);
  await writer.said('ready\n');
  let lines = 0;
  const told = async (line: string) => {
    lines++;
    writer.say(line);
    // It ends without having done it where the disk is not to be trusted any more.
    await writer.said(`done ${lines}\n`).catch(() => undefined);
    return writer.output.replace(`done ${lines}\n`, '').trimEnd().split('\n').at(-1) ?? '';
  };
  t.is(await told('put 1 1 100'), 'committed 1');
  return Object.assign(writer, { told });
}

/** From now on, system calls of a process fail as strace is told, counted by thread from this moment on. */
async function fail(
  t: ExecutionContext,
  { pid }: Child,
  log: string,
  injections: readonly string[],
  ...more: readonly string[]
): Promise<void> {
  const inject = injections.flatMap((each) => ['-e', `inject=${each}`]);
  const strace = spawn(program, ['-f', '-y', '-p', String(pid), '-o', log, '-e', 'trace=pwrite64,fsync', ...more, ...inject]);
  t.teardown(() => strace.kill());
  await new Promise<void>((resolve, reject) => {
    strace.stderr.on('data', (said: Buffer) => (said.includes('attached') ? resolve() : undefined));
    strace.once('close', () => reject(new Error('strace cannot attach')));
  });
}

/** What a start finds: nothing that disagrees, and these CSNs. */
async function foundAfter(
  t: ExecutionContext,
  writer: Child,
  file: string,
  numbers: readonly number[],
): Promise<readonly (string | undefined)[]> {
  writer.kill();
  await writer.ended;
  const wrong: string[] = [];
  const judges = { judge: () => [], judgeLogged: () => [] };
  examineDirectory(file, { indexer, large, indexVersion: '1', cacheMib: 16, ...judges, tell: ({ what }) => void wrong.push(what) });
  t.deepEqual(wrong, []);
  const { store } = open(t, file);
  const snapshot = store.snapshot();
  const found = numbers.map((number) => snapshot.byUuid(uuid(number))?.csn);
  await store.close();
  return found;
}

/** More pages than stay in memory: they go to the log before the commit does. */
const long = 'put 1 80 100000';

for (const [what, failing, outcome, is] of [
  ['its first writes, once: it has one more chance', '1..1', 'committed 2', '2'],
  ['its first writes, and again', '1..3', 'refused 2 STS-STORE-0067', '1'],
  ['writes in its middle, and again', '700..702', 'refused 2 STS-STORE-0067', '1'],
] as const)
  traced(
    `a change over many turns is there whole, or refused whole with 52, when the disk refuses ${what}; what comes behind it is written`,
    async (t) => {
      const path = folder(t);
      const file = join(path, 'entries');
      const writer = await writerOn(t, file);
      await fail(t, writer, join(path, 'trace'), [`pwrite64:error=EIO:when=${failing}`]);
      t.is(await writer.told(long), outcome);
      t.is(await writer.told('look 1'), `1 is ${is}`);
      t.is(await writer.told('look 80'), `80 is ${is === '1' ? undefined : is}`);
      t.is(await writer.told('put 100 1 100'), 'committed 3');
      t.deepEqual(await foundAfter(t, writer, file, [1, 80, 100]), [is, is === '1' ? undefined : is, '3']);
    },
  );

traced('a sync that fails while room is made for a change over many turns ends the process unanswered, with its code', async (t) => {
  const path = folder(t);
  const file = join(path, 'entries');
  const writer = await writerOn(t, file);
  await fail(t, writer, join(path, 'trace'), ['pwrite64:error=EIO:when=1', 'fsync:error=EIO:when=1']);
  t.regex(await writer.told(long), /STS-STORE-9001/);
  t.is(await writer.ended, 70);
  t.deepEqual(await foundAfter(t, writer, file, [1, 80]), ['1', undefined]);
});

for (const [how, entries] of [
  ['a small change', 1],
  ['a change over many turns', 70],
] as const)
  traced(
    `what may come back with a crash is not refused: ${how} stands in the log, and shared memory cannot grow to tell of it`,
    async (t) => {
      const path = folder(t);
      const file = join(path, 'entries');
      const writer = await writerOn(t, file);
      await writer.told('hold');
      await fail(t, writer, join(path, 'trace'), ['pwrite64:error=ENOSPC:when=1+'], '-P', `${file}-shm`);
      let answer = '';
      for (let number = 2; number < 400; number++) {
        answer = await writer.told(`put 1 ${entries} 100000`);
        if (!answer.startsWith('committed')) break;
      }
      t.regex(answer, /STS-STORE-9001/);
      t.is(await writer.ended, 70);
    },
  );

test('a start after a sync that failed: what only the system had in memory is on disk from then on, and no older log comes before it', async (t) => {
  const file = join(folder(t), 'entries');
  const log = `${file}-wal`;
  const writer = await writerOn(t, file);
  for (let number = 2; number < 12; number++) t.is(await writer.told(`put ${number} 4 3000`), `committed ${number}`);
  // So far the log is on disk. Of what comes then the disk takes nothing, and the system shows it all the same.
  const onDisk = readFileSync(log);
  t.is(await writer.told('put 2 60 3000'), 'committed 12');
  writer.kill();
  await writer.ended;

  const next = child(t, 'told', file);
  await next.said('ready\n');
  next.kill();
  await next.ended;
  // The power fails. Where the start has not written the log anew, the disk has it as it was.
  if (statSync(log).size > 0) writeFileSync(log, onDisk);
  rmSync(`${file}-shm`);
  t.deepEqual(await foundAfter(t, next, file, [1, 2, 61]), ['1', '12', '12']);
});

test('names of attributes that were known go on being found when they cannot be read again: else a search would find nothing, and say so', (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  const database = new Database(file);
  const names = attributeNumbers(database);
  const number = names.give('cn');
  database.close();
  t.throws(() => names.reload());
  t.is(names.find('cn'), number);
  return store.close();
});
