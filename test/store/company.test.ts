import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Change } from '#store';
import { observeLog } from '../support/observed.ts';
import { entry, folder, open } from './support.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function put(number: number, octets = 0): Change {
  return { kind: 'put', entry: entry(number, [`cn=${number}`], { operational: new Uint8Array(octets) }) };
}

type Where = 'beside' | 'in the loop';

/** A store whose syncs are told, each of which takes `tookMs`; one beside the loop has `meanwhile` happen in its middle. */
function told(t: ExecutionContext) {
  const disk = { syncs: [] as Where[], tookMs: 0.1, meanwhile: () => undefined as unknown, fails: false };
  let nowMs = 0;
  const { store, fatal } = open(
    t,
    join(folder(t), 'entries'),
    {},
    {
      elapsedMs: () => nowMs,
      syncFile: (_, done) => {
        disk.syncs.push('beside');
        setImmediate(() => {
          nowMs += disk.tookMs;
          disk.meanwhile();
          done(null);
        });
      },
      syncInLoop: () => {
        disk.syncs.push('in the loop');
        nowMs += disk.tookMs;
        if (disk.fails) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      },
    },
  );
  const write = async (count: number) => {
    disk.syncs.length = 0;
    for (let number = 0; number < count; number++) await store.commit([], [put(number)]);
    return disk.syncs.filter((where) => where === 'in the loop').length;
  };
  return { store, fatal, disk, write };
}

test('who writes alone on a quick disk has it wait in the loop, but for one in sixteen, which looks who comes', async (t) => {
  const { disk, write } = told(t);
  t.is(await write(8), 0, 'it is to be known first');
  t.is(await write(8), 8);
  t.is(await write(32), 30);
  t.is(disk.syncs[0], 'beside');
});

test('the loop waits for no disk that takes its time, until that is quick again', async (t) => {
  const { disk, write } = told(t);
  await write(12);
  disk.tookMs = 2;
  t.is(await write(40), 1, 'the one that showed it');
  disk.tookMs = 0.1;
  t.is(await write(12), 4);
});

test('the loop waits for no disk while somebody else is there: who comes during a sync, who looks between two, who writes at once, and much to write', async (t) => {
  const { store, disk, write } = told(t);
  disk.meanwhile = () => store.snapshot();
  t.is(await write(40), 0);
  disk.meanwhile = () => undefined;
  t.true((await write(16)) > 0);
  for (let number = 0; number < 20; number++) {
    for (let looks = 0; looks < 9; looks++) store.snapshot();
    t.is(await write(1), 0);
  }
  await write(12);
  disk.syncs.length = 0;
  await Promise.all([store.commit([], [put(1)]), store.commit([], [put(2)])]);
  t.deepEqual(disk.syncs, ['beside']);
  await write(12);
  disk.syncs.length = 0;
  await store.commit([], [put(1, 200_000)]);
  t.deepEqual(disk.syncs, ['beside']);
});

test('a failed fdatasync in the loop is not retried: nothing is answered any more, and the process is told to end', async (t) => {
  const { store, fatal, disk, write } = told(t);
  t.is(await write(12), 4);
  disk.fails = true;
  disk.syncs.length = 0;
  const answers: string[] = [];
  const heard = (name: string) => () => void answers.push(name);
  store.watch(heard('told'));
  store.commit([], [put(1)]).then(heard('resolved'), heard('rejected'));
  for (let turns = 0; turns < 20; turns++) await turn();
  store.commit([], [put(2)]).then(heard('resolved'), heard('rejected'));
  for (let turns = 0; turns < 20; turns++) await turn();
  t.deepEqual([disk.syncs, answers], [['in the loop'], []]);
  t.deepEqual(
    fatal.map(({ row }) => row.code),
    ['STS-STORE-9001'],
  );
  observeLog(fatal[0]?.message ?? '');
  await store.close();
});
