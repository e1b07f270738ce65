import test from 'ava';
import { systemChance } from '#base';
import { readSettings } from '#catalogue';
import { type OutboxEvent, openOutbox, openState } from '#state';
import { openStateStore, storeSettings } from '#store';

test('the outbox keeps events in their order, so many of a realm and for so long, and gives back what is told or taken back', async (t) => {
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const settings = { ...readSettings(storeSettings, { environment: {} }).values, 'persistence.mode': 'memory' } as const;
  const store = openStateStore({ file: 'unused', settings, clock, epoch: 1 });
  t.teardown(() => store.close());
  const state = openState({ store, clock });
  const outbox = openOutbox({ state, chance: systemChance, settingsOf: () => ({ 'outbox.eventsMax': 3, 'outbox.keepS': 60 }) });
  const event = (subject: string, realm = 'default'): OutboxEvent => ({
    realm,
    kind: 'credential-change',
    subject,
    detail: { a: 1 },
    atMs: nowMs,
  });
  const subjects = async (realm = 'default') => (await outbox.read(realm, 10)).map(({ value }) => value.subject);
  await outbox.put(event('a'));
  const handle = await outbox.put(event('b'));
  await outbox.put(event('elsewhere', 'other'));
  await outbox.put(event('c'));
  t.deepEqual(await subjects(), ['a', 'b', 'c']);
  await outbox.takeBack('default', handle);
  t.deepEqual(await subjects(), ['a', 'c']);
  await outbox.put(event('d'));
  await outbox.put(event('e'));
  t.deepEqual(await subjects(), ['c', 'd', 'e'], 'the oldest makes way');
  const [first] = await outbox.read('default', 1);
  t.true(first !== undefined && (await outbox.remove(first)));
  t.false(first !== undefined && (await outbox.remove(first)), 'of two who tell it one has');
  t.deepEqual(await subjects('other'), ['elsewhere']);
  nowMs += 60_000;
  t.deepEqual(await subjects(), []);
});
