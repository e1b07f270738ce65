import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import { Refusal } from '#catalogue';
import type { Change, CommitResult } from '#store';
import { observeLog } from '../support/observed.ts';
import { dnKey, entry, folder, open, uuid } from './support.ts';

const top = ['dc=com'];

function put(number: number, csn = 'a', name = `cn=${number}`, user = ''): Change {
  return { kind: 'put', entry: entry(number, [...top, name], { csn, user: utf8(user) }) };
}

test('a commit is seen by the next snapshot, under its name, its uuid, its superior and its keys', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const base = entry(1, top);
  const child = entry(2, [...top, 'ou=people'], {
    parent: base.uuid,
    user: utf8('cn=one;cn=two'),
    operational: utf8('o'),
    secret: utf8('s'),
  });
  const changes: Change[] = [
    { kind: 'put', entry: base },
    { kind: 'put', entry: child },
  ];
  t.deepEqual(await store.commit([], changes), { kind: 'committed', number: 1 });

  const snapshot = store.snapshot();
  t.is(snapshot.number, 1);
  const found = snapshot.byDnKey(child.dnKey);
  t.like(found, { uuid: child.uuid, parent: base.uuid, dn: 'ou=people,dc=com', csn: 'a' });
  t.is(found && Buffer.from(found.secret).toString(), 's');
  t.deepEqual(snapshot.byUuid(child.uuid), found);
  const id = found?.id ?? 0;
  t.deepEqual(snapshot.idsEqual('cn', utf8('two'), 10), [id]);
  t.deepEqual(snapshot.idsPrefix('cn', utf8(''), 10), [id]);
  t.is(snapshot.countEqual('cn', utf8('two'), 10), 1);
  t.deepEqual(snapshot.children(base.uuid, 0, 10), [id]);
  t.true(snapshot.hasChildren(base.uuid));
  t.deepEqual(snapshot.subtree(base.dnKey, undefined, 10), [snapshot.byUuid(base.uuid)?.id ?? 0, id]);
  t.false('secret' in (snapshot.readable(id) ?? {}), 'search reads no secrets');
});

test('expectations are judged in order, and a conflict affects only its own commit', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const results = await Promise.all([
    store.commit([{ kind: 'absent', dnKey: dnKey(...top, 'cn=1') }], [put(1)]),
    store.commit([{ kind: 'absent', dnKey: dnKey(...top, 'cn=1') }], [put(2, 'a', 'cn=1')]),
    store.commit([{ kind: 'unchanged', uuid: uuid(1), csn: 'a' }], [put(1, 'b')]),
    store.commit([{ kind: 'unchanged', uuid: uuid(1), csn: 'a' }], [put(1, 'c')]),
    store.commit([{ kind: 'unchanged', uuid: uuid(9), csn: 'a' }], []),
    store.commit([], [put(3)]),
  ]);
  t.deepEqual(results satisfies CommitResult[], [
    { kind: 'committed', number: 1 },
    { kind: 'conflict', failed: { kind: 'absent', dnKey: dnKey(...top, 'cn=1') } },
    { kind: 'committed', number: 2 },
    { kind: 'conflict', failed: { kind: 'unchanged', uuid: uuid(1), csn: 'a' } },
    { kind: 'conflict', failed: { kind: 'unchanged', uuid: uuid(9), csn: 'a' } },
    { kind: 'committed', number: 3 },
  ]);
  t.is(store.snapshot().byUuid(uuid(1))?.csn, 'b');
  t.is(store.snapshot().byUuid(uuid(2)), undefined);
});

test('an entry is deleted only while it is childless, when that is expected', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const child = entry(2, [...top, 'cn=2'], { parent: uuid(1) });
  await store.commit(
    [],
    [
      { kind: 'put', entry: entry(1, top) },
      { kind: 'put', entry: child },
    ],
  );
  const childless = { kind: 'childless', uuid: uuid(1) } as const;
  const remove: Change = { kind: 'delete', uuid: uuid(1), csn: 'b' };
  t.deepEqual(await store.commit([childless], [remove]), { kind: 'conflict', failed: childless });
  await store.commit([], [{ kind: 'delete', uuid: uuid(2), csn: 'b' }]);
  t.like(await store.commit([childless], [remove]), { kind: 'committed' });
  t.deepEqual(store.snapshot().subtree(new Uint8Array(0), undefined, 10), []);
});

