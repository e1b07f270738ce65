import test, { type ExecutionContext } from 'ava';
import { openApplications, standingScopes, toClientMetadata } from '#oauth';
import type { Attributes } from '../directory/driver.ts';
import { person, suffix } from '../directory/driver.ts';
import { openWebLayer } from '../support/web-layer.ts';

const realm = { suffix, mode: 'product' } as const;
const dn = `cn=Wiki,ou=applications,${suffix}`;
const secret = 'Wiki-secret-of-7-words';
const wiki: Attributes = {
  objectClass: ['stsApplication', 'stsOAuthClient'],
  cn: 'Wiki',
  stsClientId: 'wiki',
  userPassword: secret,
  stsRedirectUri: 'https://wiki.example.com/back',
};

async function open(t: ExecutionContext, more: Attributes = {}) {
  const layer = await openWebLayer(t);
  const operator = layer.house.operator();
  t.is((await operator.add(dn, { ...wiki, ...more })).code, 0);
  return { ...layer, operator, applications: openApplications({ client: layer.client, clock: layer.clock }) };
}

test('an application that says nothing but its addresses signs people in with a code, and shows a secret', async (t) => {
  const { applications } = await open(t);
  const found = await applications.find(realm, 'wiki');
  t.like(found, { name: 'Wiki', clientId: 'wiki', authMethod: 'client_secret_basic', responseTypes: ['code'], disabled: false });
  t.deepEqual(found?.grantTypes, ['authorization_code', 'refresh_token']);
  t.deepEqual(found?.scopes, standingScopes);
  t.is(await applications.find(realm, 'WIKI'), undefined);
  for (const none of ['', '*', 'x'.repeat(200), 'wiki\0', 'wïki', 'wiki)(cn=*'])
    t.is(await applications.find(realm, none), undefined, none);
  t.is(await applications.find({ ...realm, suffix: 'o=nowhere' }, 'wiki'), undefined);
});

test('an ldapmodify of an application counts at the next look', async (t) => {
  const { applications, operator } = await open(t);
  t.deepEqual((await applications.find(realm, 'wiki'))?.redirectUris, ['https://wiki.example.com/back']);
  await operator.modify(dn, ['replace', 'stsRedirectUri', 'https://wiki.example.com/else'], ['add', 'stsConsentRequired', 'TRUE']);
  const now = await applications.find(realm, 'wiki');
  t.deepEqual([now?.redirectUris, now?.consentRequired], [['https://wiki.example.com/else'], true]);
  await operator.modify(dn, ['replace', 'pwdAccountLockedTime', '000001010000Z']);
  t.true((await applications.find(realm, 'wiki'))?.disabled);
  await operator.ask({ kind: 'delRequest', entry: dn });
  t.is(await applications.find(realm, 'wiki'), undefined);
});

test('a secret is judged by a bind as the application: it is never read, and wrong and absent look alike', async (t) => {
  const { applications, operator, client } = await open(t);
  const found = await applications.find(realm, 'wiki');
  if (found === undefined) return t.fail();
  const judge = (shown: string, application = found) =>
    applications.judgeSecret(application, { secret: shown, address: '192.0.2.1', isProtected: true });
  t.deepEqual(await judge(secret), { kind: 'accepted' });
  t.deepEqual(await judge('wrong'), { kind: 'refused' });
  t.deepEqual(await judge(''), { kind: 'refused' }, 'a bind without a password says nothing of anybody');
  t.deepEqual(await judge(secret, { ...found, dn: `cn=none,ou=applications,${suffix}` }), { kind: 'refused' });
  t.is((await client.as('self').read(dn, ['*', '+', 'userPassword']))?.has('userPassword'), false);
  t.is((await operator.modify(dn, ['delete', 'userPassword'])).code, 0);
  t.deepEqual(await judge(secret), { kind: 'refused' });
});

