import { createHash } from 'node:crypto';
import test, { type TestFn } from 'ava';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import * as oidc from 'openid-client';
import { attributeOf, setAttribute } from '../flows/mailed.ts';
import { asAdministrator } from '../flows/people.ts';
import { hiddenOf } from '../flows/raw.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import {
  addApplication,
  back,
  configure,
  exchange,
  go,
  type Jar,
  type OauthHouse,
  openHouse,
  refusalOf,
  request,
  signIn,
  signInAt,
  type TestApplication,
} from './house.ts';

let house: OauthHouse;
let web: TestApplication;
let config: oidc.Configuration;
const printed: string[] = [];
const write = process.stderr.write.bind(process.stderr);

test.before(async () => {
  process.stderr.write = ((...said: Parameters<typeof write>) => {
    printed.push(String(said[0]));
    return write(...said);
  }) as typeof write;
  house = await openHouse();
  web = await addApplication(house, 'web-app');
  config = await configure(house.base, web);
});

test.after.always(async () => {
  process.stderr.write = write;
  await house?.atrium[Symbol.asyncDispose]();
});

/** As an operator at a shell would. */
async function ldapmodify(dn: string, changes: string): Promise<void> {
  const operators = { url: house.atrium.addresses.operators ?? '', external: true } as const;
  const { status, stderr } = await runLdapTool('ldapmodify', operators, [], `dn: ${dn}\nchangetype: modify\n${changes}\n`);
  if (status !== 0) throw new Error(stderr);
}

const errorOf = ({ location }: { readonly location: string }) => new URL(location, house.base).searchParams.get('error');

withLdapUtils(test.serial as TestFn)(
  'an ldapmodify of an application entry between two whole authorization requests counts in the second: address, disabled, class, group',
  async (t) => {
    const { base, atrium } = house;
    const app = await addApplication(house, 'edited');
    const edited = await configure(base, app);
    const { jar } = await signIn(house, edited);
    const whole = async (more: Record<string, string> = {}) => signIn(house, edited, more, jar);

    await ldapmodify(app.dn, 'replace: stsRedirectUri\nstsRedirectUri: https://app.example.com/other');
    const moved = await go(base, request(edited).url.href, jar);
    t.deepEqual([moved.status, house.codesSince(0).at(-1)], [400, 'STS-OAUTH-9009'], 'the address of before leads nowhere');
    const there = request(edited, { redirect_uri: 'https://app.example.com/other' });
    t.truthy((await exchange(edited, there, (await go(base, there.url.href, jar)).location)).id_token);
    await ldapmodify(app.dn, `replace: stsRedirectUri\nstsRedirectUri: ${back}`);

    const { tokens } = await whole();
    await ldapmodify(app.dn, 'add: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z');
    t.is((await go(base, request(edited).url.href, jar)).status, 400);
    t.is(await refusalOf(t, oidc.refreshTokenGrant(edited, String(tokens.refresh_token))), 'invalid_client');
    await ldapmodify(app.dn, 'delete: pwdAccountLockedTime');

    t.truthy((await whole()).tokens.id_token);
    await ldapmodify(app.dn, 'add: stsRequiredAcr\nstsRequiredAcr: mfa');
    t.true((await go(base, request(edited).url.href, jar)).location.startsWith('/authn/login'));
    await ldapmodify(app.dn, 'delete: stsRequiredAcr');

    t.truthy((await whole()).tokens.id_token);
    const group = `cn=editors,ou=groups,${atrium.suffix}`;
    await asAdministrator(atrium, (client) => client.add(group, { objectClass: 'groupOfNames', cn: 'editors', member: atrium.adminDn }));
    await ldapmodify(app.dn, `add: stsAllowedGroup\nstsAllowedGroup: ${group}`);
    t.is(errorOf(await go(base, request(edited).url.href, jar)), 'access_denied');
    await ldapmodify(group, `add: member\nmember: ${house.ada.dn}`);
    t.truthy((await whole()).tokens.id_token);
  },
);

test.serial('the library that speaks the protocol prints nothing past the log', (t) => {
  t.deepEqual(
    printed.filter((line) => line.includes('oidc-provider')),
    [],
  );
});

