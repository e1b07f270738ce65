import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readSettings, refuse } from '#catalogue';
import { createNewsBuffer, limitsBeside, newsOf, openLimits, stateSettings } from '#state';
import { openStateBeside, openStateStore, type StateStore, storeErrors, storeSettings } from '#store';

const standing = readSettings(stateSettings, { environment: {} }).values;
const ada = { realm: 'default', identity: 'uid=ada', address: '192.0.2.1' };

/** The limits of the thread that counts, what a thread beside it says of them by itself, and those of another process. */
function open(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-beside-'));
  const file = join(folder, 'state.sqlite');
  const clock = { now: 1_000_000, nowMs: () => clock.now };
  const settings = { ...standing };
  const by = { clock, settingsOf: () => settings, identityOf: (dn: string) => dn.toLowerCase() };
  const ofStore = readSettings(storeSettings, { environment: {} }).values;
  const stores = [1, 2].map(() => openStateStore({ file, settings: ofStore, clock, epoch: 1 })) as [StateStore, StateStore];
  const news = createNewsBuffer();
  const disk = { full: false };
  const written: StateStore = {
    ...stores[0],
    countUp: (counters) => {
      if (disk.full) throw refuse(storeErrors.stateNotWritten, { why: 'no room' });
      return stores[0].countUp(counters);
    },
  };
  const limits = openLimits({ store: written, ...by, news: newsOf(news) });
  const elsewhere = openLimits({ store: stores[1], ...by });
  const { moved, inMemoryUntilMs } = newsOf(news);
  const beside = openStateBeside({ file, clock, epoch: 1, moved });
  t.teardown(() => {
    for (const each of [beside, ...stores]) each.close();
    rmSync(folder, { recursive: true });
  });
  const asked = { times: 0 };
  const isFull = limitsBeside({
    ...{ store: beside, news: { inMemoryUntilMs }, ...by },
    ask: async (attempt) => {
      asked.times++;
      return limits.isFull(attempt);
    },
  });
  return { clock, settings, limits, elsewhere, disk, isFull, asked };
}

test('a thread beside the one that counts knows of each failure at once, by name and by address, without asking', (t) => {
  const { limits, isFull, asked, clock, settings } = open(t);
  const bob = { ...ada, identity: 'uid=bob' };
  for (let failed = 0; failed < 5; failed++) {
    t.false(isFull(ada), `${failed} have failed`);
    limits.fail(ada);
  }
  t.true(isFull(ada), 'in the same turn of the event loop');
  t.true(isFull({ ...ada, address: '198.51.100.7' }));
  t.false(isFull(bob));
  for (let failed = 5; failed < 20; failed++) limits.fail({ ...ada, identity: `uid=${failed}` });
  t.true(isFull(bob), 'the address');
  t.false(isFull({ ...bob, address: '198.51.100.7' }));
  t.false(isFull({ ...ada, realm: 'another' }));
  settings['security.rateLimitPerAddress'] = 21;
  t.false(isFull(bob), 'another limit');
  settings['security.rateLimitPerAddress'] = 20;
  t.true(isFull(bob));
  clock.now += 59_999;
  t.true(isFull(ada));
  clock.now += 1;
  t.false(isFull(ada), 'the window is over');
  clock.now -= 1;
  t.true(isFull(ada), 'a clock that was set back');
  t.is(asked.times, 0);
});

test('what succeeds is taken back there, too; and an attempt that is under way counts', async (t) => {
  const { limits, isFull } = open(t);
  for (let failed = 0; failed < 4; failed++) limits.fail(ada);
  const last = await limits.enter(ada);
  t.true(isFull(ada));
  if (last.kind === 'admitted') await last.succeeded();
  t.false(isFull(ada));
});

test('what another process counts is known a turn of the event loop later', async (t) => {
  const { elsewhere, isFull } = open(t);
  t.false(isFull(ada));
  for (let failed = 0; failed < 5; failed++) elsewhere.fail(ada);
  await new Promise(setImmediate);
  t.true(isFull(ada));
});

test('while counters are in the memory of the thread that counts it is asked, and not any more when the last of them is over', async (t) => {
  const { limits, isFull, disk, asked, clock } = open(t);
  t.false(isFull(ada));
  disk.full = true;
  for (let failed = 0; failed < 5; failed++) limits.fail(ada);
  t.true(await isFull(ada));
  t.false(await isFull({ ...ada, identity: 'uid=bob' }));
  t.is(asked.times, 2);
  clock.now += 60_000;
  t.false(isFull(ada));
  t.is(asked.times, 2);
});

test('any order of failures, successes and time: what is said there is what the thread that counts says', async (t) => {
  const { limits, elsewhere, isFull, clock } = open(t);
  let seed = 7;
  const draw = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const seen = new Set<boolean>();
  for (let step = 0; step < 2000; step++) {
    const attempt = { ...ada, identity: `uid=${draw(4)}`, address: `192.0.2.${draw(2)}` };
    const deed = draw(10);
    if (deed < 4) limits.fail(attempt);
    else if (deed === 4) {
      elsewhere.fail(attempt);
      await new Promise(setImmediate);
    } else if (deed === 5) {
      const entered = await limits.enter(attempt);
      if (entered.kind === 'admitted') await entered.succeeded();
    } else if (deed === 6) clock.now += draw(40_000);
    const said = isFull(attempt);
    t.is(said, limits.isFull(attempt));
    if (typeof said === 'boolean') seen.add(said);
  }
  t.is(seen.size, 2);
});
