import { statSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import { keysBelow } from '#schema';
import { createProgressBuffer, openStoreBeside, type StoreBeside, type StoreOptions } from '#store';
import { dnKey, entry, folder, type Opened, open, settingsWith, uuid } from './support.ts';

const top = ['dc=com'];
/** `BESIDE_RUNS=20000` for five minutes of it. */
const runs = Number(process.env['BESIDE_RUNS'] ?? 25);

interface Both extends Opened {
  readonly beside: StoreBeside;
  readonly file: string;
}

/** A store and one beside it, in one thread: so a test decides what happens between two steps of either. */
function openBoth(
  t: ExecutionContext,
  changed: Parameters<typeof settingsWith>[0] = {},
  more: Partial<StoreOptions> & { letGo?: (beside: StoreBeside) => void } = {},
): Both {
  const { letGo = (beside: StoreBeside) => beside.release(), ...rest } = more;
  const file = join(folder(t), 'entries');
  const progress = createProgressBuffer();
  const opened = open(t, file, changed, { ...rest, beside: { progress, letGo: async () => letGo(beside) } });
  const { store } = opened;
  const beside = openStoreBeside({
    file,
    progress,
    epoch: store.epoch,
    settings: settingsWith(changed),
    keysBelow,
    commit: store.commit,
    watch: store.watch,
  });
  t.teardown(() => beside.close());
  return { ...opened, beside, file };
}

const put = (number: number, value: string) =>
  ({ kind: 'put', entry: entry(number, [...top, `cn=${number}`], { csn: value, user: utf8(`x=${value};all=1`) }) }) as const;

type Step =
  | { readonly kind: 'put'; readonly number: number }
  | { readonly kind: 'delete'; readonly number: number }
  | { readonly kind: 'refused'; readonly number: number }
  | { readonly kind: 'look' }
  | { readonly kind: 'idle' };

const number = fc.integer({ min: 1, max: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), number }) },
  fc.record({ kind: fc.constant('delete' as const), number }),
  fc.record({ kind: fc.constant('refused' as const), number }),
  { weight: 3, arbitrary: fc.constant({ kind: 'look' as const }) },
  fc.constant({ kind: 'idle' as const }),
);

test('beside the store that writes, whatever was answered is seen at once, and entries, indexes and names agree', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { store, beside } = openBoth(t);
      const model = new Map<number, string>();
      let values = 0;
      for (const each of steps) {
        if (each.kind === 'idle') beside.release();
        else if (each.kind === 'put') {
          const value = `v${++values}`;
          await store.commit([], [put(each.number, value)]);
          model.set(each.number, value);
        } else if (each.kind === 'delete' && model.delete(each.number)) {
          await store.commit([], [{ kind: 'delete', uuid: uuid(each.number), csn: 'gone' }]);
        } else if (each.kind === 'refused') {
          // Its first entry is written and taken back with the second, which cannot be.
          const twice = put(each.number, 'never');
          await t.throwsAsync(store.commit([], [twice, { kind: 'put', entry: { ...twice.entry, uuid: uuid(99) } }]));
        }
        // Half of the steps are looked at: the others leave the reader behind.
        if (each.kind !== 'look' && values % 2 === 0) continue;
        compare(t, beside, model);
      }
      compare(t, beside, model);
      await beside.close();
      await store.close();
    }),
    { numRuns: runs },
  );
});

function compare(t: ExecutionContext, beside: StoreBeside, model: ReadonlyMap<number, string>): void {
  const snapshot = beside.snapshot();
  for (let each = 1; each <= 6; each++) {
    const value = model.get(each);
    const id = snapshot.idOf(dnKey(...top, `cn=${each}`));
    t.is(id === undefined ? undefined : snapshot.readable(id)?.csn, value, 'as search reads it');
    t.is(snapshot.byUuid(uuid(each))?.csn, value);
    if (value === undefined || id === undefined) continue;
    t.deepEqual(snapshot.idsEqual('x', utf8(value), 10), [id]);
  }
  t.is(snapshot.idsEqual('all', utf8('1'), 100).length, model.size);
}

test('beside: a commit that can be seen and is not on disk is held back, and an old one is not', async (t) => {
  const confirm: (() => void)[] = [];
  const { store, beside } = openBoth(t, {}, { syncFile: (_, done) => void confirm.push(() => done(null)) });
  const first = store.commit([], [put(1, 'a')]);
  await until(() => confirm.length === 1);
  confirm[0]?.();
  await first;
  t.is(beside.durable(beside.snapshot().number), undefined);
  const second = store.commit([], [put(1, 'b')]);
  await until(() => confirm.length === 2);
  const { number: seen } = beside.snapshot();
  t.is(beside.snapshot().byUuid(uuid(1))?.csn, 'b');
  let woken = false;
  const wait = beside.durable(seen)?.then(() => {
    woken = true;
  });
  t.truthy(wait);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.false(woken);
  t.deepEqual(beside.changes(1, 10), [], 'nor is it told');
  confirm[1]?.();
  await Promise.all([second, wait]);
  t.is(beside.changes(1, 10).length, 1);
});

test('beside: a name of an attribute that appears after the reader has opened is found', async (t) => {
  const { store, beside } = openBoth(t);
  t.deepEqual(beside.snapshot().idsEqual('later', utf8('1'), 10), []);
  await store.commit([], [{ kind: 'put', entry: entry(1, top, { user: utf8('later=1') }) }]);
  t.is(beside.snapshot().idsEqual('later', utf8('1'), 10).length, 1);
});

const mib = 2 ** 20;

for (const [how, letGo, kept] of [
  ['let go when they are asked', undefined, true],
  ['do not let go', () => undefined, false],
] as const) {
  test(`the log is ${kept ? 'bounded' : 'not bounded'} when those who read beside ${how}`, async (t) => {
    const { store, beside, file } = openBoth(t, { 'persistence.walMib': 1 }, letGo === undefined ? {} : { letGo });
    let largest = 0;
    for (let round = 0; round < 60; round++) {
      await store.commit([], [{ kind: 'put', entry: entry(1, top, { csn: `${round}`, user: new Uint8Array(100_000).fill(round) }) }]);
      // Somebody reads at every moment.
      beside.snapshot().byUuid(uuid(1));
      largest = Math.max(largest, statSync(`${file}-wal`).size);
    }
    t.is(largest < 4 * mib, kept, `${largest} octets`);
  });
}

test('what waits to be written while those beside let go is written afterwards', async (t) => {
  let asked = 0;
  let release = () => {};
  const progress = createProgressBuffer();
  const { store } = open(
    t,
    join(folder(t), 'entries'),
    { 'persistence.walMib': 1 },
    {
      beside: {
        progress,
        letGo: () =>
          new Promise((resolve) => {
            asked++;
            release = resolve;
          }),
      },
    },
  );
  await store.commit([], [{ kind: 'put', entry: entry(1, top, { user: new Uint8Array(2 * mib) }) }]);
  await until(() => asked === 1);
  let answered = false;
  const next = store.commit([], [put(2, 'b')]).then(() => {
    answered = true;
  });
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.false(answered);
  release();
  await until(() => asked === 2);
  release();
  await next;
  t.true(answered);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
