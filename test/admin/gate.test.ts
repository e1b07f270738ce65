import { readdirSync } from 'node:fs';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { Attribute, Change, Client } from 'ldapts';
import * as oidc from 'openid-client';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { addApplication, configure, go, openHouse, request, signInAt, type TestApplication } from '../oauth/house.ts';
import { type Asked, call } from './api.ts';

const house = await openHouse();
const { atrium, base } = house;
test.after.always(() => atrium[Symbol.asyncDispose]());
const api = `${base}/admin-api`;
const both = 'admin:read admin:write';

/** Puts somebody into a role group, or takes them out. */
async function change(operation: 'add' | 'delete', role: string, dn: string): Promise<void> {
  const modification = new Attribute({ type: 'member', values: [dn] });
  await asAdministrator(atrium, (client) =>
    client.modify(`cn=${role},ou=groups,${atrium.suffix}`, new Change({ operation, modification })),
  );
}
const give = (dn: string, role: string) => change('add', role, dn);
const service = (clientId: string, more: Readonly<Record<string, string | string[]>> = {}) =>
  addApplication(house, clientId, {
    stsGrantType: 'client_credentials',

    stsAllowedResource: api,
    ...more,
  });
async function tokenOf(application: TestApplication, scope = both, resource = api, issuer = base): Promise<string> {
  const config = await configure(issuer, application);
  return (await oidc.clientCredentialsGrant(config, { scope, resource })).access_token;
}
const as = (token: string, more: Asked = {}): Asked => ({ ...more, token });

let writer: TestApplication;
let token: string;
test.before(async () => {
  writer = await service('provisioner');
  await give(writer.dn, 'Admin Write');
  token = await tokenOf(writer);
});

test('an application with the role acts as its own entry, with its own token; the audit row says so', async (t) => {
  await addPerson(atrium, 'grace', 'Grace Hopper');
  t.is((await call(t, atrium, 'users.disable', as(token, { json: { user: 'grace' } }))).status, 200);
  t.is((await call(t, atrium, 'users.read', as(token, { params: { user: 'grace' } }))).body.user.state, 'disabled');
  const row = atrium.audit.find(({ action }) => action === 'admin.users.disable');
  t.is(row?.subject, writer.dn);
  const beneath = atrium.audit.find(({ action, summary }) => action === 'ldap.modify' && summary.includes('uid=grace'));
  t.is(beneath?.subject, writer.dn);
});

test('401 in the words of RFC 6750: no token, one that is none, and what no token is', async (t) => {
  const none = await call(t, atrium, 'users.list');
  t.is(none.status, 401);
  t.is(none.headers.get('www-authenticate'), 'Bearer realm="default", scope="admin:read"');
  for (const wrong of ['x', token.slice(0, -3), `${token}AAA`, 'a.b.c', 'A'.repeat(9000)]) {
    const answer = await call(t, atrium, 'users.list', as(wrong));
    t.is(answer.status, 401, wrong);
    t.regex(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/);
    t.false(JSON.stringify(answer.body).includes('STS-'));
  }
  t.is((await call(t, atrium, 'users.list', { headers: { authorization: 'Basic YTpi' } })).status, 400);
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-API-9000'));
  t.true(atrium.audit.some(({ errorCode }) => errorCode === 'STS-API-9001'));
});

test('403: a token without the scope, and who is in no group of the role', async (t) => {
  const reading = await tokenOf(writer, 'admin:read');
  const scope = await call(t, atrium, 'users.enable', as(reading, { json: { user: 'admin' } }));
  t.is(scope.status, 403);
  t.is(scope.headers.get('www-authenticate'), 'Bearer realm="default", error="insufficient_scope", scope="admin:write"');
  const stranger = await tokenOf(await service('stranger'));
  const role = await call(t, atrium, 'users.list', as(stranger));
  t.is(role.status, 403);
  t.regex(role.headers.get('www-authenticate') ?? '', /insufficient_scope/);
  const reader = await service('reader');
  await give(reader.dn, 'Admin Read');
  const readers = await tokenOf(reader);
  t.is((await call(t, atrium, 'users.list', as(readers))).status, 200);
  t.is((await call(t, atrium, 'users.enable', as(readers, { json: { user: 'admin' } }))).status, 403);
  for (const code of ['STS-API-9002', 'STS-API-9003'])
    t.true(
      atrium.audit.some(({ errorCode }) => errorCode === code),
      code,
    );
});

