import test, { type ExecutionContext } from 'ava';
import { systemChance } from '#base';
import { readSettings } from '#catalogue';
import { readDemand } from '#policy';
import { noProgress, type Parked, type Progress, sessionsSettings } from '#sessions';
import { openState } from '#state';
import { openStateStore, storeSettings } from '#store';
import { openParking } from '../../src/sessions/parking.ts';

const realm = 'default';

function open(t: ExecutionContext) {
  let nowMs = Date.UTC(2026, 10, 22, 3, 0, 0);
  const clock = { nowMs: () => nowMs };
  const settings = readSettings({ ...sessionsSettings, ...storeSettings }, { environment: {} }).values;
  const store = openStateStore({ file: 'unused', settings: { ...settings, 'persistence.mode': 'memory' }, clock, epoch: 1 });
  t.teardown(() => store.close());
  const parking = openParking({ state: openState({ store, clock }), clock, chance: systemChance, settingsOf: () => settings });
  const park = async (demand = {}) => {
    const id = await parking.park({ realm, method: 'GET', target: '/portal', rows: [], demand });
    return { id, parked: (await parking.parked(realm, id)) as Parked };
  };
  const passS = (s: number) => {
    nowMs += s * 1000;
  };
  return { parking, park, nowMs: () => nowMs, passS };
}

const withPassword = (atMs: number): Progress => ({
  ...noProgress,
  userName: 'ada',
  entryUuid: 'u',
  proven: [{ mechanism: 'password', role: 'first', atMs, amr: ['pwd'] }],
  waitsUntilMs: atMs + 300_000,
});

test('a sign-in begins with nothing, and what it has reached is kept with the request that waits', async (t) => {
  const { parking, park, nowMs } = open(t);
  const { id, parked } = await park({ acrValues: ['mfa'] });
  t.deepEqual([parked.progress, parked.demand], [noProgress, { acrValues: ['mfa'] }]);
  const progress = withPassword(nowMs());
  t.deepEqual((await parking.advance(parked, progress))?.progress, progress);
  t.like(await parking.parked(realm, id), { progress, demand: { acrValues: ['mfa'] } });
});

test('of two who take a sign-in further at once, one does', async (t) => {
  const { parking, park, nowMs } = open(t);
  const { id } = await park();
  const both = await Promise.all([parking.parked(realm, id), parking.parked(realm, id)]);
  const advanced = await Promise.all(both.map((parked) => parking.advance(parked as Parked, withPassword(nowMs()))));
  t.is(advanced.filter((each) => each !== undefined).length, 1);
  // Nor does one who read it before it was answered, nor what nobody has read.
  const late = (await parking.parked(realm, id)) as Parked;
  await parking.takeParked(realm, id);
  t.is(await parking.advance(late, noProgress), undefined);
  t.is(await parking.advance({ ...late }, noProgress), undefined);
});

test('who has just shown a factor has the whole time of the next step, however long the request has waited', async (t) => {
  const { parking, park, nowMs, passS } = open(t);
  const { id, parked } = await park();
  passS(599);
  await parking.advance(parked, withPassword(nowMs()));
  passS(299);
  t.truthy(await parking.parked(realm, id));
  passS(1);
  t.is(await parking.parked(realm, id), undefined);
});

test('a progress that is none is no request any more', async (t) => {
  const { parking, park } = open(t);
  for (const broken of [
    { proven: 'password' },
    { ...noProgress, proven: [{ mechanism: 'magic', role: 'first', atMs: 0, amr: [] }] },
    { ...noProgress, proven: [{ mechanism: 'password', role: 'third', atMs: 0, amr: [] }] },
    { ...noProgress, enrolling: 'password2' },
    { ...noProgress, ticked: {} },
    { ...noProgress, underWay: { step: 'webauthn', untilMs: 1, data: [] } },
    { ...noProgress, entryUuid: 7 },
  ]) {
    const { id, parked } = await park();
    await parking.advance(parked, broken as unknown as Progress);
    t.is(await parking.parked(realm, id), undefined, JSON.stringify(broken));
  }
});

test('a demand is bounded, and says what it comes to', async (t) => {
  const { park } = open(t);
  const { parked } = await park({ acrValues: Array.from({ length: 40 }, () => 'x'.repeat(500)) });
  t.is(parked.demand.acrValues?.length, 16);
  t.is(parked.demand.acrValues?.[0]?.length, 100);
  t.deepEqual(readDemand({ acrValues: ['urn:x', 'hwk'] }), { twoFactors: true, securityKey: true, noEmail: false, unknownClass: false });
  t.deepEqual(readDemand({ acrValues: ['hwk', 'mfa'] }), { twoFactors: true, securityKey: false, noEmail: false, unknownClass: false });
});
