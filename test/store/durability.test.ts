import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Refusal } from '#catalogue';
import type { Change, CommitResult } from '#store';
import { observeLog } from '../support/observed.ts';
import { child } from './child.ts';
import { applied, expectedOf, shown } from './model.ts';
import { entry, folder, open, uuid } from './support.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function put(number: number, octets = 0): Change {
  return { kind: 'put', entry: entry(number, [`cn=${number}`], { operational: new Uint8Array(octets) }) };
}

for (const [how, turnChangesMax] of [
  ['in one turn', 128],
  ['over some turns', 0],
] as const)
  test(`kill -9: what was written ${how} and answered is there, whole, and entries, index and change log agree`, async (t) => {
    const file = join(folder(t), 'entries');
    let before = 0;
    for (const answers of [1, 40, 90, 150]) {
      const writer = child(t, 'write', file, String(turnChangesMax));
      await writer.said(`answered ${before + answers}\n`);
      writer.kill();
      await writer.ended;
      const lastAnswered = Math.max(...[...writer.output.matchAll(/answered (\d+)\n/g)].map(([, number]) => Number(number)));

      const { store } = open(t, file);
      const { number } = store.snapshot();
      before = number;
      t.true(number >= lastAnswered, `${number} is there, ${lastAnswered} was answered`);
      const log = store.changes(0, 100_000);
      t.deepEqual(
        [...new Set(log.map((record) => record.number))],
        Array.from({ length: number }, (_, at) => at + 1),
        'no commit is missing in the log',
      );
      const replayed = applied(
        new Map(),
        log.map(({ change }) => change),
      );
      t.deepEqual(shown(store), replayed && expectedOf(replayed));
      for (let pair = 0; pair < 8; pair += 2) {
        const [left, right] = [store.snapshot().byUuid(uuid(pair)), store.snapshot().byUuid(uuid(pair + 1))];
        t.is(left?.csn, right?.csn, 'a commit is there with all of its changes or with none');
      }
      await store.close();
    }
  });

test('a failed fdatasync is not retried: nothing is answered any more, and the process is told to end', async (t) => {
  let syncs = 0;
  const { store, fatal } = open(
    t,
    join(folder(t), 'entries'),
    {},
    {
      syncFile: (_, done) => {
        syncs++;
        setImmediate(done, syncs === 2 ? Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }) : null);
      },
    },
  );
  t.like(await store.commit([], [put(1)]), { kind: 'committed' });
  const answers: string[] = [];
  const heard = (name: string) => () => void answers.push(name);
  store.watch(heard('told'));
  store.commit([], [put(2)]).then(heard('resolved'), heard('rejected'));
  while (fatal.length === 0) await turn();
  store.durable(2)?.then(heard('durable'), heard('not durable'));
  store.commit([], [put(3)]).then(heard('resolved'), heard('rejected'));
  for (let turns = 0; turns < 20; turns++) await turn();
  t.deepEqual(answers, []);
  t.is(syncs, 2);
  t.deepEqual(
    fatal.map(({ row }) => row.code),
    ['STS-STORE-9001'],
  );
  observeLog(fatal[0]?.message ?? '');
  await store.close();
});

test('what is written while the disk is at work is seen, and answered behind a sync of its own', async (t) => {
  const confirm: (() => void)[] = [];
  const { store } = open(t, join(folder(t), 'entries'), {}, { syncFile: (_, done) => void confirm.push(() => done(null)) });
  const turns = async () => {
    for (let count = 0; count < 20; count++) await turn();
  };
  const answers: string[] = [];
  const ask = (name: string, commit: Promise<CommitResult>) => void commit.then(({ kind }) => answers.push(`${name} ${kind}`));
  ask('first', store.commit([], [put(1)]));
  await turns();
  ask('second', store.commit([], [put(2)]));
  await turns();
  ask('third', store.commit([{ kind: 'unchanged', uuid: uuid(2), csn: 'else' }], [put(2)]));
  await turns();
  t.deepEqual([store.snapshot().number, confirm.length, answers], [2, 1, []]);
  confirm[0]?.();
  await turns();
  t.deepEqual([confirm.length, answers], [2, ['first committed']]);
  confirm[1]?.();
  await turns();
  t.deepEqual([confirm.length, answers], [2, ['first committed', 'second committed', 'third conflict']]);
  t.is(store.durable(2), undefined);
});

