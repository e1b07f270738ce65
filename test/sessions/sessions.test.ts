import { PassThrough } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { type AuditRow, createAudit, createLog } from '#audit';
import { systemChance } from '#base';
import { Refusal, readSettings } from '#catalogue';
import { openSessions, sessionsErrors, sessionsJobs, sessionsSettings } from '#sessions';
import { openState } from '#state';
import { openStateStore, storeSettings } from '#store';
import { observe } from '../support/observed.ts';

const realm = 'default';
const visit = { door: 'http', address: '192.0.2.1', correlationId: 'c1' };
const ada = { entryUuid: '0e0d3f7c-0c5f-4b57-9f5e-0a4b6bb0a001', disabled: false };
const alan = { entryUuid: '0e0d3f7c-0c5f-4b57-9f5e-0a4b6bb0a002', disabled: false };
const pwd = { amr: ['pwd'], acr: '1', door: 'web' };

function open(t: ExecutionContext) {
  let nowMs = Date.UTC(2026, 10, 21, 3, 0, 0);
  const clock = { nowMs: () => nowMs };
  const standing = readSettings({ ...sessionsSettings, ...storeSettings }, { environment: {} }).values;
  const settings: { -readonly [Name in keyof typeof standing]: (typeof standing)[Name] } = { ...standing };
  const own = new Map<string, Partial<typeof settings>>();
  const store = openStateStore({ file: 'unused', settings: { ...standing, 'persistence.mode': 'memory' }, clock, epoch: 1 });
  const rows: AuditRow[] = [];
  const log = createLog({ json: true, level: 'debug', stream: new PassThrough(), clock });
  const audit = createAudit({
    sink: { append: async (some) => void rows.push(...some), query: async () => [], counts: async () => new Map() },
    log,
    clock,
  });
  t.teardown(() => {
    audit.close();
    store.close();
    for (const { errorCode } of rows) observe(errorCode);
  });
  const sessions = openSessions({
    state: openState({ store, clock }),
    clock,
    chance: systemChance,
    audit,
    settingsOf: (id) => ({ ...settings, ...own.get(id) }),
  });
  return {
    sessions,
    settings,
    own,
    store,
    begin: (person: typeof ada | undefined, handles: readonly string[] = [], event = pwd) =>
      sessions.begin(realm, handles, person, event, visit),
    passS: (s: number) => {
      nowMs += s * 1000;
    },
    nowMs: () => nowMs,
    audited: () => {
      audit.flush();
      return rows;
    },
  };
}

const rows = [{ label: 'Application', value: 'User portal' }];

test('a parked request waits with its rows and goes back whole, without prompt; Cancel goes to its caller', async (t) => {
  const { sessions, nowMs } = open(t);
  const id = await sessions.park({ realm, method: 'GET', target: '/authorize?prompt=login&x=%7e&x=2', rows });
  const parked = await sessions.parked(realm, id);
  t.is(String(parked?.target), '/authorize?x=%7e&x=2');
  t.is(String(parked?.cancelTarget), '/authorize?prompt=login&x=%7e&x=2&authn_error=access_denied');
  t.deepEqual(parked?.rows, rows);
  t.is(parked?.method, 'GET');
  t.is(parked?.createdMs, nowMs());

  const other = await sessions.park({ realm, method: 'POST', target: '/acs', cancelTarget: '/caller?a=b', rows });
  t.is(String((await sessions.parked(realm, other))?.cancelTarget), '/caller?a=b&authn_error=access_denied');
  t.not(id, other);
});

test('a pending request waits authn.pendingTtlS seconds', async (t) => {
  const { sessions, settings, passS } = open(t);
  const id = await sessions.park({ realm, method: 'GET', target: '/portal', rows });
  passS(599);
  t.truthy(await sessions.parked(realm, id));
  passS(1);
  t.is(await sessions.parked(realm, id), undefined);
  settings['authn.pendingTtlS'] = 5;
  const short = await sessions.park({ realm, method: 'GET', target: '/portal', rows });
  passS(5);
  t.is(await sessions.takeParked(realm, short), undefined);
});

