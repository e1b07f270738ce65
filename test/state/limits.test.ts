import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { checkSetting, readSettings } from '#catalogue';
import { type Attempt, type Limits, openLimits, stateSettings } from '#state';
import { openStateStore, storeSettings } from '#store';

const standing = readSettings(stateSettings, { environment: {} }).values;
type Settings = { -readonly [Name in keyof typeof standing]: (typeof standing)[Name] };

/** The limits of one or more processes that share a file. */
function open(t: ExecutionContext, given: Partial<Settings> = {}, { processes = 1, file = '', rowsMax = 1000, epoch = 1 } = {}) {
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const settings: Settings = { ...standing, ...given };
  const ofStore = {
    ...readSettings(storeSettings, { environment: {} }).values,
    'persistence.mode': file === '' ? ('memory' as const) : ('sqlite' as const),
    'persistence.stateRowsMax': rowsMax,
  };
  const opened = Array.from({ length: processes }, () => {
    const store = openStateStore({ file: file === '' ? 'unused' : file, settings: ofStore, clock, epoch });
    t.teardown(() => store.close());
    return { store, limits: openLimits({ store, clock, settingsOf: () => settings, identityOf: (dn) => dn.toLowerCase() }) };
  });
  const [first] = opened;
  if (first === undefined) throw new Error('no process');
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { ...first, opened, settings, pass };
}

function folder(t: ExecutionContext): string {
  const made = mkdtempSync(join(tmpdir(), 'atrium-limits-'));
  t.teardown(() => rmSync(made, { recursive: true }));
  return join(made, 'state.sqlite');
}

const ada = { realm: 'default', identity: 'uid=ada', address: '192.0.2.1' };
const waits = (attempt: Attempt) => (attempt.kind === 'limited' ? attempt.waitS : 0);

async function fail(limits: Limits, times: number, by: Partial<typeof ada> = {}) {
  for (let i = 0; i < times; i++) await limits.enter({ ...ada, ...by });
}

test('five failures for a name in sixty seconds, from any address; the sixth attempt is refused until the window ends', async (t) => {
  const { limits, pass } = open(t);
  for (let i = 0; i < 5; i++) t.is((await limits.enter({ ...ada, address: `192.0.2.${i}` })).kind, 'admitted');
  const sixth = await limits.enter({ ...ada, address: '198.51.100.9' });
  t.is(waits(sixth), 60);
  t.is(sixth.kind === 'limited' && sixth.of, 'identity');
  pass(59_001);
  t.is(waits(await limits.enter(ada)), 1);
  pass(999);
  t.is((await limits.enter(ada)).kind, 'admitted');
});

test('twenty failures from an address in sixty seconds, for any name', async (t) => {
  const { limits } = open(t);
  for (let i = 0; i < 20; i++) t.is((await limits.enter({ ...ada, identity: `uid=${i}` })).kind, 'admitted');
  const next = await limits.enter({ ...ada, identity: 'uid=right' });
  t.is(next.kind === 'limited' && next.of, 'address');
  t.is((await limits.enter({ ...ada, identity: 'uid=right', address: '192.0.2.2' })).kind, 'admitted');
});

test('the window is fixed: it begins with the first failure and no later one makes it longer', async (t) => {
  const { limits, pass } = open(t);
  await fail(limits, 1);
  pass(50_000);
  await fail(limits, 4);
  t.is(waits(await limits.enter(ada)), 10);
  pass(10_000);
  for (let i = 0; i < 5; i++) t.is((await limits.enter(ada)).kind, 'admitted', `${i}`);
});

test('an attempt that succeeds is taken back: who always knows the password is never limited', async (t) => {
  const { limits, store } = open(t);
  for (let i = 0; i < 100; i++) {
    const attempt = await limits.enter(ada);
    if (attempt.kind !== 'admitted') return t.fail(`${i}`);
    await attempt.succeeded();
  }
  t.is(store.count('failures.identity/default') + store.count('failures.address/default'), 0);
});

test('an attempt that succeeds takes itself back and no failure with it', async (t) => {
  const { limits } = open(t);
  await fail(limits, 4);
  const right = await limits.enter(ada);
  if (right.kind !== 'admitted') return t.fail();
  await right.succeeded();
  await fail(limits, 1);
  t.is((await limits.enter(ada)).kind, 'limited');
});

