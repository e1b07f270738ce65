import { join } from 'node:path';
import test from 'ava';
import Database from 'better-sqlite3';
import { concat, utf8 } from '#base';
import { keyOctetsMax } from '#store';
import { dnKey, entry, folder, open, uuid } from './support.ts';

const top = ['dc=com'];
const root = new Uint8Array(0);

test('a snapshot sees one state: all of a commit or nothing of it, while others write', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  // Two entries that every commit changes together.
  const pair = (csn: string) =>
    [1, 2].map((number) => ({ kind: 'put', entry: entry(number, [...top, `cn=${number}`], { csn, user: utf8(`x=${csn}`) }) }) as const);
  await store.commit([], pair('0'));
  let looks = 0;
  let running = true;
  const look = async (): Promise<void> => {
    const snapshot = store.snapshot();
    const csns = [1, 2].map((number) => snapshot.byUuid(uuid(number))?.csn);
    t.is(csns[0], csns[1]);
    t.is(snapshot.countEqual('x', utf8(csns[0] ?? ''), 10), 2);
    t.is(csns[0], String(snapshot.number - 1), 'the number is that of what is seen');
    looks++;
    await new Promise((resolve) => setImmediate(resolve));
    if (running) await look();
  };
  const looking = look();
  for (let number = 1; number <= 30; number++) await store.commit([], pair(String(number)));
  running = false;
  await looking;
  t.true(looks > 30);
});

test('a commit can be seen before it is durable, and durable() tells when it is', async (t) => {
  let confirm: (() => void) | undefined;
  const { store } = open(
    t,
    join(folder(t), 'entries'),
    {},
    {
      syncFile: (_, done) => {
        confirm = () => done(null);
      },
    },
  );
  let answered = false;
  const commit = store.commit([], [{ kind: 'put', entry: entry(1, top) }]).then(() => {
    answered = true;
  });
  while (confirm === undefined) await new Promise((resolve) => setImmediate(resolve));
  const { number } = store.snapshot();
  t.is(number, 1);
  t.false(answered, 'nothing is answered before fdatasync returned');
  t.deepEqual(store.changes(0, 10), [], 'nor told');
  let woken = false;
  const durable = store.durable(number)?.then(() => {
    woken = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.false(woken);
  confirm();
  await Promise.all([commit, durable]);
  t.true(woken);
  t.is(store.durable(number), undefined);
});

test('a snapshot that outlived its turn throws instead of mixing two states', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const old = store.snapshot();
  await store.commit([], [{ kind: 'put', entry: entry(1, top) }]);
  t.throws(() => old.byUuid(uuid(1)), { message: /beyond its turn/ });
});

test('an idle reader lets its transaction go and comes back', async (t) => {
  let idle: (() => void) | undefined;
  const { store } = open(
    t,
    join(folder(t), 'entries'),
    {},
    {
      every: (_, run) => {
        idle = run;
        return () => undefined;
      },
    },
  );
  await store.commit([], [{ kind: 'put', entry: entry(1, top) }]);
  const snapshot = store.snapshot();
  idle?.();
  t.is(snapshot.byUuid(uuid(1))?.uuid, uuid(1), 'one that was used since the last look stays');
  idle?.();
  t.throws(() => snapshot.byUuid(uuid(1)), { message: /beyond its turn/ });
  t.is(store.snapshot().byUuid(uuid(1))?.uuid, uuid(1));
});

test('after a read that failed the next one reads again', async (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file);
  await store.commit([], [{ kind: 'put', entry: entry(1, top) }]);
  const other = new Database(file);
  other.exec('ALTER TABLE change RENAME TO elsewhere');
  t.throws(() => store.snapshot(), { message: /no such table/ });
  t.throws(() => store.snapshot(), { message: /no such table/ });
  other.exec('ALTER TABLE elsewhere RENAME TO change');
  other.close();
  t.is(store.snapshot().byUuid(uuid(1))?.uuid, uuid(1));
});

test('a subtree is its base and all keys behind its separator, superiors first, and can be read in pieces', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const names = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'bb'], ['ab'], ['a\x01'], ['b']];
  // Written in another order than that of the keys.
  const changes = names.map((levels, number) => ({ kind: 'put', entry: entry(number, levels) }) as const).toReversed();
  await store.commit([], changes);
  const snapshot = store.snapshot();
  const read = (ids: readonly number[]) => ids.map((id) => snapshot.byId(id)?.dn);
  t.deepEqual(read(snapshot.subtree(dnKey('a'), undefined, 10)), ['a', 'b,a', 'c,b,a', 'bb,a']);
  t.deepEqual(read(snapshot.subtree(dnKey('a', 'b'), undefined, 10)), ['b,a', 'c,b,a']);
  t.deepEqual(read(snapshot.subtree(dnKey('zz'), undefined, 10)), []);
  t.deepEqual(read(snapshot.subtree(root, undefined, 10)), ['a', 'b,a', 'c,b,a', 'bb,a', 'a\x01', 'ab', 'b']);
  for (const base of [dnKey('a'), root]) {
    const whole = snapshot.subtree(base, undefined, 10);
    for (let piece = 1; piece <= whole.length; piece++) {
      const ids: number[] = [];
      for (let after: Uint8Array | undefined; ; ) {
        const some = snapshot.subtree(base, after, piece);
        ids.push(...some);
        if (some.length < piece) break;
        after = snapshot.byId(some.at(-1) ?? 0)?.dnKey;
      }
      t.deepEqual(ids, whole);
    }
  }
});