test('a parked request is answered once, in its own realm, and only under its own id', async (t) => {
  const { sessions } = open(t);
  const id = await sessions.park({ realm, method: 'GET', target: '/portal', rows });
  t.is(await sessions.parked('acme', id), undefined);
  t.is(await sessions.takeParked('acme', id), undefined);
  for (const guess of ['', 'x', id.slice(1), `${id} `, id.toLowerCase()]) t.is(await sessions.parked(realm, guess), undefined);
  t.truthy(await sessions.takeParked(realm, id));
  t.is(await sessions.takeParked(realm, id), undefined);
});

test('a request that could not be returned to is not parked', async (t) => {
  const { sessions, settings } = open(t);
  settings['authn.returnTargetLengthMax'] = 256;
  for (const target of ['https://evil.example/', '//evil.example', '/a\\b', '/a\r\nX: y', `/${'a'.repeat(256)}`]) {
    const refusal = await t.throwsAsync<Refusal>(sessions.park({ realm, method: 'GET', target, rows }), { instanceOf: Refusal });
    t.is(refusal?.row, sessionsErrors.targetRefused);
    await t.throwsAsync(sessions.park({ realm, method: 'GET', target: '/a', cancelTarget: target, rows }), { instanceOf: Refusal });
  }
});

test('anybody may make a request wait, so it is kept once, whatever it leads to', async (t) => {
  const { sessions, store } = open(t);
  const target = `/portal?prompt=login&x=${'a'.repeat(5000)}`;
  await sessions.park({ realm, method: 'GET', target, rows });
  const [stored] = store.list(`parked/${realm}`, undefined, 10);
  t.true((stored?.value.length ?? 0) < target.length + 500);
});

test('at authn.maxPending the oldest interrupted request is given up', async (t) => {
  const { sessions, settings } = open(t);
  settings['authn.maxPending'] = 2;
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push(await sessions.park({ realm, method: 'GET', target: '/portal', rows }));
  t.deepEqual(await Promise.all(ids.map(async (id) => (await sessions.parked(realm, id)) !== undefined)), [false, true, true]);
});

test('a session names its person by entryUUID, and records when, how, through which door and from where', async (t) => {
  const { sessions, begin, nowMs } = open(t);
  const { session, handle, how } = await begin({ ...ada, entryUuid: ada.entryUuid.toUpperCase() });
  t.is(how, 'new');
  t.is(session.subject, `urn:uuid:${ada.entryUuid}`);
  t.is(session.entryUuid, ada.entryUuid);
  t.true(session.authenticated);
  t.deepEqual(session.events, [{ whenMs: nowMs(), ...pwd, address: visit.address }]);
  t.is(session.endsAtMs, nowMs() + 3_600_000);
  t.deepEqual(await sessions.find(realm, [handle]), session);
  t.false(JSON.stringify(session).includes(handle.split('.')[1] ?? handle));
});

test('a re-authentication by the same person appends an event, changes the handle and keeps the sid', async (t) => {
  const { sessions, begin, passS } = open(t);
  const first = await begin(ada);
  passS(60);
  const second = await begin(ada, [first.handle], { amr: ['pwd', 'otp'], acr: 'mfa', door: 'web' });
  t.is(second.how, 'resumed');
  t.is(second.session.sid, first.session.sid);
  t.not(second.handle, first.handle);
  t.deepEqual(
    second.session.events.map(({ acr }) => acr),
    ['1', 'mfa'],
  );
  t.is(second.session.createdMs, first.session.createdMs);
  t.is(await sessions.find(realm, [first.handle]), undefined, 'the old handle opens nothing');
  t.is((await sessions.find(realm, [second.handle]))?.sid, first.session.sid);
});

test('signing in again does not prolong a session: its lifetime is absolute', async (t) => {
  const { sessions, begin, passS } = open(t);
  const first = await begin(ada);
  passS(3599);
  const second = await begin(ada, [first.handle]);
  t.is(second.session.endsAtMs, first.session.endsAtMs);
  passS(1);
  t.is(await sessions.find(realm, [second.handle]), undefined);
});

test('a different person replaces the session', async (t) => {
  const { sessions, begin, audited } = open(t);
  const first = await begin(ada);
  const second = await begin(alan, [first.handle]);
  t.is(second.how, 'replaced');
  t.not(second.session.sid, first.session.sid);
  t.is(await sessions.find(realm, [first.handle]), undefined);
  t.is((await sessions.find(realm, [second.handle]))?.subject, `urn:uuid:${alan.entryUuid}`);
  t.deepEqual(
    audited().map(({ action, subject }) => [action, subject.slice(-1)]),
    [
      ['session.begin', '1'],
      ['session.end', '1'],
      ['session.begin', '2'],
    ],
  );
});

