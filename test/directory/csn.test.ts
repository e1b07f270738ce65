import { join } from 'node:path';
import test from 'ava';
import { createCsnSource } from '#directory';
import { newestCsn } from '../../src/directory/csn.ts';
import { entry, folder, open } from '../store/support.ts';

test('a CSN comes behind the newest one, whoever made that and whatever the clock says', (t) => {
  for (const newest of [
    '20310102030405.123000Z#000007#000#000000',
    // Of other servers: between two milliseconds, of a replica, in capital letters.
    '20310102030405.123456Z#000000#000#000000',
    '20310102030405.999999Z#ffffff#001#000000',
    '20310102030405.123000Z#00000A#00B#00000C',
  ]) {
    const source = createCsnSource({ nowMs: () => 0 }, newest);
    const [first, second] = [source.next(), source.next()];
    t.true(first > newest.toLowerCase().replace('z', 'Z'), first);
    t.true(second > first, second);
    t.is(first.slice(0, 12), newest.slice(0, 12));
  }
});

test('the newest CSN of a store is that of the last change of its newest commit', async (t) => {
  const { store } = open(t, join(folder(t), 'entries'));
  const put = (number: number, csn: string) => ({ kind: 'put', entry: { ...entry(number, ['dc=com', `cn=${number}`]), csn } }) as const;
  await store.commit([], [put(1, 'a'), put(2, 'b')]);
  t.is(newestCsn(store), 'b');
});
