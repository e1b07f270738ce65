import test, { type ExecutionContext } from 'ava';
import { utf8 } from '#base';
import { type Attributes, furnishedHouse, hasher, person, suffix } from './driver.ts';
import { webLayer, webSecret } from './web-layer.ts';

const wiki = `cn=wiki,ou=applications,${suffix}`;
const secret = 'Wiki-secret-of-7-words';
const application = (more: Attributes = {}): Attributes => ({
  objectClass: ['stsApplication', 'stsOAuthClient'],
  cn: 'wiki',
  stsClientId: 'wiki',
  stsRedirectUri: 'https://wiki.example.com/back',
  ...more,
});

const nonsense: readonly (readonly [attribute: string, values: string | string[], words: string])[] = [
  ['stsRedirectUri', 'https://wiki.example.com/back#here', 'fragment'],
  ['stsRedirectUri', '/back', 'no absolute address'],
  ['stsRedirectUri', 'https://*.example.com/back', 'stands for nothing'],
  ['stsRedirectUri', 'https://ada:pw@wiki.example.com/', 'a name or a password'],
  ['stsRedirectUri', 'http://wiki.example.com/back', 'https, or http of this machine'],
  ['stsRedirectUri', 'javascript:alert(1)', 'named after a domain'],
  ['stsPostLogoutRedirectUri', 'http://wiki.example.com/', 'https, or http of this machine'],
  ['stsGrantType', 'password', 'none of authorization_code'],
  ['stsGrantType', 'implicit', 'none of authorization_code'],
  ['stsGrantType', 'refresh_token', 'alone gives nothing'],
  ['stsResponseType', 'token', 'none of code'],
  ['stsTokenEndpointAuthMethod', 'client_secret_jwt', 'none of none'],
  ['stsTokenEndpointAuthMethod', 'private_key_jwt', 'takes stsJwks'],
  ['stsJwks', '{"keys":[{"kty":"EC","d":"AA"}]}', 'a private key'],
  ['stsJwks', '[]', 'RFC 7517'],
  ['stsJwksUri', 'http://wiki.example.com/keys', 'https, or http of this machine'],
  ['appCorsOrigin', 'https://wiki.example.com/', 'no origin'],
  ['appCorsOrigin', 'null', 'no origin'],
  ['stsAllowedScope', 'openid profile', 'without spaces'],
  ['stsAllowedResource', 'api', 'no absolute URI'],
  ['stsRequiredAcr', 'gold', 'none of 1'],
  ['stsIdTokenAlgorithm', 'none', 'none of ES256'],
  ['stsServer', 'a/b', 'no name'],
  ['stsBackchannelLogoutUri', 'ftp://wiki.example.com/', 'no https address'],
  ['stsRequireSignedRequest', 'TRUE', 'take stsJwks'],
  ['stsClaim', 'profile sub uid', 'said by this service'],
  ['stsClaim', 'profile shoe', 'a scope, a claim and an attribute'],
  ['stsClaim', 'profile secret userPassword', 'secret'],
  ['stsClaim', 'profile shoe shoeSize', 'no schema defines'],
];

test('an application nobody can have meant is refused at write time by 19, with the attribute and why, and the row is STS-LDAP-9500', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  for (const [attribute, values, words] of nonsense) {
    const { code, result } = await operator.add(wiki, application({ [attribute]: values }));
    t.is(code, 19, `${attribute}: ${values}`);
    t.true(result.diagnostic.startsWith(`${attribute}: `) && result.diagnostic.includes(words), result.diagnostic);
    t.is(house.audited.at(-1)?.error?.code, 'STS-LDAP-9500');
  }
  const machine = application({ stsGrantType: 'client_credentials', stsTokenEndpointAuthMethod: 'none' });
  t.is((await operator.add(wiki, machine)).code, 19, 'client_credentials without anything to show');
  const none: Attributes = { objectClass: ['stsApplication', 'stsOAuthClient'], cn: 'wiki', stsClientId: 'wiki' };
  t.is((await operator.add(wiki, none)).code, 19, 'nowhere to send people back to');
  t.is((await operator.add(wiki, application())).code, 0);
  t.is((await operator.modify(wiki, ['delete', 'stsRedirectUri'])).code, 19, 'what is left counts');
  t.is((await operator.modify(wiki, ['add', 'stsredirecturi', 'http://[::1]/back', 'http://127.0.0.1:8080/back'])).code, 0);
});

test('a scheme of one’s own is for an application that keeps no secret', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const native = application({ stsRedirectUri: 'com.example.notes:/back' });
  t.is((await operator.add(wiki, native)).code, 19);
  t.is((await operator.add(wiki, { ...native, stsTokenEndpointAuthMethod: 'none' })).code, 0);
});

test('in development mode addresses without TLS are taken', async (t) => {
  const operator = (await furnishedHouse(t, { 'global.mode': 'development' })).operator();
  t.is((await operator.add(wiki, application({ stsRedirectUri: 'http://wiki.local/back' }))).code, 0);
});

test('a person or a group is no application, and an application stands below ou=applications', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const { code, result } = await operator.modify(
    person('ada'),
    ['add', 'objectClass', 'STSOAUTHCLIENT'],
    ['add', 'stsClientId', 'ada'],
    ['add', 'stsRedirectUri', 'https://wiki.example.com/back'],
  );
  t.is(code, 19);
  t.regex(result.diagnostic, /a person or a group is no application/);
  const elsewhere = await operator.add(`cn=wiki,ou=groups,${suffix}`, application());
  t.regex(elsewhere.result.diagnostic, /an application stands below ou=applications/);
});