test('a handle that was made up, cut, or belongs to another session’s other half opens nothing', async (t) => {
  const { sessions, begin } = open(t);
  const one = (await begin(ada)).handle;
  const other = (await begin(alan)).handle;
  const [id, secret] = one.split('.') as [string, string];
  const [, otherSecret] = other.split('.') as [string, string];
  const forged = [
    '',
    '.',
    id,
    secret,
    `${id}.`,
    `${id}.${otherSecret}`,
    `${id}.${'A'.repeat(43)}`,
    `${one}x`,
    ` ${one}`,
    one.replace('.', ''),
    `${secret}.${id}`,
  ];
  for (const handle of forged) t.is(await sessions.find(realm, [handle]), undefined, handle);
  t.is(await sessions.find('acme', [one]), undefined, 'another realm’s handle');
  t.truthy(await sessions.find(realm, [one]));
});

test('of cookies of one name from nested paths the live one counts, and no more than eight are looked at', async (t) => {
  const { sessions, begin } = open(t);
  const { handle } = await begin(ada);
  t.truthy(await sessions.find(realm, ['junk', `${'A'.repeat(22)}.${'A'.repeat(43)}`, handle]));
  t.is(await sessions.find(realm, [...Array<string>(8).fill('junk'), handle]), undefined);
  const again = await begin(ada, ['junk', handle]);
  t.is(again.how, 'resumed');
  t.truthy(await sessions.find(realm, [again.handle]));
});

test('a session ends at authn.sessionLifetimeS, used or not, also when it is shortened meanwhile', async (t) => {
  const { sessions, settings, begin, passS } = open(t);
  const { handle } = await begin(ada);
  for (let i = 0; i < 59; i++) {
    passS(60);
    t.truthy(await sessions.find(realm, [handle]));
  }
  passS(60);
  t.is(await sessions.find(realm, [handle]), undefined);

  const later = await begin(ada);
  settings['authn.sessionLifetimeS'] = 10;
  passS(11);
  t.is(await sessions.find(realm, [later.handle]), undefined);
});

test('a session ends when it is idle beyond authn.sessionIdleTimeoutS, and a use begins the time anew', async (t) => {
  const { sessions, settings, begin, passS } = open(t);
  settings['authn.sessionIdleTimeoutS'] = 80;
  const { handle } = await begin(ada);
  for (let i = 0; i < 10; i++) {
    passS(70);
    t.truthy(await sessions.find(realm, [handle]), `use ${i}`);
  }
  passS(80);
  t.is(await sessions.find(realm, [handle]), undefined);
});

test('with authn.sessionIdleTimeoutS 0 nothing ends by idling', async (t) => {
  const { sessions, begin, passS } = open(t);
  const { handle } = await begin(ada);
  passS(3599);
  t.truthy(await sessions.find(realm, [handle]));
});

test('at authn.maxSessions the sessions of those who did not sign in end first, however lately they began', async (t) => {
  const { sessions, settings, begin, passS } = open(t);
  settings['authn.maxSessions'] = 2;
  const { handle } = await begin(ada);
  for (let i = 0; i < 5; i++) {
    passS(1);
    await sessions.beginAnonymous(realm, [], visit);
  }
  t.not(await sessions.find(realm, [handle]), undefined);
});

test('at authn.maxSessions the least recently used session ends', async (t) => {
  const { sessions, settings, begin, passS, audited } = open(t);
  settings['authn.maxSessions'] = 3;
  const handles: string[] = [];
  for (let i = 0; i < 3; i++) {
    handles.push((await begin(ada)).handle);
    passS(20);
  }
  const [first = '', second = '', third = ''] = handles;
  await sessions.find(realm, [first]);
  const fourth = (await begin(alan)).handle;
  const live = async (handle: string) => (await sessions.find(realm, [handle])) !== undefined;
  t.deepEqual(await Promise.all([first, second, third, fourth].map(live)), [true, false, true, true]);
  t.true(audited().some(({ action, summary }) => action === 'session.end' && summary.includes('authn.maxSessions')));
  await sessions.begin('acme', [], ada, pwd, visit);
  t.true(await live(first), 'another realm has its own');
});

