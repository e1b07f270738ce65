import test from 'ava';
import * as oidc from 'openid-client';
import { hiddenOf } from '../flows/raw.ts';
import { replaceValues } from '../flows/realms.ts';
import {
  addApplication,
  configure,
  exchange,
  go,
  type Jar,
  type OauthHouse,
  openHouse,
  refusalOf,
  request,
  signIn,
  type TestApplication,
} from './house.ts';

let house: OauthHouse;
let web: TestApplication;

test.before(async () => {
  house = await openHouse();
  web = await addApplication(house, 'web-app');
});

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

test.serial(
  'authorization code with PKCE through the sign-in screen: an ID token rendered from the session, userinfo, and a second time without the screen',
  async (t) => {
    const config = await configure(house.base, web);
    const { tokens, jar } = await signIn(house, config);
    const claims = tokens.claims();
    t.regex(String(claims?.sub), /^urn:uuid:[0-9a-f-]{36}$/);
    t.is(claims?.iss, house.base);
    t.is(claims?.aud, 'web-app');
    t.is(claims?.['acr'], '1');
    t.deepEqual(claims?.['amr'], ['pwd']);
    t.regex(String(claims?.['sid']), /^[\w-]{20,}$/);
    t.is((await oidc.fetchUserInfo(config, tokens.access_token, String(claims?.sub))).sub, String(claims?.sub));

    const again = await signIn(house, config, {}, jar);
    t.is(again.tokens.claims()?.['sid'], claims?.['sid']);
    t.is(again.tokens.claims()?.['auth_time'], claims?.['auth_time']);
  },
);

test.serial(
  'a code is refused with a wrong verifier, at another redirect URI, by another client, and a second time, which revokes what it gave',
  async (t) => {
    const config = await configure(house.base, web);
    const other = await configure(house.base, await addApplication(house, 'other-app'));
    const { jar } = await signIn(house, config);
    const from = house.atrium.audit.length;
    const codeFor = async () => {
      const flow = request(config);
      return { flow, location: (await go(house.base, flow.url.href, jar)).location };
    };
    const { flow, location } = await codeFor();
    t.is(await refusalOf(t, exchange(config, { ...flow, verifier: 'x'.repeat(43) }, location)), 'invalid_grant');
    t.is(await refusalOf(t, exchange(other, flow, location)), 'invalid_grant');
    const elsewhere = request(config, { redirect_uri: 'https://evil.example/back' });
    t.is((await go(house.base, elsewhere.url.href, jar)).status, 400, 'nobody is led to an address that is not registered');

    const fresh = await codeFor();
    const tokens = await exchange(config, fresh.flow, fresh.location);
    t.is(await refusalOf(t, exchange(config, fresh.flow, fresh.location)), 'invalid_grant');
    t.is(await refusalOf(t, oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)), 'invalid_token');
    t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(tokens.refresh_token))), 'invalid_grant');
    const codes = house.codesSince(from);
    for (const code of ['STS-OAUTH-9002', 'STS-OAUTH-9009', 'STS-OAUTH-9016', 'STS-OAUTH-9013']) t.true(codes.includes(code), code);
    for (const row of house.atrium.audit.slice(from))
      t.notRegex(row.summary, /[\w-]{40,}/, 'no code and no token stands in the audit trail');
  },
);

test.serial(
  'a refresh token works once: used again, it and all that came of it is revoked; of two at once one is given tokens',
  async (t) => {
    const config = await configure(house.base, web);
    const { tokens, jar } = await signIn(house, config);
    const first = await oidc.refreshTokenGrant(config, String(tokens.refresh_token));
    t.not(first.refresh_token, tokens.refresh_token);
    t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(tokens.refresh_token))), 'invalid_grant');
    t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(first.refresh_token))), 'invalid_grant');

    const again = await signIn(house, config, {}, jar);
    const both = await Promise.allSettled([1, 2, 3, 4].map(() => oidc.refreshTokenGrant(config, String(again.tokens.refresh_token))));
    t.true(both.filter(({ status }) => status === 'fulfilled').length <= 1);
  },
);