test('a client id is one application’s of its realm, whatever the policies say', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  t.is((await operator.add(wiki, application())).code, 0);
  const other = `cn=other,ou=applications,${suffix}`;
  t.is((await operator.add(other, { ...application(), cn: 'other' })).code, 19);
  t.is(
    (await operator.add(other, { ...application(), cn: 'other', stsClientId: 'Wiki' })).code,
    0,
    'it is compared character by character',
  );
  t.is((await operator.modify(other, ['replace', 'stsClientId', 'wiki'])).code, 19);
  // RFC 9700 §4.15: the `sub` of its own tokens, which nobody shall read as a person's.
  t.is((await operator.modify(other, ['replace', 'stsClientId', 'urn:uuid:6f1d3c2e-0000-4000-8000-000000000000'])).code, 19);
});

test('a map of claims stands below ou=policies, and names attributes that there are', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  t.is((await operator.add(`ou=policies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'policies' })).code, 0);
  const map = { objectClass: 'stsClaimMap', cn: 'claims', stsClaim: 'profile department departmentNumber' };
  t.is((await operator.add(`cn=claims,ou=groups,${suffix}`, map)).code, 19);
  t.is((await operator.add(`cn=claims,ou=policies,${suffix}`, { ...map, stsClaim: 'profile iss cn' })).code, 19);
  t.is((await operator.add(`cn=claims,ou=policies,${suffix}`, map)).code, 0);
});

const bindAs = (dn: string, password: string) =>
  ({ kind: 'bindRequest', version: 3, name: dn, authentication: { kind: 'simple', password: utf8(password) } }) as const;

async function withWiki(t: ExecutionContext, given: NonNullable<Parameters<typeof furnishedHouse>[1]> = {}) {
  const house = await furnishedHouse(t, { ...given, webSecret });
  t.is((await house.operator().add(wiki, application({ userPassword: secret }))).code, 0);
  return house;
}

test('an application binds with its secret where everybody needs a second factor: it has none to show', async (t) => {
  const house = await withWiki(t);
  const operator = house.operator();
  t.is((await operator.add(`ou=authnPolicies,${suffix}`, { objectClass: 'organizationalUnit', ou: 'authnPolicies' })).code, 0);
  const policy = { objectClass: 'stsAuthnPolicy', cn: 'default', stsRequireSecondFactor: 'always' };
  t.is((await operator.add(`cn=default,ou=authnPolicies,${suffix}`, policy)).code, 0);
  t.is((await house.connect('operators').ask(bindAs(person('ada'), 'lovelace'))).code, 49);
  t.is((await house.connect('operators').ask(bindAs(wiki, secret))).code, 0);
  t.is((await house.connect('operators').ask(bindAs(wiki, 'wrong'))).code, 49);
});

test('development mode believes people any password, and applications none but their secret', async (t) => {
  const house = await withWiki(t, { 'global.mode': 'development' });
  t.is((await house.connect('operators').ask(bindAs(person('ada'), 'anything'))).code, 0);
  t.is((await house.connect('operators').ask(bindAs(wiki, 'anything'))).code, 49);
  t.is((await house.connect('operators').ask(bindAs(wiki, secret))).code, 0);
  t.is((await house.operator().modify(wiki, ['delete', 'userPassword'])).code, 0);
  t.is((await house.connect('operators').ask(bindAs(wiki, secret))).code, 49);
});

test('a disabled application’s secret is worth nothing', async (t) => {
  const house = await withWiki(t);
  t.is((await house.operator().modify(wiki, ['replace', 'pwdAccountLockedTime', '000001010000Z'])).code, 0);
  t.is((await house.connect('operators').ask(bindAs(wiki, secret))).code, 49);
});

/** The door of clients of OAuth, as the web layer names it. */
function clientDoor(address: string) {
  const strings = ['client', address].flatMap((each) => [4, each.length, ...utf8(each)]);
  const value = Uint8Array.from([0x30, strings.length, ...strings]);
  return { oid: '2.25.83716444157178576224225129172109131643.5.1', critical: true, value };
}

test('a secret that was right is known again at the door of clients, and not after it was changed', async (t) => {
  let hashes = 0;
  const verify: typeof hasher.verify = (...given) => {
    hashes++;
    return hasher.verify(...given);
  };
  const house = await withWiki(t, { hasher: { ...hasher, verify } });
  const web = await webLayer(house);
  for (let at = 0; at < 3; at++) t.is((await web.ask(bindAs(wiki, secret), [clientDoor('192.0.2.7')])).code, 0);
  t.is(hashes, 1);
  t.is((await house.operator().modify(wiki, ['replace', 'userPassword', 'Another-secret-of-8'])).code, 0);
  t.is((await web.ask(bindAs(wiki, secret), [clientDoor('192.0.2.7')])).code, 49);
});

test('whoever shows wrong secrets in an application’s name is limited, and the application is not kept out', async (t) => {
  const house = await withWiki(t, { countsAttempts: true, 'security.rateLimitPerIdentity': 3, 'security.rateLimitPerAddress': 100 });
  const web = await webLayer(house);
  const ask = async (password: string, address: string) => (await web.ask(bindAs(wiki, password), [clientDoor(address)])).code;
  for (let at = 0; at < 3; at++) t.is(await ask('wrong', '192.0.2.7'), 49);
  t.is(await ask(secret, '192.0.2.7'), 53, 'from there nothing is judged any more');
  t.is(await ask(secret, '192.0.2.8'), 0);
});
