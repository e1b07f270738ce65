import test, { type ExecutionContext } from 'ava';
import { systemChance, utf8 } from '#base';
import { readSettings } from '#catalogue';
import { factorsSettings, openAppEnrolments, openRecovery } from '#factors';
import { sealingKey } from '#keys';
import { openState } from '#state';
import { openStateStore, storeSettings } from '#store';
import { openWaiting } from '../../src/factors/waiting.ts';

function open(t: ExecutionContext) {
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const standing = readSettings(storeSettings, { environment: {} }).values;
  const store = openStateStore({ file: 'unused', settings: { ...standing, 'persistence.mode': 'memory' }, clock, epoch: 1 });
  t.teardown(() => store.close());
  const options = { state: openState({ store, clock }), clock, chance: systemChance, key: sealingKey(utf8('key'), 'waiting') };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { options, store, pass, untilMs: () => nowMs + 60_000 };
}

const ada = { realm: 'default', entryUuid: 'ada' };
const bob = { realm: 'default', entryUuid: 'bob' };

test('a secret that waits is its person’s, in their realm, until its time is over; what is kept of it says nothing', async (t) => {
  const { options, store, pass, untilMs } = open(t);
  const waiting = openWaiting(options, 'secret');
  const put = await waiting.put(ada, 'plain', untilMs());
  t.deepEqual(await waiting.find(ada, put.handle), put);
  for (const other of [bob, { ...ada, realm: 'acme' }]) {
    t.is(await waiting.find(other, put.handle), undefined);
    t.is(await waiting.take(other, put.handle), undefined);
  }
  t.false(JSON.stringify(store.list('secret/default', undefined, 9)).includes('plain'));
  const taken = await Promise.all([1, 2, 3].map(() => waiting.take(ada, put.handle)));
  t.deepEqual(taken.map((each) => each?.secret).toSorted(), ['plain', undefined, undefined]);
  const late = await waiting.put(ada, 'late', untilMs());
  pass(60_000);
  t.is(await waiting.find(ada, late.handle), undefined);
  t.is(await waiting.take(ada, late.handle), undefined);
});

test('one account cannot push out what waits for others: of its own the oldest goes, many at once too', async (t) => {
  const { options, store, untilMs } = open(t);
  const settingsOf = () => readSettings(factorsSettings, { environment: {} }).values;
  const apps = openAppEnrolments({ ...options, settingsOf });
  const never = () => {
    throw new Error('nothing is written');
  };
  const recovery = openRecovery({ ...options, settingsOf, client: { as: never }, audit: { record: never } });
  for (const [name, begin, find] of [
    ['totp.enrolment', apps.begin, apps.find],
    ['recovery.set', recovery.begin, recovery.find],
  ] as const) {
    const [his, hers] = [await begin(bob), await begin(ada)];
    const more = await Promise.all(Array.from({ length: 100 }, () => begin(ada)));
    t.is(store.list(`${name}/default`, 'ada', 1000).length, 3);
    t.truthy(await find(bob, his.handle), name);
    t.is(await find(ada, hers.handle), undefined);
    t.truthy(await find(ada, more.at(-1)?.handle ?? ''));
  }
  t.is(untilMs(), 1_060_000);
});
