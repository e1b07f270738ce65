import test from 'ava';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { call, openApi } from './api.ts';

const atrium = await openApi({
  settings: {
    ...{
      STS_MAIL_SMTP_HOST: 'localhost',
      STS_MAIL_SMTP_PORT: '1',
      STS_MAIL_FROM: 'atrium@example.com',
      STS_MAIL_PER_ADDRESS_PER_HOUR: '1',
    },
    STS_LDAP_CHAIN_ENTRIES_MAX: '100',
  },
});
test.after.always(() => atrium[Symbol.asyncDispose]());
const url = `${atrium.addresses.http}/admin-api/users/disable`;
const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

const bodies: readonly [title: string, status: number, body: string][] = [
  ['more than http.bodyOctetsMax', 413, JSON.stringify({ user: 'a'.repeat(6_000_000) })],
  ['100,000 arrays within each other', 400, `{"user":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['a member called __proto__', 400, '{"__proto__":{"user":"admin"},"user":"x"}'],
  ['a list', 400, '[]'],
  ['null', 400, 'null'],
  ['a text', 400, '"admin"'],
  ['another type', 400, '{"user":{"$ne":null}}'],
  ['nothing', 400, ''],
  ['a member too many', 400, '{"user":"admin","disabled":false}'],
  ['a name with a line feed', 404, '{"user":"admin\\nadmin"}'],
  ['a filter for a name', 404, '{"user":"*"}'],
];
for (const [title, status, body] of bodies) {
  test(`an operation refuses what is no call of it, and goes on: ${title}`, async (t) => {
    const response = await post(body);
    t.is(response.status, status);
    const { ok, errors, reference } = (await response.json()) as { ok: boolean; errors: unknown[]; reference: string };
    t.false(ok);
    t.true(errors.length > 0);
    t.false(JSON.stringify(errors).includes('STS-'));
    t.is(atrium.audit.filter(({ correlationId }) => correlationId === reference).length, 1);
    t.is((await call(t, atrium, 'users.list', { query: { limit: '1' } })).status, 200);
  });
}

test('what is not there below /admin-api is told as the API tells it: path, method, media type', async (t) => {
  const told = async (response: Response) => [response.status, Object.keys((await response.json()) as object).toSorted()];
  const keys = ['errors', 'ok', 'reference'];
  t.deepEqual(await told(await fetch(`${atrium.addresses.http}/admin-api/nothing/at/all`)), [404, keys]);
  t.deepEqual(await told(await fetch(url, { method: 'PUT' })), [405, keys]);
  t.deepEqual(await told(await fetch(url, { method: 'POST', body: 'user=admin' })), [415, keys]);
});

test('what is there not, and an address that is damaged, is told in words for programs, whatever the realm: never as a page', async (t) => {
  const told = async (path: string, init?: RequestInit) => {
    const response = await fetch(atrium.addresses.http + path, init);
    const { errors } = (await response.json()) as { errors: readonly { message: string }[] };
    return [response.status, errors[0]?.message];
  };
  const damaged = /address of this call cannot be read.*entryUUID/;
  for (const path of ['/admin-api/groups/a%5Cb', '/admin-api/groups/%ff', '/admin-api/groups/a%0Ab', '/realm/none/admin-api/groups/%00']) {
    const [status, message] = await told(path);
    t.is(status, 400, path);
    t.regex(String(message), damaged, path);
  }
  t.regex((await told('/admin-api/nothing')).join(' '), /^404 There is no such operation\. GET \/admin-api\/openapi\.json/);
  t.regex((await told('/admin-api/users', { method: 'PUT' })).join(' '), /^405 .*Allow/);
  t.regex((await told('/admin-api/users/disable', { method: 'POST', body: 'user=admin' })).join(' '), /^415 .*openapi\.json/);
});

test('a name in a path may be longer than a router takes unasked, and is refused by the shape of the operation alone', async (t) => {
  const name = 'n'.repeat(200);
  const made = await call(t, atrium, 'groups.create', { json: { name, members: ['admin'] } });
  t.is(made.status, 201);
  t.is((await call(t, atrium, 'groups.read', { params: { group: name } })).body.group.name, name);
  t.is((await call(t, atrium, 'groups.delete', { params: { group: made.body.dn } })).status, 200);
  const tooLong = await call(t, atrium, 'groups.read', { params: { group: 'n'.repeat(5000) } });
  t.deepEqual([tooLong.status, tooLong.body.errors], [400, [{ field: 'group', message: 'has more than 1000 characters' }]]);
});

const shapeless: readonly [operation: string, given: Record<string, unknown>, field: string, message: string][] = [
  ['users.disable', {}, 'user', 'is missing'],
  ['users.disable', { user: 5 }, 'user', 'is to be a text'],
  ['users.disable', { user: '' }, 'user', 'is empty'],
  ['groups.create', { name: 'g', members: 'admin' }, 'members', 'is to be a list'],
  ['policies.save-password-policy', { minLength: 1000 }, 'minLength', 'is more than 128'],
  ['policies.save-password-policy', { minLength: 1.5 }, 'minLength', 'is to be a whole number'],
  ['access.create', { name: 'r', order: -1, who: ['anyone'], rights: ['read'] }, 'order', 'is less than 0'],
  [
    'users.create-app-password',
    { user: 'admin', name: 'p', scopes: ['web'] },
    'scopes[0]',
    'is to be one of ldap, wstrust, scim, ssf, est',
  ],
  [
    'users.create-app-password',
    { user: 'admin', name: 'p', scopes: ['ldap'], expires: 'soon' },
    'expires',
    'is to be a time such as 2026-01-31T12:00:00Z',
  ],
  ['users.disable', { user: 'nobody' }, 'user', 'there is no person, or none that you may see: look for it in the list'],
  ['config.reset', { name: 'not.there' }, 'name', 'there is no setting not.there: see the list of settings'],
];
for (const [operation, given, field, message] of shapeless) {
  test(`a member that does not fit is told by its name and in plain words: ${operation} ${JSON.stringify(given)}`, async (t) => {
    t.deepEqual((await call(t, atrium, operation, { json: given })).body.errors, [{ field, message }]);
  });
}

test('access.explain: what is no name of an entry is told by its member', async (t) => {
  const { status, body } = await call(t, atrium, 'access.explain', { query: { as: 'admin', entry: 'admin' } });
  t.deepEqual([status, body.errors], [400, [{ field: 'entry', message: 'is no name of an entry' }]]);
});

test('a query is strict: a member twice, an unknown one, a number that is none', async (t) => {
  for (const query of ['limit=1&limit=2', 'what=1', 'limit=x', 'limit=0', 'limit=201', 'filter=(uid=', 'filter=', 'q='])
    t.is((await fetch(`${atrium.addresses.http}/admin-api/users?${query}`)).status, 400, query);
  t.is((await call(t, atrium, 'users.list', { query: { filter: '('.repeat(4000) } })).status, 400);
  t.is((await call(t, atrium, 'users.list', { query: { filter: `${'(!'.repeat(100)}(uid=a)${')'.repeat(100)}` } })).status, 400);
});

test('STS-API-9004, 9005: without required tokens the log says so aloud, and no page of another origin may call', async (t) => {
  t.regex(atrium.log(), /STS-API-9004/);
  const body = JSON.stringify({ user: 'admin' });
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
  ])
    t.is((await post(body, headers as Record<string, string>)).status, 403);
  t.is((await call(t, atrium, 'users.read', { params: { user: 'admin' } })).body.user.state, 'enabled');
});

test('a realm has the whole API below its prefix, about itself: nothing of another realm is found or changed through it', async (t) => {
  await asAdministrator(atrium, (client) =>
    client.add(`cn=acme,ou=realms,${atrium.suffix}`, {
      objectClass: ['stsRealmEntry'],
      cn: 'acme',
      stsRealmId: 'acme',
      displayName: 'Acme',
    }),
  );
  const { dn } = await addPerson(atrium, 'ada', 'Ada Lovelace');
  const within = { prefix: '/realm/acme' };
  const { body } = await call(t, atrium, 'users.list', within);
  t.true(body.users.every((user: { dn: string }) => user.dn.endsWith(',o=acme')));
  for (const user of ['ada', dn]) t.is((await call(t, atrium, 'users.disable', { ...within, json: { user } })).status, 404);
  const ldif = `dn: ${dn}\nchangetype: delete\n`;
  t.is((await call(t, atrium, 'ldif.import', { ...within, octets: ldif })).status, 400);
  t.is((await call(t, atrium, 'backup.create', { ...within, json: {} })).status, 404);
  t.is((await call(t, atrium, 'tasks.list', within)).status, 404);
  t.is((await call(t, atrium, 'users.read', { params: { user: 'ada' } })).body.user.state, 'enabled');
  t.is((await call(t, atrium, 'users.list', { prefix: '/realm/none' })).status, 404);
});

test('ten changes at one moment under one entity tag: one is made', async (t) => {
  await addPerson(atrium, 'emmy', 'Emmy Noether');
  const { etag } = (await call(t, atrium, 'users.read', { params: { user: 'emmy' } })).body;
  const change = (at: number) =>
    call(t, atrium, 'users.change', {
      params: { user: 'emmy' },
      json: { attributes: { title: [`t${at}`] } },
      headers: { 'if-match': `"${etag}"` },
    });
  const statuses = (await Promise.all(Array.from({ length: 10 }, (_, at) => change(at)))).map(({ status }) => status);
  t.is(statuses.filter((status) => status === 200).length, 1);
  t.is(statuses.filter((status) => status === 412).length, 9);
});

test('STS-API-9013: what the directory cannot do now is 503 and worth another try: an address that was mailed enough this hour', async (t) => {
  await addPerson(atrium, 'mailed', 'Mailed Often');
  const json = { user: 'mailed', deliver: 'mail' };
  const statuses: number[] = [];
  let last: Headers | undefined;
  for (let at = 0; at < 3; at++) {
    const { status, headers } = await call(t, atrium, 'users.issue-activation', { json });
    statuses.push(status);
    last = headers;
  }
  t.deepEqual([statuses[0], statuses[2]], [200, 503]);
  t.is(last?.get('retry-after'), '5');
});

test('STS-API-9012: what takes more than a search may is refused, and a narrower one is asked for', async (t) => {
  const { dn } = await addPerson(atrium, 'chained', 'Chained Person');
  const names = Array.from({ length: 120 }, (_, at) => `chain-${at}`);
  const group = (at: number) => `cn=${names[at]},ou=groups,${atrium.suffix}`;
  const ldif = names.map((cn, at) => `dn: ${group(at)}\nobjectClass: groupOfNames\ncn: ${cn}\nmember: ${at === 0 ? dn : group(at - 1)}\n`);
  t.is((await call(t, atrium, 'ldif.import', { octets: ldif.join('\n') })).body.added, 120);
  const filter = `(memberOf:1.2.840.113556.1.4.1941:=${group(119)})`;
  const { status, body } = await call(t, atrium, 'users.list', { query: { filter } });
  t.is(status, 400);
  t.regex(body.errors[0].message, /more than/);
});