test('the directory makes a secret that its policy takes (RFC 3062)', async (t) => {
  const { applications, client } = await open(t);
  const made = await client.as({ dn: `uid=admin,ou=people,${suffix}` }).generatePassword(dn);
  t.true(made.length >= 12);
  const found = await applications.find(realm, 'wiki');
  if (found === undefined) return t.fail();
  const presented = { secret: made, address: '192.0.2.1', isProtected: true };
  t.deepEqual(await applications.judgeSecret(found, presented), { kind: 'accepted' });
});

test('groups that may use an application are its members’, and those of groups in them', async (t) => {
  const group = `cn=pioneers,ou=groups,${suffix}`;
  const { applications, operator, client } = await open(t);
  const uuid = (await client.as('self').read(person('ada'), ['entryUUID']))?.one('entryUUID') ?? '';
  const all = `cn=all,ou=groups,${suffix}`;
  t.is((await operator.add(all, { objectClass: 'groupOfNames', cn: 'all', member: group })).code, 0);
  const mayUse = async (...allowedGroups: string[]) => await applications.mayUse(realm, { allowedGroups }, { entryUuid: uuid });
  t.true(await mayUse());
  t.true(await mayUse(group));
  t.true(await mayUse(all));
  t.false(await mayUse(`cn=gone,ou=groups,${suffix}`), 'a group that is not there lets nobody in');
  await operator.modify(group, ['delete', 'member', person('ada')]);
  t.false(await mayUse(group));
  t.true((await mayUse(`cn=gone,ou=groups,${suffix}`, group)) === false);
});

test('an origin is one that some application of the realm names', async (t) => {
  const { applications } = await open(t, { appCorsOrigin: ['https://app.example.com', 'https://other.example.com:8443'] });
  t.true(await applications.listsOrigin(realm, 'https://app.example.com'));
  t.true(await applications.listsOrigin(realm, 'https://other.example.com:8443'));
  for (const none of ['https://app.example.com/', 'https://APP.example.com', 'null', '*', ''])
    t.false(await applications.listsOrigin(realm, none));
});

test('what the directory would not take any more is not used: addresses without TLS, of a realm that was in development mode', async (t) => {
  const layer = await openWebLayer(t, { 'global.mode': 'development' });
  const addresses = ['http://wiki.local/back', 'https://wiki.example.com/back'];
  t.is((await layer.house.operator().add(dn, { ...wiki, stsRedirectUri: addresses })).code, 0);
  const applications = openApplications({ client: layer.client, clock: layer.clock });
  t.deepEqual((await applications.find({ suffix, mode: 'development' }, 'wiki'))?.redirectUris, addresses);
  t.deepEqual((await applications.find(realm, 'wiki'))?.redirectUris, ['https://wiki.example.com/back']);
});

test('RFC 8252: an app without a secret that is come back to on this machine or by a scheme of its own is native', async (t) => {
  const { applications, operator } = await open(t);
  const metadata = async () => {
    const found = await applications.find(realm, 'wiki');
    return found && toClientMetadata(found, { standIn: 'nobody’s', algorithm: 'ES256' });
  };
  t.like(await metadata(), { application_type: 'web', client_secret: 'nobody’s', id_token_signed_response_alg: 'ES256' });
  const method = ['replace', 'stsTokenEndpointAuthMethod', 'none'] as const;
  await operator.modify(dn, [...method], ['add', 'stsRedirectUri', 'http://127.0.0.1/back', 'com.example.wiki:/back']);
  const native = await metadata();
  t.like(native, { application_type: 'native', token_endpoint_auth_method: 'none' });
  t.false(native !== undefined && 'client_secret' in native);
  const jwks = '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"one"}]}';
  await operator.modify(dn, ['delete', 'stsRedirectUri', 'com.example.wiki:/back'], ['add', 'stsJwks', jwks]);
  await operator.modify(dn, ['replace', 'stsTokenEndpointAuthMethod', 'private_key_jwt'], ['add', 'stsIdTokenAlgorithm', 'ML-DSA-65']);
  t.like(await metadata(), { token_endpoint_auth_method: 'private_key_jwt', id_token_signed_response_alg: 'ML-DSA-65' });
  t.deepEqual(
    (await metadata())?.jwks?.keys.map(({ kid }) => kid),
    ['one'],
  );
});
