import test from 'ava';
import { addPerson } from '../flows/people.ts';
import { call, openApi } from './api.ts';

const atrium = await openApi();
test.after.always(() => atrium[Symbol.asyncDispose]());

interface Row {
  readonly id: string;
  readonly time: string;
  readonly realm: string;
  readonly subject: string;
  readonly action: string;
  readonly errorCode?: string;
  readonly summary: string;
}

test.serial('audit.list: a code, or its beginning; a code stands at the front of the summary', async (t) => {
  await call(t, atrium, 'config.reset', { json: { name: 'totp.digits' } });
  await call(t, atrium, 'users.disable', { json: { user: 'nobody-of-that-name' } });
  const rows = async (query: Record<string, string>) => (await call(t, atrium, 'audit.list', { query })).body.rows as Row[];
  const core = await rows({ code: 'STS-CORE' });
  t.true(
    core.length > 0 && core.every(({ errorCode, summary }) => errorCode?.startsWith('STS-CORE-') && summary.startsWith(`[${errorCode}] `)),
  );
  t.true((await rows({ code: 'STS-CORE-0007' })).every(({ errorCode }) => errorCode === 'STS-CORE-0007'));
  t.deepEqual(await rows({ code: 'STS-GNAP' }), []);
  for (const code of ['CORE', "STS-CORE' OR 1=1", 'STS-core', 'STS-CORE-00071'])
    t.is((await call(t, atrium, 'audit.list', { query: { code } })).status, 400);
});

test.serial('audit.list: pages together are all rows, each once, the newest first; a page that is none is refused', async (t) => {
  const seen: Row[] = [];
  const to = new Date().toISOString();
  let after: string | undefined;
  do {
    const { body } = await call(t, atrium, 'audit.list', { query: { to, limit: '3', ...(after === undefined ? {} : { after }) } });
    seen.push(...body.rows);
    after = body.next;
  } while (after !== undefined);
  const whole = (await call(t, atrium, 'audit.list', { query: { to, limit: '500' } })).body.rows as Row[];
  t.true(whole.length > 6);
  t.deepEqual(seen, whole);
  t.true(whole.every(({ time }, at) => at === 0 || time <= (whole[at - 1]?.time ?? '')));
  for (const wrong of ['x', '1', '1-2-3', '99999999999999999999-1'])
    t.is((await call(t, atrium, 'audit.list', { query: { after: wrong } })).status, 400);
  for (const wrong of ['yesterday', '2026-01-01']) t.is((await call(t, atrium, 'audit.list', { query: { from: wrong } })).status, 400);
});

test.serial('audit.list: what a person did and what was done with them is found by uid, DN and entryUUID', async (t) => {
  const { dn } = await addPerson(atrium, 'mary', 'Mary Somerville');
  const { body } = await call(t, atrium, 'users.list', { query: { q: 'mary' } });
  const names = ['mary', dn, body.users[0].id, `urn:uuid:${body.users[0].id}`];
  await fetch(`${atrium.addresses.http}/portal`);
  const found = await Promise.all(
    names.map(async (person) => (await call(t, atrium, 'audit.list', { query: { person } })).body.rows.length),
  );
  t.true(
    found.every((each) => each === found[0]),
    found.join(),
  );
  t.is((await call(t, atrium, 'audit.list', { query: { person: 'nobody-of-that-name' } })).body.rows.length, 0);
  const admin = (await call(t, atrium, 'audit.list', { query: { person: 'admin', action: 'admin.users.list' } })).body.rows as Row[];
  t.true(admin.length > 0 && admin.every(({ subject }) => subject === atrium.adminDn));
});

test.serial('audit.list: a realm’s administrator sees rows of that realm alone', async (t) => {
  t.is((await call(t, atrium, 'realms.create', { json: { id: 'acme' } })).status, 201);
  await call(t, atrium, 'users.list', { prefix: '/realm/acme' });
  const rows = (await call(t, atrium, 'audit.list', { prefix: '/realm/acme' })).body.rows as Row[];
  t.true(rows.length > 0 && rows.every(({ realm }) => realm === 'acme'));
  t.is((await call(t, atrium, 'audit.list', { prefix: '/realm/acme', query: { realm: 'default' } })).status, 400);
  const asked = (await call(t, atrium, 'audit.list', { query: { realm: 'acme' } })).body.rows as Row[];
  t.true(asked.length > 0 && asked.every(({ realm }) => realm === 'acme'));
});

test.serial('error-codes.list: 41 areas, every code with the number of audit rows that carry it', async (t) => {
  await call(t, atrium, 'config.reset', { json: { name: 'totp.digits' } });
  const { body } = await call(t, atrium, 'error-codes.list');
  t.is(body.areas.length, 41);
  const of = (code: string) => body.codes.find((row: { code: string }) => row.code === code);
  const rows = atrium.audit.filter(({ errorCode }) => errorCode === 'STS-CORE-0007').length;
  t.true(rows > 0);
  t.like(of('STS-CORE-0007'), { count: rows, state: 'live', http: 400 });
  t.is(of('STS-CORE-0025')?.state ?? 'retired', 'retired');
  const seen = (await call(t, atrium, 'error-codes.list', { query: { seen: 'true' } })).body.codes;
  t.true(seen.length > 0 && seen.every((row: { count: number }) => row.count > 0));
  const core = (await call(t, atrium, 'error-codes.list', { query: { area: 'CORE', state: 'live' } })).body;
  t.true(core.codes.every((row: { area: string; state: string }) => row.area === 'CORE' && row.state === 'live'));
  const realm = (await call(t, atrium, 'error-codes.list', { prefix: '/realm/acme', query: { area: 'CORE' } })).body;
  t.is(realm.codes.find((row: { code: string }) => row.code === 'STS-CORE-0007').count, 0);
});

