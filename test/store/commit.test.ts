import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import type { CommitResult } from '#store';
import { dnKey, entry, folder, open, uuid } from './support.ts';

const top = ['dc=com'];

test('a commit is seen by the next snapshot, under its name, its uuid, its superior and its keys', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const base = entry(1, top);
  const child = entry(2, [...top, 'ou=people'], {
    parent: base.uuid,
    user: utf8('cn=one;cn=two'),
    operational: utf8('o'),
    secret: utf8('s'),
  });
  t.deepEqual(
    await store.commit(
      [],
      [
        { kind: 'put', entry: base },
        { kind: 'put', entry: child },
      ],
    ),
    { kind: 'committed', number: 1 },
  );

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
  const put = (number: number, csn: string, name = `cn=${number}`) =>
    ({ kind: 'put', entry: entry(number, [...top, name], { csn }) }) as const;
  const results = await Promise.all([
    store.commit([{ kind: 'absent', dnKey: dnKey(...top, 'cn=1') }], [put(1, 'a')]),
    store.commit([{ kind: 'absent', dnKey: dnKey(...top, 'cn=1') }], [put(2, 'a', 'cn=1')]),
    store.commit([{ kind: 'unchanged', uuid: uuid(1), csn: 'a' }], [put(1, 'b')]),
    store.commit([{ kind: 'unchanged', uuid: uuid(1), csn: 'a' }], [put(1, 'c')]),
    store.commit([], [put(3, 'a')]),
  ]);
  t.deepEqual(results satisfies CommitResult[], [
    { kind: 'committed', number: 1 },
    { kind: 'conflict', failed: { kind: 'absent', dnKey: dnKey(...top, 'cn=1') } },
    { kind: 'committed', number: 2 },
    { kind: 'conflict', failed: { kind: 'unchanged', uuid: uuid(1), csn: 'a' } },
    { kind: 'committed', number: 3 },
  ]);
  t.is(store.snapshot().byUuid(uuid(1))?.csn, 'b');
  t.is(store.snapshot().byUuid(uuid(2)), undefined);
});