test.serial(
  'a client that does not prove who it is, is disabled or is not there gets nothing; an ldapmodify counts at the next request',
  async (t) => {
    const app = await addApplication(house, 'secretive', { stsGrantType: 'client_credentials' });
    const from = house.atrium.audit.length;
    t.truthy((await oidc.clientCredentialsGrant(await configure(house.base, app))).access_token);
    const wrong = await configure(house.base, { ...app, secret: 'wrong' });
    t.is(await refusalOf(t, oidc.clientCredentialsGrant(wrong)), 'invalid_client');
    const nobody = await configure(house.base, { ...app, clientId: 'nobody' });
    t.is(await refusalOf(t, oidc.clientCredentialsGrant(nobody)), 'invalid_client');
    await replaceValues(house.atrium, app.dn, 'pwdAccountLockedTime', ['000001010000Z']);
    t.is(await refusalOf(t, oidc.clientCredentialsGrant(await configure(house.base, app))), 'invalid_client');
    t.true(house.codesSince(from).includes('STS-OAUTH-9001'));
  },
);

test.serial(
  'STS-HTTP-0017: after too many wrong secrets of a client the right one is not looked at; the client is told what it is always told',
  async (t) => {
    const strict = await openHouse({ STS_SECURITY_RATE_PER_IDENTITY: '2' });
    t.teardown(() => strict.atrium.stop());
    const app = await addApplication(strict, 'hasty', { stsGrantType: 'client_credentials' });
    const [right, wrong] = [await configure(strict.base, app), await configure(strict.base, { ...app, secret: 'wrong' })];
    const from = strict.atrium.audit.length;
    for (let i = 0; i < 2; i++) t.is(await refusalOf(t, oidc.clientCredentialsGrant(wrong)), 'invalid_client');
    t.false(strict.codesSince(from).includes('STS-HTTP-0017'));
    t.is(await refusalOf(t, oidc.clientCredentialsGrant(right)), 'invalid_client');
    t.true(strict.codesSince(from).includes('STS-HTTP-0017'));
  },
);

test.serial(
  'client credentials with the management API as resource: an at+jwt token that acts as the application; without the right to it none',
  async (t) => {
    const api = `${house.base}/admin-api`;
    const app = await addApplication(house, 'operator', { stsGrantType: 'client_credentials', stsAllowedResource: api });
    const config = await configure(house.base, app);
    const tokens = await oidc.clientCredentialsGrant(config, { resource: api, scope: 'admin:read' });
    const [head = '', claims = ''] = tokens.access_token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    t.like(JSON.parse(head), { typ: 'at+jwt', alg: 'ES256' });
    t.like(JSON.parse(claims), { iss: house.base, aud: api, client_id: 'operator', sub: 'operator', scope: 'admin:read' });
    t.true((await oidc.tokenIntrospection(config, tokens.access_token)).active);
    await oidc.tokenRevocation(config, tokens.access_token);
    t.false((await oidc.tokenIntrospection(config, tokens.access_token)).active);

    const other = await configure(house.base, await addApplication(house, 'no-operator', { stsGrantType: 'client_credentials' }));
    t.is(await refusalOf(t, oidc.clientCredentialsGrant(other, { resource: api, scope: 'admin:read' })), 'invalid_target');
  },
);

test.serial('what a client may not ask is refused in the protocol’s words, each with a code of its own', async (t) => {
  const config = await configure(house.base, web);
  const { jar } = await signIn(house, config);
  const plain = await addApplication(house, 'plain', { stsAllowedScope: ['openid', 'profile'] });
  const theirs = await configure(house.base, plain);
  const from = house.atrium.audit.length;
  const location = async (more: Record<string, string>) => (await go(house.base, request(theirs, more).url.href, jar)).location;
  t.true((await location({ scope: 'openid groups' })).includes('error=invalid_scope'));
  t.true((await location({ response_type: 'token' })).includes('error=unsupported_response_type'));
  t.is(await refusalOf(t, oidc.clientCredentialsGrant(theirs)), 'invalid_request');
  t.is(await refusalOf(t, oidc.genericGrantRequest(theirs, 'password', { username: 'ada', password: 'x' })), 'unsupported_grant_type');
  const flow = request(theirs, { scope: 'profile' });
  flow.url.searchParams.delete('nonce');
  const code = (await go(house.base, flow.url.href, jar)).location;
  const { verifier, state } = flow;
  const tokens = await oidc.authorizationCodeGrant(theirs, new URL(code), { pkceCodeVerifier: verifier, expectedState: state });
  t.is(await refusalOf(t, oidc.fetchUserInfo(theirs, tokens.access_token, oidc.skipSubjectCheck)), 'insufficient_scope');
  const proof = await fetch(`${house.base}/oauth2/token`, {
    method: 'POST',
    headers: { dpop: 'x.y.z', authorization: `Basic ${Buffer.from(`${web.clientId}:${web.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'none' }),
  });
  t.is(((await proof.json()) as { error: string }).error, 'invalid_dpop_proof');
  const codes = house.codesSince(from);
  for (const each of ['9003', '9004', '9005', '9012', '9014']) t.true(codes.includes(`STS-OAUTH-${each}`), each);
});