test.serial('realms: made, listed, changed and removed; what the directory refuses is told by its member', async (t) => {
  const made = await call(t, atrium, 'realms.create', {
    json: { id: 'north', domain: 'north.example.org', name: 'North', settings: { 'totp.digits': '8' } },
  });
  t.like(made.body, {
    administrator: 'uid=admin,ou=people,dc=north,dc=example,dc=org',
    realm: { suffix: 'dc=north,dc=example,dc=org', state: 'active' },
  });
  t.is((await call(t, atrium, 'realms.create', { json: { id: 'north' } })).status, 409);
  for (const [json, field] of [
    [{ id: 'Bad' }, 'id'],
    [{ id: 'portal' }, 'id'],
    [{ id: 'default' }, 'id'],
    [{ id: 'south', domain: 'south' }, 'domain'],
    [{ id: 'south', settings: { 'no.such': '1' } }, 'settings'],
    [{ id: 'south', settings: { 'ldap.idleTimeoutS': '7' } }, 'settings'],
  ] as const) {
    const { status, body } = await call(t, atrium, 'realms.create', { json });
    t.is(status, 400, JSON.stringify(json));
    t.is(body.errors[0].field, field);
  }
  const list = (await call(t, atrium, 'realms.list')).body.realms as { id: string }[];
  t.deepEqual(list.map(({ id }) => id).toSorted(), ['acme', 'default', 'north']);
  t.deepEqual(
    (await call(t, atrium, 'realms.list', { prefix: '/realm/north' })).body.realms.map(({ id }: { id: string }) => id),
    ['north'],
  );
  const changed = await call(t, atrium, 'realms.change', { params: { id: 'north' }, json: { name: 'The North', mode: 'product' } });
  t.like(changed.body.realm, { name: 'The North', mode: 'product', modeFrom: 'own' });
  t.like((await call(t, atrium, 'realms.change', { params: { id: 'north' }, json: { name: null, mode: null } })).body.realm, {
    name: 'north.example.org',
    modeFrom: 'default realm',
  });
  t.is((await call(t, atrium, 'realms.change', { params: { id: 'nowhere' }, json: { name: 'x' } })).status, 404);
  t.is((await call(t, atrium, 'realms.create', { prefix: '/realm/acme', json: { id: 'inner' } })).status, 400);
  t.is((await call(t, atrium, 'realms.remove', { prefix: '/realm/acme', params: { id: 'north' } })).status, 400);
  t.is((await call(t, atrium, 'realms.remove', { params: { id: 'north' } })).body.realm.state, 'removing');
  const twice = await call(t, atrium, 'realms.remove', { params: { id: 'north' } });
  t.true(twice.status >= 400);
});

test.serial('access.list and access.explain: the rules in their order, and which of them decides', async (t) => {
  const { body } = await call(t, atrium, 'access.list');
  t.true(body.complete && body.rules.length > 5);
  t.true(body.rules.some(({ name }: { name: string }) => name === 'Admin Write does everything'));
  const entry = `uid=mary,ou=people,${atrium.suffix}`;
  const explained = (await call(t, atrium, 'access.explain', { query: { as: 'mary', entry, attribute: 'mail', right: 'read' } })).body;
  t.like(explained, { visible: true });
  t.true(explained.decisions.some(({ right, allowed }: { right: string; allowed: boolean }) => right === 'read' && allowed));
  const anonymous = (await call(t, atrium, 'access.explain', { query: { as: 'anonymous', entry } })).body;
  t.false(anonymous.visible);
  t.is((await call(t, atrium, 'access.explain', { query: { as: 'nobody-there', entry } })).status, 404);
  // Of another realm nothing is explained to a realm's administrator.
  t.true((await call(t, atrium, 'access.explain', { prefix: '/realm/acme', query: { as: 'anonymous', entry } })).status >= 400);
});

test.serial('users.why: what keeps somebody out, with what to change', async (t) => {
  await call(t, atrium, 'users.disable', { json: { user: 'mary' } });
  const { body } = await call(t, atrium, 'users.why', { query: { user: 'mary' } });
  t.true(
    body.rules.some(
      ({ verdict, change }: { verdict: string; change: string }) => verdict === 'refuses' && /pwdAccountLockedTime/.test(change),
    ),
  );
  await call(t, atrium, 'users.enable', { json: { user: 'mary' } });
  const again = (await call(t, atrium, 'users.why', { query: { user: 'mary', door: 'ldap', from: '192.0.2.1' } })).body;
  t.false(again.rules.some(({ change }: { change: string }) => /pwdAccountLockedTime/.test(change)));
  t.is((await call(t, atrium, 'users.why', { query: { user: 'nobody-of-that-name' } })).status, 404);
});