test('the write-ahead log stays within its bound', async (t) => {
  const file = join(folder(t), 'entries');
  const { store, reports } = open(t, file, { 'persistence.walMib': 1 });
  let greatest = 0;
  for (let number = 0; number < 100; number++) {
    store.snapshot();
    await store.commit([], [put(number % 10, 100_000)]);
    greatest = Math.max(greatest, statSync(`${file}-wal`).size);
  }
  // Twice the bound while it is carried over, and the change that went over it.
  t.true(greatest < 2.2 * 2 ** 20, `${greatest} octets`);
  t.deepEqual(reports, []);
});

test('a log that something else holds is reported, and shortened when it is let go', async (t) => {
  const file = join(folder(t), 'entries');
  const { store, reports } = open(t, file, { 'persistence.walMib': 1 });
  const other = open(t, file, { 'persistence.walMib': 1 }, { every: () => () => undefined });
  other.store.snapshot();
  const fill = async () => {
    for (let number = 0; number < 30; number++) await store.commit([], [put(number % 5, 100_000)]);
  };
  await fill();
  t.true(reports.length > 0 && reports.length < 10, `${reports.length} reports`);
  t.true(reports.every(({ row }) => row.code === 'STS-STORE-9007'));
  observeLog(reports[0]?.message ?? '');
  await other.store.close();
  // The first of these finds the log as long as it is tried again at, the second has it carried over.
  await fill();
  await fill();
  // What the file keeps of a bound of one MiB: twice that, and an eighth.
  t.true(statSync(`${file}-wal`).size <= 2.25 * 2 ** 20, `${statSync(`${file}-wal`).size} octets`);
});

test('memory mode leaves no file behind, not even while it runs', async (t) => {
  const path = folder(t);
  const temporary = folder(t);
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = temporary;
  const { store } = open(t, join(path, 'entries'), { 'persistence.mode': 'memory', 'persistence.walMib': 1 });
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  for (let number = 0; number < 30; number++) await store.commit([], [put(number, 100_000)]);
  t.is(store.snapshot().number, 30);
  t.is(store.snapshot().byUuid(uuid(29))?.operational.length, 100_000);
  t.deepEqual([readdirSync(path), readdirSync(temporary)], [[], []]);
  await store.close();
  t.deepEqual([readdirSync(path), readdirSync(temporary)], [[], []]);
});

const asRoot = process.getuid?.() === 0 && existsSync('/proc/mounts') ? test : test.skip;

asRoot('no space: rolled back and refused with 52, reads go on, and writing resumes when there is room', async (t) => {
  const path = folder(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', path]);
  t.teardown(() => execFileSync('umount', [path]));
  const ballast = join(path, 'ballast');
  writeFileSync(ballast, new Uint8Array(2 * 2 ** 20));
  const { store, fatal } = open(t, join(path, 'entries'), { 'persistence.walMib': 1 });

  let taken = 0;
  let refused: unknown;
  while (refused === undefined && taken < 200) {
    const [result] = await Promise.allSettled([store.commit([], [put(taken + 1, 100_000)])]);
    if (result?.status === 'rejected') refused = result.reason;
    else taken++;
  }
  t.true(refused instanceof Refusal && refused.row.code === 'STS-STORE-0067' && refused.row.sees.ldap === 52, String(refused));
  observeLog(String(refused));
  t.true(taken > 5);

  const snapshot = store.snapshot();
  t.is(snapshot.number, taken);
  for (let number = 1; number <= taken; number++) t.is(snapshot.byUuid(uuid(number))?.operational.length, 100_000);
  t.is(snapshot.byUuid(uuid(taken + 1)), undefined, 'nothing of it was kept');
  await t.throwsAsync(store.commit([], [put(taken + 1, 1_000_000)]), { instanceOf: Refusal });

  rmSync(ballast);
  t.deepEqual(await store.commit([], [put(taken + 1, 100_000)]), { kind: 'committed', number: taken + 1 });
  t.is(store.snapshot().byUuid(uuid(taken + 1))?.operational.length, 100_000);
  t.deepEqual(fatal, []);
  await store.close();
});

asRoot('no space: a small change is not lost with a great one of the same turn', async (t) => {
  const path = folder(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', path]);
  t.teardown(() => execFileSync('umount', [path]));
  const { store } = open(t, join(path, 'entries'), { 'persistence.walMib': 1 });
  const results = await Promise.allSettled([store.commit([], [put(1)]), store.commit([], [put(2, 5_000_000)]), store.commit([], [put(3)])]);
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.is(store.snapshot().number, 2);
  t.deepEqual(
    store.changes(0, 10).map(({ number, change }) => [number, change.kind === 'put' && change.entry.uuid]),
    [
      [1, uuid(1)],
      [2, uuid(3)],
    ],
  );
  await store.close();
});