test.serial('private_key_jwt: an assertion is of the application’s own key, for this server, and works once', async (t) => {
  const { base } = house;
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  const app = await addApplication(house, 'signs', {
    stsTokenEndpointAuthMethod: 'private_key_jwt',
    stsJwks: JSON.stringify({ keys: [jwk] }),
    stsGrantType: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
  const key = { key: privateKey, kid: 'k1' };
  const by = (auth: oidc.ClientAuth, issuer = base) => configure(issuer, app, auth);
  t.truthy((await signIn(house, await by(oidc.PrivateKeyJwt(key)))).tokens.id_token);
  const refused = async (auth: oidc.ClientAuth) => refusalOf(t, oidc.clientCredentialsGrant(await by(auth)));
  t.is(await refused(oidc.ClientSecretBasic(app.secret)), 'invalid_client', 'its secret is none of its ways');
  const stranger = { key: (await generateKeyPair('ES256')).privateKey, kid: 'k1' };
  t.is(await refused(oidc.PrivateKeyJwt(stranger)), 'invalid_client');
  const says = (changed: object) =>
    oidc.PrivateKeyJwt(key, { [oidc.modifyAssertion]: (_header, payload) => void Object.assign(payload, changed) });
  t.is(await refused(says({ aud: `${base}/ops` })), 'invalid_client', 'for another server');
  t.is(await refused(says({ iss: 'web-app' })), 'invalid_client', 'of another application');
  t.is(await refused(says({ exp: Math.floor(Date.now() / 1000) - 600 })), 'invalid_client', 'over');
  const once = says({ jti: 'the same each time' });
  t.truthy((await oidc.clientCredentialsGrant(await by(once))).access_token);
  t.is(await refused(once), 'invalid_client', 'a second time');
});

test.serial(
  'a pushed request waits as long as the sign-in that it needs, past its own minute; one that nobody opened does not',
  async (t) => {
    const { base, ada } = house;
    const pushed = async () => {
      const verifier = oidc.randomPKCECodeVerifier();
      const url = await oidc.buildAuthorizationUrlWithPAR(config, {
        ...{ redirect_uri: back, scope: 'openid', state: 'state-1234', nonce: 'nonce-1234' },
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      return { verifier, state: 'state-1234', nonce: 'nonce-1234', url };
    };
    const opened = await pushed();
    const jar: Jar = {};
    const led = await go(base, opened.url.href, jar);
    t.true(led.location.startsWith('/authn/login'));
    const left = await pushed();
    house.advance(150_000);
    const answer = await signInAt(base, led, ada, jar);
    t.truthy((await exchange(config, opened, answer.location)).id_token, 'a person who takes two minutes and a half to sign in');
    t.is(
      (await go(base, left.url.href, jar)).status === 400 || errorOf(await go(base, left.url.href, jar)) === 'invalid_request_uri',
      true,
    );
    t.true(house.codesSince(0).includes('STS-OAUTH-9010'));
  },
);

test.serial(
  'a named server: its tokens carry the name in iss and aud, and without a resource they are for the server itself',
  async (t) => {
    const { base } = house;
    for (const issuer of [base, `${base}/ops`]) {
      const { tokens } = await signIn(house, await configure(issuer, web), { scope: 'openid email' });
      t.like(tokens.claims(), { iss: issuer, aud: 'web-app', email: undefined }, 'what scopes tell is at userinfo');
      t.is(decodeProtectedHeader(tokens.access_token).typ, 'at+jwt');
      t.like(decodeJwt(tokens.access_token), { iss: issuer, aud: issuer, client_id: 'web-app', sub: tokens.claims()?.sub });
      const at = await configure(issuer, web);
      t.is((await oidc.fetchUserInfo(at, tokens.access_token, oidc.skipSubjectCheck)).email, 'ada@example.com');
      t.like(await oidc.tokenIntrospection(at, tokens.access_token), {
        ...{ active: true, iss: issuer, aud: issuer },
        sid: tokens.claims()?.['sid'],
      });
      const { status } = await fetch(`${base}/admin-api/status`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
      t.is(status, 401, 'for the management API it is none');
      const { jti } = decodeJwt(tokens.access_token);
      t.is(await refusalOf(t, oidc.fetchUserInfo(at, String(jti), oidc.skipSubjectCheck)), 'invalid_token', 'its jti is no token');
      const [head = '', body = ''] = tokens.access_token.split('.');
      t.is(await refusalOf(t, oidc.fetchUserInfo(at, `${head}.${body}.AAAA`, oidc.skipSubjectCheck)), 'invalid_token', 'unsigned');
      await oidc.tokenRevocation(at, tokens.access_token);
      t.is(await refusalOf(t, oidc.fetchUserInfo(at, tokens.access_token, oidc.skipSubjectCheck)), 'invalid_token');
    }
  },
);

test.serial(
  'a consent that is withdrawn at /portal/consents takes with it what was issued, and whoever looks at it sees why',
  async (t) => {
    const { base, atrium, ada } = house;
    const app = await addApplication(house, 'asks', { stsConsentRequired: 'TRUE' });
    await setAttribute(atrium, ada.dn, 'stsConsent', [JSON.stringify({ client: 'asks', scopes: ['openid', 'offline_access'], atMs: 1 })]);
    const asks = await configure(base, app);
    const { tokens, jar } = await signIn(house, asks, { scope: 'openid offline_access' });
    const other = await signIn(house, config, { scope: 'openid offline_access' }, jar);
    const page = await go(base, '/portal/consents', jar);
    const answer = await go(base, '/portal/consents', jar, { csrf: hiddenOf(page, 'csrf'), client: 'asks' });
    t.is(answer.location, '/portal/consents?done=withdrawn');
    t.deepEqual(await attributeOf(atrium, ada.dn, 'stsConsent'), []);
    // Given again at once, it does not bring back what was taken.
    await setAttribute(atrium, ada.dn, 'stsConsent', [JSON.stringify({ client: 'asks', scopes: ['openid', 'offline_access'], atMs: 1 })]);
    t.false((await oidc.tokenIntrospection(asks, tokens.access_token)).active);
    t.is(await refusalOf(t, oidc.refreshTokenGrant(asks, String(tokens.refresh_token))), 'invalid_grant');
    t.truthy(
      (await oidc.refreshTokenGrant(config, String(other.tokens.refresh_token))).id_token,
      'of another application it takes nothing',
    );
  },
);

test.serial(
  'a device that names a resource has a token for it, of the scopes that its application may have there, and for no other (RFC 8707)',
  async (t) => {
    const { base, ada } = house;
    const resource = 'https://films.example.com/api';
    const grant = 'urn:ietf:params:oauth:grant-type:device_code';
    await addApplication(house, 'tv', {
      stsTokenEndpointAuthMethod: 'none',
      stsGrantType: [grant, 'refresh_token'],
      stsAllowedScope: ['openid', 'films:watch'],
      stsAllowedResource: resource,
    });
    const post = async (path: string, form: Record<string, string>) =>
      (await (await fetch(base + path, { method: 'POST', body: new URLSearchParams(form) })).json()) as Record<string, string>;
    const begin = (named: string, scope = 'openid films:watch films:buy') =>
      post('/oauth2/device_authorization', { client_id: 'tv', scope, resource: named });
    t.is((await begin('https://elsewhere.example.com'))['error'], 'invalid_target');
    const device = await begin(resource);
    const jar: Jar = {};
    const page = await signInAt(base, await go(base, '/oauth2/device', jar), ada, jar);
    const form = { csrf: hiddenOf(page, 'csrf'), user_code: device['user_code'] ?? '' };
    t.true((await go(base, '/oauth2/device', jar, { ...form, do: 'find' })).body.includes('films:watch'));
    await go(base, '/oauth2/device', jar, { ...form, do: 'allow' });
    const tokensOf = ({ device_code = '' }: Record<string, string>, named = {}) =>
      post('/oauth2/token', { client_id: 'tv', grant_type: grant, device_code, ...named });
    const said = await tokensOf(device, { resource });
    t.is(said['error'], undefined, JSON.stringify(said));
    t.like(decodeJwt(said['access_token'] ?? ''), { iss: base, aud: resource, client_id: 'tv', scope: 'films:watch' });
    const refresh = (token: string | undefined, named: string) =>
      post('/oauth2/token', { client_id: 'tv', grant_type: 'refresh_token', refresh_token: token ?? '', resource: named });
    const next = await refresh(said['refresh_token'], resource);
    t.is(next['error'], undefined, JSON.stringify(next));
    t.like(decodeJwt(next['access_token'] ?? ''), { aud: resource, scope: 'films:watch' });
    t.is((await refresh(next['refresh_token'], `${base}/admin-api`))['error'], 'invalid_target');
    const kept = await refresh(next['refresh_token'], resource);
    t.like(decodeJwt(kept['access_token'] ?? ''), { aud: resource }, 'a target that is refused does not spend the token');
    const other = await begin(resource, 'films:watch');
    await go(base, '/oauth2/device', jar, { ...form, user_code: other['user_code'] ?? '', do: 'allow' });
    t.like(decodeJwt((await tokensOf(other))['access_token'] ?? ''), { aud: resource }, 'the one that it named needs no second naming');
  },
);