test('a sign-in whose person has no entry is refused with STS-AUTHN-0180, a disabled one with STS-AUTHN-0201, in the same words', async (t) => {
  const { begin, audited } = open(t);
  const none = await t.throwsAsync<Refusal>(begin(undefined), { instanceOf: Refusal });
  const disabled = await t.throwsAsync<Refusal>(begin({ ...ada, disabled: true }), { instanceOf: Refusal });
  t.is(none?.row.code, 'STS-AUTHN-0180');
  t.is(disabled?.row.code, 'STS-AUTHN-0201');
  t.is(none?.says, disabled?.says);
  t.deepEqual(
    audited().map(({ errorCode, outcome }) => [errorCode, outcome]),
    [
      ['STS-AUTHN-0180', 'refused'],
      ['STS-AUTHN-0201', 'refused'],
    ],
  );
  t.true(audited()[0]?.summary.startsWith('[STS-AUTHN-0180]'));
});

test('a refused sign-in leaves the browser’s own session alone', async (t) => {
  const { sessions, begin } = open(t);
  const { handle } = await begin(ada);
  await t.throwsAsync(begin(undefined, [handle]));
  await t.throwsAsync(begin({ ...alan, disabled: true }, [handle]));
  t.truthy(await sessions.find(realm, [handle]));
});

test('of two re-authentications at one moment one continues the session, the other has one of its own, and the handle of before opens none', async (t) => {
  const { sessions, begin } = open(t);
  const { handle } = await begin(ada);
  const both = await Promise.all([begin(ada, [handle]), begin(ada, [handle])]);
  t.is(await sessions.find(realm, [handle]), undefined);
  for (const { handle: next } of both) t.truthy(await sessions.find(realm, [next]));
  t.is(new Set(both.map(({ handle: next }) => next)).size, 2);
  t.deepEqual(
    both.map(({ how }) => how),
    ['resumed', 'new'],
  );
});

test('a use of the session at the moment of a re-authentication leaves no handle of before', async (t) => {
  const { sessions, begin, passS } = open(t);
  // The use comes at each step of the other, wherever that stands by then.
  for (let steps = 0; steps < 30; steps++) {
    const first = await begin(ada);
    passS(60);
    const used = async () => {
      for (let step = 0; step < steps; step++) await undefined;
      await sessions.find(realm, [first.handle]);
    };
    const [second] = await Promise.all([begin(ada, [first.handle]), used()]);
    t.is(second.session.sid, first.session.sid);
    t.is(await sessions.find(realm, [first.handle]), undefined, `${steps} steps`);
    t.true(await sessions.end(realm, [second.handle], visit));
  }
});

test('a different person replaces every session that the browser shows, however many cookies it sends', async (t) => {
  const { sessions, begin } = open(t);
  const one = await begin(ada);
  const two = await begin(ada);
  const third = await begin(alan);
  const now = await begin(alan, [one.handle, third.handle, two.handle]);
  t.is(now.session.sid, third.session.sid, 'their own one goes on');
  for (const { handle } of [one, two]) t.is(await sessions.find(realm, [handle]), undefined);
});

test('the sessions of a person are listed, the one used last first, with where each began', async (t) => {
  const { sessions, begin, passS } = open(t);
  const one = await begin(ada);
  await begin(alan);
  passS(60);
  const two = await begin(ada);
  t.deepEqual(
    (await sessions.list(realm, ada.entryUuid, 10)).map(({ sid }) => sid),
    [two.session.sid, one.session.sid],
  );
  passS(60);
  await sessions.find(realm, [one.handle]);
  const [latest] = await sessions.list(realm, ada.entryUuid, 1);
  t.is(latest?.sid, one.session.sid);
  t.is(latest?.events[0]?.address, visit.address);
  passS(3600);
  t.deepEqual(await sessions.list(realm, ada.entryUuid, 10), []);
});

test('signing out elsewhere ends all sessions of the person but one', async (t) => {
  const { sessions, begin } = open(t);
  const here = await begin(ada);
  const there = await begin(ada);
  const other = await begin(alan);
  t.is(await sessions.endAll(realm, ada.entryUuid, visit, here.session.sid), 1);
  t.is(await sessions.find(realm, [there.handle]), undefined);
  for (const { handle } of [here, other]) t.truthy(await sessions.find(realm, [handle]));
});