test('all of a commit is kept, or nothing of it, and others of the same turn are not touched', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const twoOfOneName = [put(2, 'a', 'cn=2', 'mail=new;town=x'), put(3, 'a', 'cn=1')];
  const results = await Promise.allSettled([
    store.commit([], [put(1, 'a', 'cn=1', 'cn=one')]),
    store.commit([], twoOfOneName),
    store.commit([], [put(4, 'a', 'cn=4', 'mail=old')]),
    store.commit([], [{ kind: 'delete', uuid: uuid(9), csn: 'a' }]),
    store.commit([], [{ kind: 'put', entry: entry(5, []) }]),
  ]);
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'rejected'],
  );
  const snapshot = store.snapshot();
  t.is(snapshot.number, 2);
  t.is(snapshot.byUuid(uuid(2)), undefined);
  t.deepEqual(snapshot.idsEqual('mail', utf8('new'), 10), []);
  t.deepEqual(snapshot.idsPrefix('town', utf8(''), 10), []);
  t.is(snapshot.idsEqual('mail', utf8('old'), 10).length, 1, 'attribute numbers given in a commit that failed are not kept');
  t.deepEqual(
    store.changes(0, 10).map(({ number, change }) => [number, change.kind === 'delete' ? change.uuid : change.entry.uuid]),
    [
      [1, uuid(1)],
      [2, uuid(4)],
    ],
  );
});

test('an entry that is put again keeps its row and leaves the keys it lost', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  await store.commit([], [put(1, 'a', 'cn=1', 'cn=one;cn=one;mail=m')]);
  const id = store.snapshot().byUuid(uuid(1))?.id;
  await store.commit([], [put(1, 'b', 'cn=renamed', 'cn=two;mail=m')]);
  const snapshot = store.snapshot();
  t.is(snapshot.byUuid(uuid(1))?.id, id);
  t.is(snapshot.byDnKey(dnKey(...top, 'cn=1')), undefined);
  t.is(snapshot.byDnKey(dnKey(...top, 'cn=renamed'))?.id, id);
  t.deepEqual(snapshot.idsEqual('cn', utf8('one'), 10), []);
  t.is(snapshot.idsEqual('cn', utf8('two'), 10)[0], id);
  t.is(snapshot.idsEqual('mail', utf8('m'), 10)[0], id);
});

test('row numbers are not used again while the process lives', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  await store.commit([], [put(1)]);
  const id = store.snapshot().byUuid(uuid(1))?.id ?? 0;
  await store.commit([], [{ kind: 'delete', uuid: uuid(1), csn: 'b' }, put(2)]);
  t.true((store.snapshot().byUuid(uuid(2))?.id ?? 0) > id);
});

test('listeners hear of each commit in order, when it is durable, until they stop', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const heard: unknown[] = [];
  const stop = store.watch((changes) => {
    const [first] = changes;
    heard.push(changes.map(({ number, csn, change }) => [number, csn, change.kind]));
    t.is(store.durable(first?.number ?? 0), undefined);
  });
  await Promise.all([
    store.commit([], [put(1), put(2)]),
    store.commit([], []),
    store.commit([], [{ kind: 'delete', uuid: uuid(1), csn: 'b' }]),
  ]);
  await store.commit([], [put(3)]);
  stop();
  await store.commit([], [put(4)]);
  t.deepEqual(heard, [
    [
      [1, 'a', 'put'],
      [1, 'a', 'put'],
    ],
    [[2, 'b', 'delete']],
    [[3, 'a', 'put']],
  ]);
});