test('a token for something else opens nothing here: another resource, another realm, another server', async (t) => {
  const elsewhere = await service('elsewhere', { stsAllowedResource: ['https://api.example.com'] });
  await give(elsewhere.dn, 'Admin Write');
  t.is((await call(t, atrium, 'users.list', as(await tokenOf(elsewhere, 'admin:read', 'https://api.example.com')))).status, 401);
  await asAdministrator(atrium, (client) =>
    client.add(`cn=acme,ou=realms,${atrium.suffix}`, { objectClass: ['stsRealmEntry'], cn: 'acme', stsRealmId: 'acme' }),
  );
  t.is((await call(t, atrium, 'users.list', as(token, { prefix: '/realm/acme' }))).status, 401);
});

test('who is disabled, loses the role, or is revoked is refused at once, whatever the token says', async (t) => {
  const fading = await service('fading');
  await give(fading.dn, 'Admin Write');
  const faded = await tokenOf(fading);
  t.is((await call(t, atrium, 'users.list', as(faded))).status, 200);
  await change('delete', 'Admin Write', fading.dn);
  t.is((await call(t, atrium, 'users.list', as(faded))).status, 403);
  await give(fading.dn, 'Admin Write');
  t.is((await call(t, atrium, 'users.list', as(faded))).status, 200);
  await oidc.tokenRevocation(await configure(base, fading), faded);
  t.is((await call(t, atrium, 'users.list', as(faded))).status, 401);
});

const rule = (cn: string, more: Readonly<Record<string, string | string[]>>) =>
  asAdministrator(atrium, (client) =>
    client.add(`cn=${cn},ou=accessRules,${atrium.suffix}`, { objectClass: ['stsAccessRule'], cn, ...more }),
  );

test('without the directory’s rights 403, whatever the token says: each change, each session, each import', async (t) => {
  const limited = await service('limited');
  await give(limited.dn, 'Admin Write');
  const { dn } = await addPerson(atrium, 'katherine', 'Katherine Johnson');
  await rule('limited writes nobody', {
    ...{ stsRuleOrder: '10', stsRuleEffect: 'deny', stsRuleWho: `dn:${limited.dn}`, stsRuleTarget: `children:ou=people,${atrium.suffix}` },
    stsRuleRight: ['write', 'add', 'delete', 'manage'],
  });
  const limiteds = await tokenOf(limited);
  const user = 'katherine';
  t.is((await call(t, atrium, 'users.read', as(limiteds, { params: { user } }))).status, 200);
  const refused: readonly [string, Asked][] = [
    ['users.disable', { json: { user } }],
    ['users.change', { params: { user }, json: { attributes: { title: ['x'] } } }],
    ['users.delete', { params: { user } }],
    ['users.set-password', { json: { user } }],
    ['users.set-password', { json: { user, password: 'Another-password-9' } }],
    ['users.issue-password-reset', { json: { user } }],
    ['users.issue-activation', { json: { user } }],
    ['users.create-app-password', { json: { user, name: 'x', scopes: ['ldap'] } }],
    ['users.revoke-app-password', { json: { user } }],
    ['users.end-sessions', { json: { user } }],
    ['sessions.end', { json: { user, sid: 'x' } }],
    ['users.create', { json: { uid: 'new', name: 'New One' } }],
    ['ldif.import', { octets: `dn: ${dn}\nchangetype: delete\n` }],
  ];
  for (const [name, asked] of refused) t.is((await call(t, atrium, name, as(limiteds, asked))).status, 403, name);
  t.is((await call(t, atrium, 'users.disable', as(token, { json: { user } }))).status, 200);
});

