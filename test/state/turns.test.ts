import test from 'ava';
import { readSettings } from '#catalogue';
import { createTurns, openLimits, stateSettings } from '#state';
import { openStateStore, storeSettings } from '#store';

const clock = { nowMs: () => 1_000_000 };

function open(t: { teardown(done: () => void): void }) {
  const ofStore = { ...readSettings(storeSettings, { environment: {} }).values, 'persistence.mode': 'memory' as const };
  const store = openStateStore({ file: 'unused', settings: ofStore, clock, epoch: 1 });
  t.teardown(() => store.close());
  const settings = readSettings(stateSettings, { environment: {} }).values;
  return openLimits({ store, clock, settingsOf: () => settings, identityOf: (dn) => dn });
}

const ada = { realm: 'default', identity: 'uid=ada', address: '192.0.2.1' };

/** One bind: asks, is judged in a later turn of the event loop, and ends. */
async function judged(limits: ReturnType<typeof createTurns>, right: boolean, inside: { now: number; most: number }, by = ada) {
  const turn = await limits.enter(by);
  if (turn.kind === 'limited') return 'limited';
  inside.most = Math.max(inside.most, ++inside.now);
  await new Promise(setImmediate);
  inside.now--;
  await turn.end(right ? 'succeeded' : 'failed');
  return right ? 'right' : 'wrong';
}

test('a hundred right attempts at once all succeed, at most as many at a time as may fail', async (t) => {
  const turns = createTurns(open(t), clock);
  const inside = { now: 0, most: 0 };
  const all = await Promise.all(Array.from({ length: 100 }, () => judged(turns, true, inside)));
  t.deepEqual(new Set(all), new Set(['right']));
  t.is(inside.most, 5);
});

test('a hundred wrong attempts at once: five are judged, and the others are refused', async (t) => {
  const turns = createTurns(open(t), clock);
  const inside = { now: 0, most: 0 };
  const all = await Promise.all(Array.from({ length: 100 }, () => judged(turns, false, inside)));
  t.is(all.filter((each) => each === 'wrong').length, 5);
  t.is(all.filter((each) => each === 'limited').length, 95);
});

test('who is limited by name is answered at once, however busy the address is', async (t) => {
  const turns = createTurns(open(t), clock);
  const inside = { now: 0, most: 0 };
  for (let i = 0; i < 5; i++) await judged(turns, false, inside);
  const busy = await turns.enter({ ...ada, identity: 'uid=bob' });
  t.is(await judged(turns, true, inside), 'limited');
  if (busy.kind === 'admitted') await busy.end('succeeded');
});

test('names and addresses mixed, right and wrong: nobody waits for ever, and no name is judged wrong more often than it may', async (t) => {
  const turns = createTurns(open(t), clock);
  const inside = { now: 0, most: 0 };
  const asked = Array.from({ length: 400 }, (_, i) => ({ ...ada, identity: `uid=${i % 7}`, address: `192.0.2.${i % 5}` }));
  const all = await Promise.all(asked.map((by, i) => judged(turns, i % 3 === 0, inside, by)));
  for (let name = 0; name < 7; name++) t.true(all.filter((each, i) => i % 7 === name && each === 'wrong').length <= 5);
  t.true(all.includes('right') && all.includes('limited'));
});

test('what was not judged does not count', async (t) => {
  const turns = createTurns(open(t), clock);
  const kinds: string[] = [];
  for (let i = 0; i < 20; i++) {
    const turn = await turns.enter(ada);
    kinds.push(turn.kind);
    if (turn.kind === 'admitted') await turn.end('unjudged');
  }
  t.deepEqual(
    kinds,
    kinds.map(() => 'admitted'),
  );
  t.is(await judged(turns, true, { now: 0, most: 0 }), 'right');
});

test('a failure that could not be written lets the next one go on', async (t) => {
  const turns = createTurns(
    {
      isFull: () => false,
      standing: () => [{ counter: 'one', of: 'identity', failed: 0, limit: 1, expiresAtMs: 1_060_000 }],
      fail: () => {
        throw new Error('a defect');
      },
    },
    clock,
  );
  const first = await turns.enter(ada);
  const second = turns.enter(ada);
  if (first.kind === 'admitted') await t.throwsAsync(first.end('failed'), { message: 'a defect' });
  t.is((await second).kind, 'admitted');
});

test('what succeeds writes nothing, and what has failed is written before it is answered', async (t) => {
  const limits = open(t);
  const written: string[] = [];
  const fail = (by: typeof ada) => {
    written.push(by.identity);
    limits.fail(by);
  };
  const turns = createTurns({ ...limits, fail }, clock);
  const inside = { now: 0, most: 0 };
  for (let i = 0; i < 10; i++) await judged(turns, true, inside);
  t.deepEqual(written, []);
  t.false(turns.isFull(ada));
  for (let i = 0; i < 5; i++) await judged(turns, false, inside);
  t.is(written.length, 5);
  t.true(turns.isFull(ada));
  t.is((await limits.enter(ada)).kind, 'limited', 'every process counts it');
});

test('failures that others have written count at once', async (t) => {
  const limits = open(t);
  const turns = createTurns(limits, clock);
  t.false(turns.isFull(ada));
  for (let i = 0; i < 5; i++) await limits.enter(ada);
  t.true(turns.isFull(ada), 'in the same turn of the event loop');
});
