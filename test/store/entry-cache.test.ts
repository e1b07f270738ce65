import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import { entry, folder, open, uuid } from './support.ts';

const top = ['dc=com'];

test('an entry that search has read is the same from the cache as from the disk, whatever it is called', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const fields = { parent: uuid(1), csn: 'c', user: utf8('x=1'), operational: utf8('né'), dn: 'cn=Ada la Première 🎉,dc=com' };
  await store.commit(
    [],
    [
      { kind: 'put', entry: entry(1, top) },
      { kind: 'put', entry: entry(2, [...top, 'cn=b'], fields) },
    ],
  );
  const snapshot = store.snapshot();
  for (const number of [1, 2]) {
    const id = snapshot.byUuid(uuid(number))?.id ?? 0;
    const { secret, ...stored } = snapshot.byId(id) ?? { secret: undefined };
    t.is(secret?.length, 0);
    for (const time of ['first', 'again']) {
      const read = snapshot.readable(id);
      const shown = Object.fromEntries(Object.keys(stored).map((key) => [key, plain(read?.[key as 'uuid'])]));
      t.deepEqual(shown, Object.fromEntries(Object.entries(stored).map(([key, value]) => [key, plain(value)])), time);
      t.is(Buffer.from(read?.dnOctets ?? []).toString(), read?.dn ?? '');
      t.is(read?.octets, (read?.user.length ?? 0) + (read?.operational.length ?? 0));
    }
  }
});

test('a changed entry has another version at once, an unchanged one keeps its own, and a deleted one is gone', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const put = (number: number, user: string) =>
    ({ kind: 'put', entry: entry(number, [...top, `cn=${number}`], { user: utf8(user) }) }) as const;
  await store.commit([], [put(1, 'x=1'), put(2, 'x=2')]);
  const ids = [1, 2].map((number) => store.snapshot().byUuid(uuid(number))?.id ?? 0);
  const versions = () => ids.map((id) => store.snapshot().readable(id)?.version);
  const before = versions();
  t.deepEqual(versions(), before);
  await store.commit([], [put(1, 'x=3')]);
  const [first, second] = versions();
  t.not(first, before[0]);
  t.is(second, before[1]);
  t.is(Buffer.from(store.snapshot().readable(ids[0] ?? 0)?.user ?? []).toString(), 'x=3');
  await store.commit([], [{ kind: 'delete', uuid: uuid(2), csn: 'b' }]);
  t.is(store.snapshot().readable(ids[1] ?? 0), undefined);
});

test('what search reads of an entry is what stands there, whatever octets its parts have: NULs, 0xFF, nothing, other scripts', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const octets = [
    new Uint8Array(0),
    Uint8Array.of(0),
    Uint8Array.of(0xff, 0, 0xfe, 0),
    Uint8Array.from({ length: 512 }, (_, i) => i & 0xff),
  ];
  let number = 0;
  for (const operational of octets) {
    for (const dn of ['cn=a', 'cn=Ωμέγα 日本', 'cn=a\\00b']) {
      number++;
      // The test's index keys are text: what `user` holds besides makes odd ones, which do no harm.
      const user = Buffer.concat([operational, Buffer.from(';x=1')]);
      await store.commit([], [{ kind: 'put', entry: { ...entry(number, [...top, String(number)]), dn, user, operational } }]);
    }
  }
  for (let each = 1; each <= number; each++) {
    const { secret: _, ...whole } = store.snapshot().byUuid(uuid(each)) ?? t.fail();
    for (const _time of ['from the file', 'from the cache']) {
      const read = store.snapshot().readable(whole.id) ?? t.fail();
      for (const name of Object.keys(whole) as (keyof typeof whole)[]) t.deepEqual(plain(read[name]), plain(whole[name]), name);
      t.is(Buffer.from(read.dnOctets).toString(), whole.dn);
      t.is(plain(read.attributes), plain(Buffer.concat([whole.user, whole.operational])));
      t.true(read.hasUuid(whole.uuid));
      for (const other of [uuid(each + 1), whole.uuid.slice(1), `${whole.uuid}0`, '']) t.false(read.hasUuid(other));
    }
  }
});

test('an entry that was read before a change is read again after it', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  await store.commit([], [{ kind: 'put', entry: entry(1, top, { csn: 'old' }) }]);
  const id = store.snapshot().byUuid(uuid(1))?.id ?? 0;
  t.is(store.snapshot().readable(id)?.csn, 'old');
  await store.commit([], [{ kind: 'put', entry: entry(1, top, { csn: 'new' }) }]);
  t.is(store.snapshot().readable(id)?.csn, 'new');
});

test('more changes than are worth a list put out everything', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  await store.commit([], [{ kind: 'put', entry: entry(1, top, { csn: 'old' }) }]);
  const id = store.snapshot().byUuid(uuid(1))?.id ?? 0;
  t.is(store.snapshot().readable(id)?.csn, 'old');
  const many = Array.from({ length: 10_001 }, (_, number) => ({ kind: 'put', entry: entry(number + 2, [`dc=${number}`]) }) as const);
  await store.commit([], [...many, { kind: 'put', entry: entry(1, top, { csn: 'new' }) }]);
  t.is(store.snapshot().readable(id)?.csn, 'new');
});

test('an entry too large for the cache is read, and what stood there before is not taken for it', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'), { 'persistence.entryCacheMib': 1 });
  for (const octets of [10, 1_000_000, 20]) {
    await store.commit([], [{ kind: 'put', entry: entry(1, top, { operational: new Uint8Array(octets) }) }]);
    const id = store.snapshot().byUuid(uuid(1))?.id ?? 0;
    t.is(store.snapshot().readable(id)?.operational.length, octets);
    t.is(store.snapshot().readable(id)?.operational.length, octets);
  }
});

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}