test('who may give no task is refused more LDIF than one transaction holds before it is taken: 403, and no file of it', async (t) => {
  const small = await service('small');
  await give(small.dn, 'Admin Write');
  await rule('small manages nothing', {
    ...{ stsRuleOrder: '20', stsRuleEffect: 'deny', stsRuleWho: `dn:${small.dn}` },
    ...{ stsRuleTarget: `entry:${atrium.suffix}`, stsRuleRight: 'manage' },
  });
  const smalls = await tokenOf(small);
  const entry = (at: number) => `dn: uid=s${at},ou=people,${atrium.suffix}\nobjectClass: inetOrgPerson\nuid: s${at}\ncn: S\nsn: S\n\n`;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${smalls}`, 'content-type': 'application/ldif' };
    const upload = openRequest(`${base}/admin-api/ldif`, { method: 'POST', headers }, resolve).on('error', reject);
    t.teardown(() => void upload.destroy());
    // The rest never comes.
    upload.write(Array.from({ length: 2000 }, (_, at) => entry(at)).join(''));
  });
  t.is(answer.statusCode, 403);
  t.regex(await text(answer), /imported by a task.*send less at a time/);
  t.deepEqual(
    readdirSync(join(atrium.dataDir, 'exchange')).filter((name) => name.startsWith('import-')),
    [],
  );
  t.is((await call(t, atrium, 'ldif.import', as(smalls, { octets: entry(0) }))).body.added, 1);
});

test('an application has the strength of its own proof: fresh while its token is new, never of two factors', async (t) => {
  await addPerson(atrium, 'joan', 'Joan Clarke');
  const strong = (cn: string, order: string, strength: string) =>
    rule(cn, {
      ...{ stsRuleOrder: order, stsRuleWho: `dn:${writer.dn}`, stsRuleStrength: strength, stsRuleRight: 'write' },
      ...{ stsRuleTarget: `entry:uid=joan,ou=people,${atrium.suffix}`, stsRuleAttribute: 'title' },
    });
  await rule('nobody titles joan', {
    ...{ stsRuleOrder: '60', stsRuleEffect: 'deny', stsRuleWho: `dn:${writer.dn}`, stsRuleAttribute: 'title' },
    ...{ stsRuleTarget: `entry:uid=joan,ou=people,${atrium.suffix}`, stsRuleRight: 'write' },
  });
  const title = () => call(t, atrium, 'users.change', as(token, { params: { user: 'joan' }, json: { attributes: { title: ['Dr'] } } }));
  t.is((await title()).status, 403);
  await strong('two factors title joan', '50', 'two-factors');
  t.is((await title()).status, 403);
  await strong('fresh ones title joan', '51', 'fresh:300');
  t.is((await title()).status, 200);
});

test('an administrator through the code flow acts as themselves; once disabled, their token, session and LDAP connection are worth nothing', async (t) => {
  const { ada } = house;
  const app = await addApplication(house, 'admin-tool', { stsAllowedResource: api });
  const config = await configure(base, app);
  const flow = request(config, { scope: `openid ${both}`, resource: api });
  const jar = {};
  const answer = await signInAt(base, await go(base, flow.url.href, jar), ada, jar);
  const checks = { pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce, idTokenExpected: true };
  const tokens = await oidc.authorizationCodeGrant(config, new URL(answer.location), checks, { resource: api });
  const adas = tokens.access_token;
  t.is((await call(t, atrium, 'users.list', as(adas))).status, 403);
  await give(ada.dn, 'Admin Write');
  t.is((await call(t, atrium, 'users.list', as(adas))).status, 200);
  const { body } = await call(t, atrium, 'sessions.list', as(token, { query: { user: 'ada' } }));
  t.is(body.sessions.length, 1);
  const bound = new Client({ url: atrium.addresses.ldap ?? '' });
  await bound.bind(ada.dn, ada.password);
  t.is((await call(t, atrium, 'users.disable', as(token, { json: { user: 'ada' } }))).status, 200);
  t.is((await call(t, atrium, 'users.list', as(adas))).status, 401);
  await t.throwsAsync(async () => {
    for (;;) await bound.search(ada.dn, { scope: 'base' });
  });
  await bound.unbind().catch(() => undefined);
  t.is((await call(t, atrium, 'sessions.list', as(token, { query: { user: 'ada' } }))).body.sessions.length, 0);
});

test('tokens.list, tokens.set and tokens.revoke: what was issued is seen member by member, and taken back at once', async (t) => {
  const busy = await service('busy');
  await give(busy.dn, 'Admin Read');
  const busys = await tokenOf(busy, 'admin:read');
  t.is((await call(t, atrium, 'users.list', as(busys))).status, 200);
  const { body } = await call(t, atrium, 'tokens.list', as(token, { query: { application: 'busy' } }));
  t.is(body.sets.length, 1);
  const [set] = body.sets;
  t.like(set, { client_id: 'busy', sub: 'busy', scope: 'admin:read', state: 'active', audience: [api], sessionAuthenticated: false });
  t.false(JSON.stringify(body).includes(busys.split('.')[2] ?? ''));
  const query = { setKey: set.setKey };
  t.true((await call(t, atrium, 'tokens.set', as(token, { query }))).body.found);
  t.is((await call(t, atrium, 'tokens.revoke', as(busys, { json: query }))).status, 403);
  t.true((await call(t, atrium, 'tokens.revoke', as(token, { json: query }))).body.revoked);
  t.false((await call(t, atrium, 'tokens.revoke', as(token, { json: query }))).body.revoked);
  t.is((await call(t, atrium, 'users.list', as(busys))).status, 401);
  t.not((await call(t, atrium, 'tokens.set', as(token, { query }))).body.set.state, 'active');
  const none = (await call(t, atrium, 'tokens.set', as(token, { query: { setKey: 'nothing-at-all' } }))).body;
  t.like(none, { found: false, set: null, setKey: 'nothing-at-all' });
  t.is((await call(t, atrium, 'tokens.revoke', as(token, { json: { setKey: 'nothing-at-all' } }))).status, 404);
  t.deepEqual((await call(t, atrium, 'tokens.list', as(token, { query: { user: 'ada', limit: '1' } }))).status, 200);
});

/** A realm with a person who administers it, and an application that gets tokens for its API. */
async function realmOf(t: ExecutionContext, id: string) {
  const suffix = `o=${id}`;
  await asAdministrator(atrium, (client) =>
    client.add(`cn=${id},ou=realms,${atrium.suffix}`, { objectClass: ['stsRealmEntry'], cn: id, stsRealmId: id }),
  );
  const password = 'Correct-horse-9-battery';
  const dn = `uid=bea,ou=people,${suffix}`;
  await asAdministrator(atrium, (client) =>
    client.add(dn, { objectClass: ['inetOrgPerson'], uid: 'bea', cn: 'Bea Ritter', sn: 'Ritter', userPassword: password }),
  );
  const issuer = `${base}/realm/${id}`;
  const resource = `${issuer}/admin-api`;
  const config = await configure(issuer, await addApplication(house, `${id}-tool`, { stsAllowedResource: resource }, suffix));
  const flow = request(config, { scope: `openid ${both}`, resource });
  const jar = {};
  const answer = await signInAt(base, await go(base, flow.url.href, jar), { uid: 'bea', password }, jar);
  const checks = { pkceCodeVerifier: flow.verifier, expectedState: flow.state, expectedNonce: flow.nonce, idTokenExpected: true };
  const tokens = await oidc.authorizationCodeGrant(config, new URL(answer.location), checks, { resource });
  t.truthy(tokens.access_token);
  // Who administers must have a second factor, and would have been asked for it.
  const modification = new Attribute({ type: 'member', values: [dn] });
  await asAdministrator(atrium, (client) =>
    client.modify(`cn=Admin Write,ou=groups,${suffix}`, new Change({ operation: 'add', modification })),
  );
  return { dn, suffix, issuer, prefix: `/realm/${id}`, token: tokens.access_token };
}

test('a realm administrator by their own token, through the code flow, administers their realm at its API, and no other', async (t) => {
  const { dn, suffix, prefix, token: beas } = await realmOf(t, 'delta');
  const here = (more: Asked = {}): Asked => ({ ...more, token: beas, prefix });
  const { body } = await call(t, atrium, 'users.list', here());
  t.true(body.users.length > 0 && body.users.every((user: { dn: string }) => user.dn.endsWith(`,${suffix}`)));
  t.is((await call(t, atrium, 'users.create', here({ json: { uid: 'new', name: 'New One' } }))).status, 201);
  t.is(atrium.audit.findLast(({ action }) => action === 'admin.users.create')?.subject, dn);
  await addPerson(atrium, 'hedy', 'Hedy Lamarr');
  t.is((await call(t, atrium, 'users.read', here({ params: { user: 'hedy' } }))).status, 404, 'nobody of another realm is found');
  t.is(
    (await call(t, atrium, 'ldif.import', here({ octets: `dn: uid=hedy,ou=people,${atrium.suffix}\nchangetype: delete\n` }))).status,
    400,
  );
  await call(t, atrium, 'groups.create', as(token, { json: { name: 'theirs', members: ['hedy'] } }));
  t.is((await call(t, atrium, 'groups.delete', as(token, { params: { group: 'theirs' } }))).status, 200);
  t.deepEqual((await call(t, atrium, 'groups.deleted', here())).body.deleted, [], 'nor what was deleted there');
  t.is((await call(t, atrium, 'groups.restore', here({ json: { group: 'theirs' } }))).status, 404);
  // What concerns the installation is nothing of a realm.
  for (const name of ['tasks.list', 'backup.create'])
    t.true([403, 404].includes((await call(t, atrium, name, here(name === 'tasks.list' ? {} : { json: {} }))).status), name);
  const realms = await call(t, atrium, 'realms.list', here());
  t.deepEqual(
    (realms.body.realms ?? []).filter(({ id }: { id: string }) => id !== 'delta'),
    [],
    'of other realms nothing is told',
  );
  for (const elsewhere of ['', '/realm/acme']) {
    const { status } = await call(t, atrium, 'users.list', as(beas, { prefix: elsewhere }));
    t.true([401, 403, 404].includes(status), `${elsewhere} ${status}`);
  }
  // A role in another realm is none here, whatever the token says.
  t.is((await call(t, atrium, 'users.list', as(token, { prefix }))).status, 401);
});

test('a token of a named server opens nothing here, though its application and its resource are the same', async (t) => {
  const named = await tokenOf(writer, both, api, `${base}/ops`);
  const { status, headers } = await call(t, atrium, 'users.list', as(named));
  t.is(status, 401);
  t.regex(headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/);
});

test('specification document 2, STS-KEYS: an emergency rotation over the API is done with the word compromised alone; its keys vanish, and tokens fall', async (t) => {
  const { issuer, prefix, token: beas } = await realmOf(t, 'echo');
  const here = (json?: unknown): Asked => ({ token: beas, prefix, ...(json === undefined ? {} : { json }) });
  const kids = async () => {
    const { keys } = (await (await fetch(`${issuer}/oauth2/jwks`)).json()) as { keys: readonly { kid: string }[] };
    return keys.map(({ kid }) => kid);
  };
  const before = await kids();
  t.true(before.length > 0);
  for (const confirm of [undefined, 'Compromised', 'compromised ', 'yes']) {
    const { status } = await call(t, atrium, 'keys.rotate', here({ emergency: true, ...(confirm === undefined ? {} : { confirm }) }));
    t.is(status, 400, confirm);
  }
  t.deepEqual(await kids(), before, 'what was refused changed nothing');
  t.is((await call(t, atrium, 'users.list', here())).status, 200);
  t.is((await call(t, atrium, 'keys.rotate', here({ emergency: true, confirm: 'compromised' }))).status, 200);
  const after = await kids();
  t.true(after.length > 0);
  t.deepEqual(
    after.filter((kid) => before.includes(kid)),
    [],
    'revoked keys are not published',
  );
  t.is((await call(t, atrium, 'users.list', here())).status, 401, 'what they signed is worth nothing');
  t.is((await call(t, atrium, 'users.list', as(token))).status, 200, 'and that of another realm stays');
});