test('children are the direct ones, and can be read in pieces', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const child = (number: number, parent: number) =>
    ({ kind: 'put', entry: entry(number, ['a', `cn=${number}`], { parent: uuid(parent) }) }) as const;
  await store.commit([], [child(2, 1), child(3, 1), child(4, 2), child(5, 1)]);
  const snapshot = store.snapshot();
  const ids = [2, 3, 5].map((number) => snapshot.byUuid(uuid(number))?.id);
  t.deepEqual<unknown, unknown>(snapshot.children(uuid(1), 0, 10), ids);
  t.deepEqual<unknown, unknown>(snapshot.children(uuid(1), 0, 2), ids.slice(0, 2));
  t.deepEqual<unknown, unknown>(snapshot.children(uuid(1), ids[1] ?? 0, 2), ids.slice(2));
  t.false(snapshot.hasChildren(uuid(5)));
});

test('a prefix finds each entry once, at most as many as asked for, whatever octets it ends with', async (t) => {
  const { store } = open(
    t,
    join(folder(t), 'entries'),
    {},
    {
      indexer: (stored) => [
        { attribute: 'k', key: stored.user },
        { attribute: 'k', key: concat([stored.user, utf8('!')]) },
        { attribute: 'l', key: utf8('another') },
      ],
    },
  );
  const keys = [
    Uint8Array.of(0xff),
    Uint8Array.of(0xff, 0xff),
    Uint8Array.of(0xfe, 0xff),
    Uint8Array.of(0xfe, 0xff, 1),
    utf8('a'),
    utf8('ab'),
  ];
  await store.commit(
    [],
    keys.map((user, number) => ({ kind: 'put', entry: entry(number, [`cn=${number}`], { user }) }) as const),
  );
  const snapshot = store.snapshot();
  const found = (prefix: Uint8Array, limit = 10) => snapshot.idsPrefix('k', prefix, limit)?.map((id) => snapshot.byId(id)?.uuid);
  t.deepEqual(found(Uint8Array.of(0xff)), [uuid(0), uuid(1)]);
  t.deepEqual(found(Uint8Array.of(0xfe, 0xff)), [uuid(2), uuid(3)]);
  t.deepEqual(found(utf8('a')), [uuid(4), uuid(5)]);
  t.is(found(root, 100)?.length, 6);
  t.is(found(root, 5), undefined, 'they would have to be read in one step');
  t.deepEqual(snapshot.idsPrefix('unknown', root, 10), []);
});

test('a key beyond keyOctetsMax is cut alike when stored and when asked for: what is found is a candidate', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const long = 'x'.repeat(keyOctetsMax);
  await store.commit([], [{ kind: 'put', entry: entry(1, top, { user: utf8(`cn=${long}`) }) }]);
  const snapshot = store.snapshot();
  t.is(snapshot.idsEqual('cn', utf8(long), 10).length, 1);
  t.is(snapshot.idsEqual('cn', utf8(`${long}y`), 10).length, 1);
  t.is(snapshot.idsPrefix('cn', utf8(long), 10)?.length, 1);
  t.is(snapshot.idsEqual('cn', utf8('x'), 10).length, 0);
});

test('the rows visited by an indexed lookup are the same however many entries there are', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const add = (from: number, to: number) =>
    store.commit(
      [],
      Array.from(
        { length: to - from },
        (_, at) => ({ kind: 'put', entry: entry(from + at, [...top, `cn=${from + at}`], { user: utf8(`uid=u${from + at}`) }) }) as const,
      ),
    );
  const visited = () => {
    const snapshot = store.snapshot();
    t.is(snapshot.visited, 0);
    for (const id of snapshot.idsEqual('uid', utf8('u7'), 100)) snapshot.readable(id);
    return snapshot.visited;
  };
  await add(0, 100);
  t.is(visited(), 2);
  await add(100, 2000);
  t.is(visited(), 2);
});

test('no entry is found under a text that is no UUID', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  await store.commit([], [{ kind: 'put', entry: entry(2, top, { parent: uuid(1) }) }]);
  const snapshot = store.snapshot();
  for (const text of ['', 'x', `${uuid(2)}0`, `${uuid(2)}zz`, uuid(2).replaceAll('-', ''), '\u0000'])
    t.is(snapshot.byUuid(text), undefined, text);
  t.deepEqual(snapshot.children('x', 0, 10), []);
  t.false(snapshot.hasChildren(`${uuid(1)} `));
  await t.throwsAsync(store.commit([], [{ kind: 'put', entry: { ...entry(3, ['b']), uuid: 'x' } }]), { message: /not a UUID/ });
});
