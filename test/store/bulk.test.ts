import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import { type Change, type Expectation, examineDirectory, noLists } from '#store';
import { dnKey, entry, folder, indexer, large, open, uuid } from './support.ts';

const top = ['dc=com'];
const count = 400;
const nameOf = (number: number) => `cn=${number}`;
// Values that stand twice in an entry, that several entries share, and so many that they leave it.
const userOf = (number: number) =>
  number % 100 === 7 ? 'big=a;big=b;big=c;big=d;cn=x' : `cn=person ${number};cn=person ${number};sn=${number % 10};big=only`;

function freshOnes(first: number): { readonly expected: Expectation[]; readonly changes: Change[] } {
  const numbers = Array.from({ length: count }, (_, at) => first + at);
  return {
    expected: numbers.flatMap((number): Expectation[] => [
      { kind: 'absent', dnKey: dnKey(...top, nameOf(number)) },
      { kind: 'unused', uuid: uuid(number) },
    ]),
    changes: numbers.map((number) => ({
      kind: 'put',
      entry: entry(number, [...top, nameOf(number)], { parent: uuid(1), user: utf8(userOf(number)) }),
    })),
  };
}

const base: Change = { kind: 'put', entry: entry(1, top) };

function damageOf(file: string): string[] {
  const found: string[] = [];
  examineDirectory(file, {
    ...{ indexer, large, indexVersion: '1', cacheMib: 8, tell: ({ what }) => void found.push(what), onProgress: () => undefined },
    judge: () => [],
    judgeLogged: () => [],
  });
  return found;
}

test('very many new entries are one commit, in the log and for who watches, with the index that single ones have', async (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  await store.commit([], [base]);
  const heard: number[] = [];
  store.watch((changes) => void heard.push(changes.length));
  const { expected, changes } = freshOnes(1000);
  // What was there before goes along, too: the place of an import in the entry of its task.
  const along: Change = { kind: 'put', entry: entry(1, top, { csn: 'b' }) };
  const all = [...expected, { kind: 'unchanged', uuid: uuid(1), csn: 'a' } as const];
  t.deepEqual(await store.bulk(all, [...changes, along]), { kind: 'committed', number: 2 });
  t.deepEqual(heard, [count + 1]);
  t.is(store.changes(1, 1000).length, count + 1);
  const snapshot = store.snapshot();
  t.is(snapshot.byUuid(uuid(1))?.csn, 'b');
  t.is(snapshot.countChildren(uuid(1)), count);
  t.is(snapshot.idsEqual('sn', utf8('3'), 100).length, count / 10);
  t.is(snapshot.countEqual('big', utf8('only'), 1000), count - count / 100);
  const listed = snapshot.byUuid(uuid(1007));
  t.not(listed?.large, noLists);
  t.true(snapshot.hasValue(listed?.id ?? 0, 'big', utf8('d')));
  t.deepEqual(await store.bulk(expected, changes), { kind: 'conflict', failed: expected[0] as Expectation });
  await store.close();
  t.deepEqual(damageOf(file), []);
});

test('who comes to write while very many entries are written goes first: nothing of them is written, and nobody’s number is lost', async (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  await store.commit([], [base]);
  const { expected, changes } = freshOnes(1000);
  const order: string[] = [];
  const bulk = store.bulk(expected, changes).then((result) => {
    order.push(`bulk ${result.kind}`);
    return result;
  });
  // Its first turn has begun when this one comes.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  const other = await store.commit([], [{ kind: 'put', entry: entry(2, [...top, 'cn=other'], { parent: uuid(1) }) }]);
  t.deepEqual(await bulk, { kind: 'gaveWay' });
  t.deepEqual(other, { kind: 'committed', number: 2 });
  t.deepEqual(order, ['bulk gaveWay']);
  t.is(store.snapshot().countChildren(uuid(1)), 1);
  t.deepEqual(await store.bulk(expected, changes), { kind: 'committed', number: 3 });
  t.is(store.snapshot().countChildren(uuid(1)), count + 1);
  await store.close();
  t.deepEqual(damageOf(file), []);
});

test('two of them with one name are no commit, and nothing of it is kept', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  await store.commit([], [base]);
  const { expected, changes } = freshOnes(1000);
  const twin: Change = { kind: 'put', entry: entry(9999, [...top, nameOf(1000)], { parent: uuid(1) }) };
  await t.throwsAsync(store.bulk([...expected, { kind: 'unused', uuid: uuid(9999) }], [...changes, twin]), {
    message: /two entries of one name/,
  });
  t.is(store.snapshot().countChildren(uuid(1)), 0);
});