test('what arrives in one turn is one transaction and one fdatasync', async (t) => {
  let syncs = 0;
  const { store } = open(
    t,
    join(folder(t), 'entries'),
    {},
    {
      syncFile: (_, done) => {
        syncs++;
        setImmediate(done, null);
      },
    },
  );
  await Promise.all(Array.from({ length: 50 }, (_, number) => store.commit([], [put(number)])));
  t.is(syncs, 1);
  t.is(store.snapshot().number, 50);
});

test('a further change is refused as busy (51) when too many wait', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'), { 'persistence.pendingMax': 3, 'persistence.batchMax': 2 });
  const results = await Promise.allSettled([1, 2, 3, 4].map((number) => store.commit([], [put(number)])));
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  );
  const [last] = results.slice(-1);
  const reason: unknown = last?.status === 'rejected' ? last.reason : undefined;
  t.true(reason instanceof Refusal && reason.row.code === 'STS-STORE-9006' && reason.row.sees.ldap === 51);
  observeLog(String(reason));
  t.like(await store.commit([], [put(4)]), { kind: 'committed' }, 'and is taken when there is room again');
});

test('the change log keeps as many commits as its bound says', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'), { 'persistence.commitsMax': 3 });
  for (let number = 1; number <= 5; number++) await store.commit([], [put(number), put(number + 100)]);
  t.deepEqual(
    store.changes(0, 100).map(({ number }) => number),
    [3, 3, 4, 4, 5, 5],
  );
  t.deepEqual(
    store.changes(3, 3).map(({ number }) => number),
    [4, 4, 5],
  );
});

test('closing waits for what is under way, and nothing is taken afterwards', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  let done = false;
  const commit = store.commit([], [put(1)]).then(() => {
    done = true;
  });
  await store.close();
  t.true(done);
  await commit;
  await t.throwsAsync(store.commit([], [put(2)]), { message: /closed/ });
});

test('a commit of very many changes is written over many turns: until its end all read the state before it, and others come behind it', async (t) => {
  const file = join(folder(t), 'entries');
  const { store } = open(t, file, { 'persistence.turnChangesMax': 10 });
  await store.commit([], [put(1)]);
  const many = Array.from({ length: 500 }, (_, at) => put(at + 1, 'b'));
  const seen: string[] = [];
  let isOver = false;
  const look = () => {
    const snapshot = store.snapshot();
    const rows = snapshot.subtree(dnKey(...top), undefined, 1000).length;
    seen.push(`${snapshot.number}: ${rows}, the first ${snapshot.byUuid(uuid(1))?.csn}`);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const [long, refused, next] = await Promise.all([
    store.commit([{ kind: 'unchanged', uuid: uuid(1), csn: 'a' }], many).finally(() => {
      isOver = true;
    }),
    store.commit([{ kind: 'unchanged', uuid: uuid(1), csn: 'a' }], [put(1, 'c')]),
    store.commit([], [put(501)]),
  ]);
  t.deepEqual(long, { kind: 'committed', number: 2 });
  t.is(refused.kind, 'conflict');
  t.deepEqual(next, { kind: 'committed', number: 3 });
  const states = [...new Set(seen)];
  t.true(seen.length > 10, `${seen.length} turns`);
  t.true(
    states.every((state) => ['1: 1, the first a', '2: 500, the first b', '3: 501, the first b'].includes(state)),
    states.join('; '),
  );
  t.is(seen.filter((state) => state.startsWith('1')).length > 5, true);
  // One that does not hold, or cannot be, leaves nothing.
  t.like(await store.commit([{ kind: 'absent', dnKey: dnKey(...top, 'cn=7') }], many), { kind: 'conflict' });
  await t.throwsAsync(store.commit([], [...many, put(502, 'b', 'cn=7')]), { message: /two entries of one name/ });
  t.is(store.snapshot().number, 3);
  t.deepEqual(await store.commit([], [put(1, 'd')]), { kind: 'committed', number: 4 });
  await store.close();
  t.is(open(t, file).store.snapshot().byUuid(uuid(1))?.csn, 'd');
});