test('what is taken back after its window has ended takes nothing from the next one', async (t) => {
  const { limits, pass } = open(t);
  const slow = await limits.enter(ada);
  pass(60_000);
  await fail(limits, 5);
  if (slow.kind !== 'admitted') return t.fail();
  await slow.succeeded();
  t.is((await limits.enter(ada)).kind, 'limited');
});

test('hundreds of attempts at once find no gap, in several processes either', async (t) => {
  const { opened } = open(t, {}, { processes: 3, file: folder(t) });
  const all = await Promise.all(opened.flatMap(({ limits }) => Array.from({ length: 200 }, () => limits.enter(ada))));
  t.is(all.filter(({ kind }) => kind === 'admitted').length, 5);
});

test('whoever asks whether a limit is reached is told so by the next turn of the event loop, whichever process has counted', async (t) => {
  const { opened } = open(t, {}, { processes: 2, file: folder(t) });
  const [here, there] = opened.map(({ limits }) => limits) as [Limits, Limits];
  t.false(here.isFull(ada), 'nothing is counted');
  await fail(there, 5);
  await new Promise(setImmediate);
  t.true(here.isFull(ada));
});

test('who asks again and again with the same attempt is told by the counts, settings and clock of each time', async (t) => {
  const { limits, settings, pass } = open(t);
  t.false(limits.isFull(ada));
  await fail(limits, 4);
  t.false(limits.isFull(ada));
  await fail(limits, 1);
  t.true(limits.isFull(ada), 'the limit of the name');
  t.false(limits.isFull({ ...ada, identity: 'uid=bob' }), 'another’s');
  settings['security.rateLimitPerIdentity'] = 6;
  t.false(limits.isFull(ada), 'a limit that was raised');
  settings['security.rateLimitPerAddress'] = 5;
  t.true(limits.isFull(ada), 'the limit of the address');
  settings['security.rateLimitTrustedAddresses'] = ['192.0.2.0/24'];
  t.false(limits.isFull(ada), 'an address that is trusted');
  settings['security.rateLimitTrustedAddresses'] = [];
  t.true(limits.isFull(ada));
  pass(60_000);
  t.false(limits.isFull(ada), 'the window is over');
});

test('what is refused counts nowhere: a name that is limited does not use up its address', async (t) => {
  const { limits } = open(t);
  await fail(limits, 5);
  for (let i = 0; i < 100; i++) await limits.enter(ada);
  t.is((await limits.enter({ ...ada, identity: 'uid=bob' })).kind, 'admitted');
});

test('all spellings of a name are one', async (t) => {
  const { limits } = open(t);
  await fail(limits, 3);
  await fail(limits, 2, { identity: 'UID=Ada' });
  t.is((await limits.enter(ada)).kind, 'limited');
});

test('realms count for themselves', async (t) => {
  const { limits } = open(t);
  await fail(limits, 5);
  t.is((await limits.enter({ ...ada, realm: 'acme' })).kind, 'admitted');
});

test('security.rateLimitTrustedAddresses lifts the limit of the address and never that of the name', async (t) => {
  const { limits } = open(t, { 'security.rateLimitTrustedAddresses': ['192.0.2.0/24', '2001:db8::/32'] });
  for (const address of ['192.0.2.77', '::ffff:192.0.2.77', '2001:db8:1::9'])
    for (let i = 0; i < 30; i++) t.is((await limits.enter({ ...ada, identity: `${address} ${i}`, address })).kind, 'admitted');
  await fail(limits, 5);
  const limited = await limits.enter(ada);
  t.is(limited.kind === 'limited' && limited.of, 'identity');
});

test('the first 64 bits of an IPv6 address are one address, and IPv4 within IPv6 is IPv4', async (t) => {
  const { limits } = open(t, { 'security.rateLimitPerAddress': 2 });
  await fail(limits, 1, { identity: 'a', address: '2001:db8:1:2::1' });
  await fail(limits, 1, { identity: 'b', address: '2001:db8:1:2:ffff::2%eth0' });
  t.is((await limits.enter({ ...ada, identity: 'c', address: '2001:db8:1:2:3::' })).kind, 'limited');
  t.is((await limits.enter({ ...ada, identity: 'c', address: '2001:db8:1:3::1' })).kind, 'admitted');
  await fail(limits, 1, { identity: 'd', address: '192.0.2.1' });
  await fail(limits, 1, { identity: 'e', address: '::ffff:192.0.2.1' });
  t.is((await limits.enter({ ...ada, identity: 'f' })).kind, 'limited');
});