test('signing out ends what the handles open; ending all of a person ends every session of theirs', async (t) => {
  const { sessions, begin } = open(t);
  const one = await begin(ada);
  const two = await begin(ada);
  const other = await begin(alan);
  t.true(await sessions.end(realm, [one.handle], visit));
  t.false(await sessions.end(realm, [one.handle], visit));
  t.is(await sessions.find(realm, [one.handle]), undefined);
  t.truthy(await sessions.find(realm, [two.handle]));
  t.is(await sessions.endAll(realm, ada.entryUuid, visit), 1);
  t.is(await sessions.find(realm, [two.handle]), undefined);
  t.truthy(await sessions.find(realm, [other.handle]));
});

test('the events of a session are bounded: the first stays, and the last ones', async (t) => {
  const { settings, begin } = open(t);
  settings['authn.sessionEventsMax'] = 3;
  let { handle, session } = await begin(ada, [], { ...pwd, acr: '0' });
  for (let i = 1; i < 10; i++) ({ handle, session } = await begin(ada, [handle], { ...pwd, acr: String(i) }));
  t.deepEqual(
    session.events.map(({ acr }) => acr),
    ['0', '8', '9'],
  );
});

test('the sweep ends what has expired, says how many, and each end is in the audit trail', async (t) => {
  const { sessions, settings, begin, passS, audited } = open(t);
  settings['authn.sessionLifetimeS'] = 100;
  for (let i = 0; i < 3; i++) await begin(ada);
  await sessions.park({ realm, method: 'GET', target: '/portal', rows });
  t.is(await sessions.sweep(), '0 sessions ended, 0 interrupted requests given up');
  passS(100);
  t.is(await sessions.sweep(), '3 sessions ended, 0 interrupted requests given up');
  t.is(
    audited().filter(({ action, summary, door }) => action === 'session.end' && summary.includes('expired') && door === 'service').length,
    3,
  );
  passS(500);
  t.is(await sessions.sweep(), '0 sessions ended, 1 interrupted requests given up');
  t.is(sessionsJobs['sessions.sweep'].everyS, 'authn.sessionSweepS');
});

test('what is stored opens no session: neither the handle nor the pending id stands there', async (t) => {
  const { sessions, store, begin } = open(t);
  const { handle } = await begin(ada);
  const id = await sessions.park({ realm, method: 'GET', target: '/portal', rows });
  const stored = JSON.stringify([...store.list(`session/${realm}`, undefined, 10), ...store.list(`parked/${realm}`, undefined, 10)]);
  t.true(stored.includes(ada.entryUuid));
  for (const secret of [...handle.split('.'), id]) t.false(stored.includes(secret));
});

test('the limits of sessions and of requests that wait are those in force in their realm', async (t) => {
  const { sessions, settings, own, begin, passS } = open(t);
  Object.assign(settings, { 'authn.maxSessions': 5, 'authn.sessionLifetimeS': 100, 'authn.pendingTtlS': 100, 'authn.maxPending': 5 });
  own.set('acme', { 'authn.maxSessions': 1, 'authn.sessionLifetimeS': 50, 'authn.pendingTtlS': 50, 'authn.maxPending': 1 });
  const handles = { default: [] as string[], acme: [] as string[] };
  const waiting = { default: [] as string[], acme: [] as string[] };
  for (const id of ['default', 'acme'] as const) {
    for (const person of [ada, alan]) handles[id].push((await sessions.begin(id, [], person, pwd, visit)).handle);
    for (const target of ['/a', '/b']) waiting[id].push(await sessions.park({ realm: id, method: 'GET', target, rows }));
  }
  const there = async (id: 'default' | 'acme') => [
    ...(await Promise.all(handles[id].map(async (handle) => (await sessions.find(id, [handle])) !== undefined))),
    ...(await Promise.all(waiting[id].map(async (request) => (await sessions.parked(id, request)) !== undefined))),
  ];
  t.deepEqual(await there('default'), [true, true, true, true]);
  t.deepEqual(await there('acme'), [false, true, false, true]);
  passS(50);
  t.deepEqual(await there('default'), [true, true, true, true]);
  t.deepEqual(await there('acme'), [false, false, false, false]);
  t.truthy(await begin(ada));

  // A lifetime that is made shorter counts for the sessions that are there, in its realm.
  const { handle } = await sessions.begin('acme', [], ada, pwd, visit);
  own.set('acme', { 'authn.sessionLifetimeS': 10 });
  passS(11);
  t.is(await sessions.find('acme', [handle]), undefined);
});

