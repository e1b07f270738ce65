import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { utf8 } from '#base';
import type { Change, Column, Probe, Store } from '#store';
import { entry, folder, open, uuid } from './support.ts';

/** Entries hold `name=value` between semicolons; a value `x*5000` is that many of the letter. */
function valuesIn(user: Uint8Array, name: string): string[] {
  return Buffer.from(user)
    .toString()
    .split(';')
    .filter((item) => item.startsWith(`${name}=`))
    .map((item) => item.slice(name.length + 1));
}

function columnOf(name: string, whole: boolean): Column {
  return {
    name: `${name} ${whole}`,
    whole,
    values: ({ user }) => valuesIn(user, name).map((value) => (value === '?' ? undefined : utf8(value))),
  };
}

interface Wanted {
  readonly column: Column;
  readonly probe: Probe;
  /** Whether an entry fits. */
  readonly fits: (user: Uint8Array) => boolean;
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const words = ['x', 'y', 'xy', 'yx', 'xyx'];

function equal(name: string, word: string): Wanted {
  return { column: columnOf(name, false), probe: { kind: 'equal', key: utf8(word) }, fits: (user) => valuesIn(user, name).includes(word) };
}

function present(name: string): Wanted {
  return { column: columnOf(name, false), probe: { kind: 'present' }, fits: (user) => valuesIn(user, name).length > 0 };
}

function holding(name: string, word: string): Wanted {
  const probe = { kind: 'passing', needle: Buffer.from(word), test: () => true } as const;
  return { column: columnOf(name, true), probe, fits: (user) => valuesIn(user, name).some((value) => value.includes(word)) };
}

function beginning(name: string, word: string): Wanted {
  const test = (bytes: Uint8Array, start: number, end: number) => Buffer.from(bytes.subarray(start, end)).toString().startsWith(word);
  const fits = (user: Uint8Array) => valuesIn(user, name).some((value) => value.startsWith(word));
  return { column: columnOf(name, true), probe: { kind: 'passing', needle: undefined, test }, fits };
}

/** Looks for something to the end, a step at a time; `between` is called before each step. */
async function scan(store: Store, { column, probe }: Wanted, limit: number, between: () => Promise<void> = async () => undefined) {
  const throughId = store.snapshot().lastId();
  const ids: number[] = [];
  let octetsMost = 0;
  for (let afterId = 0; afterId < throughId; ) {
    await between();
    const step = store.snapshot().scan({ column, probe, afterId, throughId, limit });
    if (step.ids.length > limit) throw new Error('more than was asked for');
    ids.push(...step.ids);
    octetsMost = Math.max(octetsMost, step.octets);
    afterId = step.through;
  }
  return { ids, octetsMost };
}

/** What fits now, by looking at every entry. */
function fitting(store: Store, { fits }: Wanted): number[] {
  const snapshot = store.snapshot();
  return snapshot
    .subtree(new Uint8Array(0), undefined, 1_000_000)
    .filter((id) => fits(snapshot.readable(id)?.user ?? utf8('')))
    .sort((a, b) => a - b);
}

function put(number: number, user: string): Change {
  return { kind: 'put', entry: entry(number, [`cn=${number}`], { user: utf8(user) }) };
}

const name = fc.constantFrom(...names);
const word = fc.constantFrom(...words);
const wanted: fc.Arbitrary<Wanted> = fc.oneof(
  fc.tuple(name, word).map(([on, value]) => equal(on, value)),
  name.map(present),
  fc.tuple(name, word).map(([on, value]) => holding(on, value)),
  fc.tuple(name, word).map(([on, value]) => beginning(on, value)),
);
/** Some fill a segment with a dozen entries, some fit in none, and some have no normal form. */
const value = fc.oneof({ weight: 6, arbitrary: word }, fc.constantFrom('?', 'q'.repeat(9000), `q${'xy'.repeat(20_000)}`));
const user = fc
  .array(fc.tuple(fc.constantFrom('a', 'a', 'b', 'c'), value), { maxLength: 3 })
  .map((items) => items.map(([on, text]) => `${on}=${text}`).join(';'));
const change = fc.record({ number: fc.nat(60), user: fc.option(user, { nil: undefined }) });
const commits = fc.array(fc.array(change, { minLength: 1, maxLength: 8 }), { maxLength: 6 });
const search = fc.record({ wanted, limit: fc.constantFrom(1, 2, 7, 256), during: commits });
/** Some at the same time, others after them. */
const searches = fc.array(fc.array(search, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });

test('a scan names every entry that fits, once and in order, while others write and columns go to make room for others', async (t) => {
  let scans = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(user, { minLength: 1, maxLength: 60 }), searches, async (users, run) => {
      // Eight columns of values do not fit.
      const { store } = open(t, 'unused', { 'persistence.mode': 'memory', 'persistence.columnsMib': 1 });
      await store.commit(
        [],
        users.map((text, number) => put(number, text)),
      );
      const commit = async (changes: readonly { readonly number: number; readonly user: string | undefined }[]) => {
        const snapshot = store.snapshot();
        const there = new Set(
          Array.from({ length: 61 }, (_, number) => number).filter((number) => snapshot.byUuid(uuid(number)) !== undefined),
        );
        const wantedChanges: Change[] = [];
        for (const { number, user: text } of changes) {
          if (text !== undefined) wantedChanges.push(put(number, text));
          else if (there.has(number)) wantedChanges.push({ kind: 'delete', uuid: uuid(number), csn: 'b' });
          if (text === undefined) there.delete(number);
          else there.add(number);
        }
        if (wantedChanges.length > 0) await store.commit([], wantedChanges);
      };
      // One behind the other: two must not delete the same entry.
      let writing = Promise.resolve();
      for (const together of run) {
        await Promise.all(
          together.map(async ({ wanted: one, limit, during }) => {
            scans++;
            const states = [new Set(fitting(store, one))];
            const left = [...during];
            const { ids } = await scan(store, one, limit, async () => {
              const next = left.pop();
              if (next !== undefined) {
                writing = writing.then(() => commit(next));
                await writing;
              }
              states.push(new Set(fitting(store, one)));
            });
            t.true(ids.every((id, at) => at === 0 || id > (ids[at - 1] as number)));
            const found = new Set(ids);
            const always = [...(states[0] ?? [])].filter((id) => states.every((state) => state.has(id)));
            const missing = always.filter((id) => !found.has(id));
            if (missing.length > 0) throw new Error(`${JSON.stringify(one)} misses ${missing}`);
          }),
        );
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
  t.true(scans > 60);
});

test('what a column names is what fits, and little else is read once it is made', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const people = Array.from({ length: 5000 }, (_, number) => put(number, `a=${number % 100};a=${number % 7};b=room ${number}`));
  await store.commit([], people);
  for (const one of [equal('a', '99'), equal('a', '3'), present('b'), holding('b', 'm 499'), beginning('b', 'room 49'), present('c')]) {
    const expected = fitting(store, one);
    t.deepEqual((await scan(store, one, 256)).ids, expected);
    const snapshot = store.snapshot();
    t.deepEqual((await scan(store, one, 256)).ids, expected);
    t.is(snapshot.visited, 0, 'nothing is read again');
  }
  await store.commit([], [put(17, 'a=new'), put(18, 'b=room 49'), { kind: 'delete', uuid: uuid(99), csn: 'b' }, put(6000, 'a=new')]);
  t.is((await scan(store, equal('a', 'new'), 256)).ids.length, 2);
  for (const one of [equal('a', '99'), present('b'), beginning('b', 'room 49')]) {
    t.deepEqual((await scan(store, one, 256)).ids, fitting(store, one));
  }
});

test('a segment that grows is written anew, in two where it is full: nothing of it is lost', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const large = 'q'.repeat(40_000);
  await store.commit(
    [],
    Array.from({ length: 60 }, (_, number) => put(number, `a=${number % 10 === 3 ? `${large}xy` : `${'v'.repeat(9000)} ${number}`}`)),
  );
  const [any, some] = [holding('a', 'xy'), holding('a', ' 4')];
  t.is((await scan(store, any, 256)).ids.length, 6);
  for (let round = 0; round < 3; round++) {
    for (let number = 20; number < 40; number += round + 1) {
      await store.commit([], [put(number, number % 10 === 3 ? `a=${large}xy` : `a=${'w'.repeat(9500 + 5000 * round)} 4${number};a=xy`)]);
    }
    for (const one of [any, some]) {
      const { ids } = await scan(store, one, 256);
      t.deepEqual(
        fitting(store, one).filter((id) => !ids.includes(id)),
        [],
      );
      t.true(ids.length < 40, 'and not simply everything');
    }
  }
});

test('a step of a scan looks at a bounded number of octets, values and entries', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const many = 20_000;
  await store.commit(
    [],
    Array.from({ length: many }, (_, number) => put(number, `a=${'v'.repeat(100)} ${number}`)),
  );
  const one = holding('a', 'nothing');
  const making = await scan(store, one, 64);
  const scanning = await scan(store, one, 64);
  // One segment of 4096 values or 128 KiB, and 64 entries, may stand beyond it.
  const most = 64 * 4096 + 131_072 + 2 * 4 * 4096 + 64 * 4096;
  t.true(making.octetsMost < most, String(making.octetsMost));
  t.true(scanning.octetsMost < most, String(scanning.octetsMost));
  let steps = 0;
  await scan(store, one, 64, async () => {
    steps++;
  });
  t.true(steps > 5, String(steps));
});

test('a column that there is no room for is not made: every entry is a candidate', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'), { 'persistence.columnsMib': 1 });
  await store.commit(
    [],
    Array.from({ length: 100 }, (_, number) => put(number, `a=${'v'.repeat(20_000)} ${number};b=${number}`)),
  );
  const one = holding('a', ' 77');
  t.is(store.snapshot().scanCost(one.column), 100);
  t.is((await scan(store, one, 16)).ids.length > 50, true, 'what came after the room was gone');
  t.is(store.snapshot().scanCost(one.column), undefined);
  t.is((await scan(store, one, 16)).ids.length, 100);
  t.deepEqual((await scan(store, equal('b', '77'), 16)).ids.length, 1, 'others have their room');
});

test('a write of more entries than a column can note makes it anew', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  await store.commit([], [put(65_999, 'a=x')]);
  t.is((await scan(store, equal('a', 'x'), 16)).ids.length, 1);
  await store.commit(
    [],
    Array.from({ length: 66_000 }, (_, number) => put(number, 'a=y')),
  );
  t.is((await scan(store, equal('a', 'x'), 1024)).ids.length, 0);
  t.is((await scan(store, equal('a', 'y'), 1024)).ids.length, 66_000);
});