test('what is no address of a network has the limit of the name alone', async (t) => {
  const { limits } = open(t);
  for (let i = 0; i < 40; i++) t.is((await limits.enter({ ...ada, identity: `${i}`, address: 'local' })).kind, 'admitted');
});

test('a clock that was set back locks nobody out for longer than a window', async (t) => {
  const { limits, pass } = open(t);
  await fail(limits, 5);
  pass(-86_400_000);
  t.is((await limits.enter(ada)).kind, 'admitted');
});

test('a window that was made shorter counts from the next attempt on', async (t) => {
  const { limits, settings, pass } = open(t, { 'security.rateLimitWindowS': 3600 });
  await fail(limits, 5);
  settings['security.rateLimitWindowS'] = 60;
  pass(1000);
  t.is((await limits.enter(ada)).kind, 'admitted');
});

test('failures last over a restart, and stand on disk without the name and the address', async (t) => {
  const file = folder(t);
  const before = open(t, {}, { file });
  await fail(before.limits, 5);
  for (const { store } of before.opened) store.close();
  const after = open(t, {}, { file });
  t.is((await after.limits.enter(ada)).kind, 'limited');
  after.store.close();
  const bytes = readFileSync(file).toString('latin1');
  for (const word of ['ada', '192.0.2.1']) t.false(bytes.includes(word), word);
});

test('however many names are tried, so many rows are kept as the state may have: the oldest goes', async (t) => {
  const { limits, store } = open(t, { 'security.rateLimitPerAddress': 1_000_000 }, { rowsMax: 50 });
  for (let i = 0; i < 200; i++) await limits.enter({ ...ada, identity: `${i}` });
  t.is(store.count('failures.identity/default'), 50);
});

test('a list of trusted networks is checked where it is given', (t) => {
  const row = stateSettings['security.rateLimitTrustedAddresses'];
  t.is(checkSetting(row, '192.0.2.0/24, ::1').kind, 'fit');
  for (const wrong of ['mail.example.org', '192.0.2.1/24', '192.0.2.0/33', '10.0.0.0/8/9', '*'])
    t.is(checkSetting(row, wrong).kind, 'unfit', wrong);
});

type Step = { readonly kind: 'enter' | 'right' | 'pass'; readonly who: number; readonly from: number };

test('whatever is tried in whatever order, the limits say what a plain count of the failures says', async (t) => {
  const step = fc.record<Step>({
    kind: fc.constantFrom('enter', 'enter', 'enter', 'right', 'pass'),
    who: fc.integer({ min: 0, max: 3 }),
    from: fc.integer({ min: 0, max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { limits, store, pass } = open(t, { 'security.rateLimitPerIdentity': 3, 'security.rateLimitPerAddress': 5 });
      let nowMs = 0;
      const model = new Map<string, { count: number; endsMs: number }>();
      const live = (key: string) => {
        const found = model.get(key);
        return found !== undefined && found.endsMs > nowMs ? found : { count: 0, endsMs: nowMs + 60_000 };
      };
      for (const { kind, who, from } of steps) {
        if (kind === 'pass') {
          nowMs += 17_000;
          pass(17_000);
          continue;
        }
        const [name, place] = [live(`i${who}`), live(`a${from}`)];
        const isFull = name.count >= 3 || place.count >= 5;
        const attempt = await limits.enter({ realm: 'default', identity: `uid=${who}`, address: `192.0.2.${from}` });
        t.is(attempt.kind, isFull ? 'limited' : 'admitted');
        if (attempt.kind !== 'admitted') continue;
        if (kind === 'right') await attempt.succeeded();
        else {
          model.set(`i${who}`, { ...name, count: name.count + 1 });
          model.set(`a${from}`, { ...place, count: place.count + 1 });
        }
      }
      store.close();
    }),
    { numRuns: 200 },
  );
});