test.serial(
  'a class that was asked for meanwhile and is not met by the sign-in that was just done is refused, and not asked for ever',
  async (t) => {
    const app = await addApplication(house, 'stricter');
    const config = await configure(house.base, app);
    const jar = {};
    const flow = request(config);
    const led = await go(house.base, flow.url.href, jar);
    const page = await go(house.base, led.location, jar);
    const answer = await go(house.base, led.location, jar, { csrf: hiddenOf(page, 'csrf'), username: 'ada', password: house.ada.password });
    await replaceValues(house.atrium, app.dn, 'stsRequiredAcr', ['mfa']);
    const from = house.atrium.audit.length;
    const refused = await go(house.base, answer.location, jar);
    t.true(refused.location.includes('error=unmet_authentication_requirements'));
    t.deepEqual(house.codesSince(from), ['STS-OAUTH-9018']);
  },
);

test.serial('an application that may have nothing but tokens for the management API gets them', async (t) => {
  const app = await addApplication(house, 'nothing-else', {
    stsGrantType: 'client_credentials',
    stsAllowedScope: ['admin:read'],
    stsAllowedResource: 'urn:atrium:admin-api',
  });
  const config = await configure(house.base, app);
  const tokens = await oidc.clientCredentialsGrant(config, { resource: `${house.base}/admin-api`, scope: 'admin:read admin:write' });
  t.is(tokens.scope, 'admin:read');
});

test.serial(
  'RFC 6749 §3.3, RFC 8707 §2: no grant gives a token for the management API without a scope of it, or for another name of it',
  async (t) => {
    const api = `${house.base}/admin-api`;
    const device = 'urn:ietf:params:oauth:grant-type:device_code';
    const app = await addApplication(house, 'scopeless', {
      stsGrantType: ['client_credentials', 'authorization_code', 'refresh_token', device],
      stsAllowedScope: ['openid', 'offline_access', 'admin:read'],
      stsAllowedResource: 'urn:atrium:admin-api',
    });
    const config = await configure(house.base, app);
    const says = async (asked: Promise<unknown>) => {
      const { error, error_description } = (await asked.then(
        () => ({}),
        (thrown: unknown) => thrown,
      )) as { error?: string; error_description?: string };
      return `${error}: ${error_description}`;
    };
    const wrong: readonly (readonly [asked: Record<string, string>, says: RegExp])[] = [
      [{ resource: api, scope: 'openid' }, /^invalid_scope: .*admin:read and admin:write; the client may ask for admin:read$/],
      [{ resource: 'urn:atrium:admin-api', scope: 'openid admin:read' }, new RegExp(`^invalid_target: .*its address is ${api}$`)],
      [{ resource: 'https://other.example.com', scope: 'openid admin:read' }, /^invalid_target: .*no tokens for this resource$/],
    ];
    const jar: Jar = {};
    for (const [asked, words] of wrong) {
      t.regex(await says(oidc.initiateDeviceAuthorization(config, asked)), words);
      const { searchParams } = new URL((await go(house.base, request(config, asked).url.href, jar)).location);
      t.regex(`${searchParams.get('error')}: ${searchParams.get('error_description')}`, words, 'authorization');
      t.regex(await says(oidc.buildAuthorizationUrlWithPAR(config, Object.fromEntries(request(config, asked).url.searchParams))), words);
      t.regex(await says(oidc.clientCredentialsGrant(config, asked)), words);
    }
    t.regex(await says(oidc.clientCredentialsGrant(config, { resource: api })), /^invalid_scope/, 'nothing is asked for');

    const whole = { resource: api, scope: 'openid offline_access admin:read', prompt: 'consent' };
    const { tokens } = await signIn(house, config, whole);
    const refresh = (more: Record<string, string>) =>
      oidc.refreshTokenGrant(config, String(tokens.refresh_token), { resource: api, ...more });
    t.regex(await says(refresh({ scope: 'openid' })), /^invalid_scope/);
    t.is((await refresh({})).scope, 'admin:read', 'what was refused has spent nothing');

    await replaceValues(house.atrium, app.dn, 'stsAllowedScope', ['openid']);
    t.regex(await says(oidc.clientCredentialsGrant(config, { resource: api })), /^invalid_scope: .*the client may have none of them$/);
  },
);