test('a handle and a parked request count in their own realm alone, whatever other handles come with them', async (t) => {
  const { sessions } = open(t);
  const [here, there] = [await sessions.begin('default', [], ada, pwd, visit), await sessions.begin('acme', [], alan, pwd, visit)];
  const both = [there.handle, here.handle];
  t.is((await sessions.find('default', both))?.sid, here.session.sid);
  t.is((await sessions.find('acme', both))?.sid, there.session.sid);
  t.is(await sessions.find('other', both), undefined);
  const id = await sessions.park({ realm: 'acme', method: 'GET', target: '/portal', rows });
  t.is(await sessions.parked('default', id), undefined);
  t.is(await sessions.takeParked('default', id), undefined);
  t.truthy(await sessions.parked('acme', id));

  // Nor does a sign-in, or a sign-out, touch the other realm's session.
  await sessions.begin('acme', both, ada, pwd, visit);
  t.truthy(await sessions.find('default', both));
  t.true(await sessions.end('default', both, visit));
  t.is(await sessions.find('default', both), undefined);
});

test('a realm is cleared of its sessions and of what waits in it, in steps, and no other realm is', async (t) => {
  const { sessions, audited } = open(t);
  const handles = [];
  for (let i = 0; i < 5; i++) handles.push((await sessions.begin('acme', [], ada, pwd, visit)).handle);
  const kept = await sessions.begin('default', [], ada, pwd, visit);
  const id = await sessions.park({ realm: 'acme', method: 'GET', target: '/portal', rows });
  const counts = [];
  for (let count = -1; count !== 0; counts.push(count)) count = await sessions.clear('acme', 2, visit);
  t.deepEqual(counts, [3, 2, 1, 0]);
  for (const handle of handles) t.is(await sessions.find('acme', [handle]), undefined);
  t.is(await sessions.parked('acme', id), undefined);
  t.truthy(await sessions.find('default', [kept.handle]));
  t.is(audited().filter(({ realm, summary }) => realm === 'acme' && summary === 'session ended: its realm is being removed').length, 5);
});

test('somebody who did not sign in has a session of nobody: no methods, class 0, and it opens nothing that asks for a person', async (t) => {
  const { sessions, begin, audited } = open(t);
  const { session, handle, how } = await sessions.beginAnonymous(realm, [], visit);
  t.is(how, 'new');
  t.like(session, { subject: '', entryUuid: '', authenticated: false });
  t.like(session.events[0], { amr: [], acr: '0' });
  t.is(await sessions.find(realm, [handle]), undefined);
  t.is((await sessions.findAny(realm, [handle]))?.sid, session.sid);
  // Who signs in afterwards replaces it, and who goes on without signing in replaces the session of a person.
  const signedIn = await begin(ada, [handle]);
  t.is(signedIn.how, 'replaced');
  t.is(await sessions.findAny(realm, [handle]), undefined);
  t.is((await sessions.beginAnonymous(realm, [signedIn.handle], visit)).how, 'replaced');
  t.is(await sessions.find(realm, [signedIn.handle]), undefined);
  t.true(audited().some(({ summary }) => summary.includes('did not sign in')));
});

test('a session of nobody next to one of a person: the person counts', async (t) => {
  const { sessions, begin } = open(t);
  const nobody = await sessions.beginAnonymous(realm, [], visit);
  const person = await begin(ada);
  for (const find of [sessions.find, sessions.findAny])
    t.is((await find(realm, [nobody.handle, person.handle]))?.subject, person.session.subject);
});

test('a recovery code that was used stands in the session and in the audit trail', async (t) => {
  const { sessions, begin, audited } = open(t);
  const how = { amr: ['pwd', 'otp'], acr: 'mfa', door: 'web', mechanisms: ['password', 'recovery-code'] };
  const { handle } = await begin(ada, [], how);
  t.deepEqual((await sessions.list(realm, ada.entryUuid, 9))[0]?.events[0]?.mechanisms, ['password', 'recovery-code']);
  await begin(ada, [handle], how);
  t.deepEqual(
    audited().map(({ summary }) => summary),
    [
      'session began by password and recovery-code',
      'the same person authenticated again by password and recovery-code; the handle changed',
    ],
  );
});
