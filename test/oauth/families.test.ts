import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { addPerson, asAdministrator } from '../flows/people.ts';
import { hiddenOf } from '../flows/raw.ts';
import { replaceValues } from '../flows/realms.ts';
import { addApplication, configure, go, type OauthHouse, openHouse, refusalOf, signIn, type TestApplication } from './house.ts';

let house: OauthHouse;
let web: TestApplication;
let config: oidc.Configuration;
/** An application that is told of sign-outs: what it was told, and what it answers. */
let hearer: Server;
const heard: string[] = [];
let answers = 200;

test.before(async () => {
  hearer = createServer((asked, answer) => {
    let body = '';
    asked.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    asked.on('end', () => {
      heard.push(new URLSearchParams(body).get('logout_token') ?? '');
      answer.writeHead(answers);
      answer.end();
      hearer.emit('heard');
    });
  });
  hearer.listen(0, '127.0.0.1');
  await once(hearer, 'listening');
  house = await openHouse({ STS_OAUTH_LOGOUT_RETRY_S: '1' });
  web = await addApplication(house, 'web-app', {
    stsPostLogoutRedirectUri: 'https://app.example.com/bye',
    stsBackchannelLogoutUri: `http://127.0.0.1:${(hearer.address() as AddressInfo).port}/logout`,
  });
  config = await configure(house.base, web);
});

test.after.always(async () => {
  await house?.atrium[Symbol.asyncDispose]();
  hearer?.close();
});

/** Whether a family is worth anything by every way there is. */
async function isGood(t: ExecutionContext, tokens: Awaited<ReturnType<typeof signIn>>['tokens']): Promise<boolean> {
  const { active } = await oidc.tokenIntrospection(config, tokens.access_token);
  const refresh = await oidc.tokenIntrospection(config, String(tokens.refresh_token));
  t.is(active, refresh.active);
  if (!active) {
    t.is(await refusalOf(t, oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)), 'invalid_token');
    t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(tokens.refresh_token))), 'invalid_grant');
  }
  return active;
}

test.serial('somebody who is disabled, by whatever door, has no tokens any more, and enabling them again revives nothing', async (t) => {
  const { tokens } = await signIn(house, config);
  t.true(await isGood(t, tokens));
  await replaceValues(house.atrium, house.ada.dn, 'pwdAccountLockedTime', ['000001010000Z']);
  t.false(await isGood(t, tokens));
  await replaceValues(house.atrium, house.ada.dn, 'pwdAccountLockedTime', []);
  t.false(await isGood(t, tokens));
});

test.serial('a password that changed, by whatever door, ends what was issued before it', async (t) => {
  const anne = await addPerson(house.atrium, 'anne', 'Anne Lister');
  const { tokens } = await signIn({ base: house.base, ada: anne }, config);
  t.true(await isGood(t, tokens));
  // The entry knows seconds: a change within the second of the one before is none that could be seen.
  house.advance(1000);
  await replaceValues(house.atrium, anne.dn, 'userPassword', ['Analytical-Engine-1843-again']);
  t.false(await isGood(t, tokens));
  await replaceValues(house.atrium, anne.dn, 'userPassword', ['Difference-Engine-1822-once']);
  t.false(await isGood(t, tokens));
});

test.serial(
  'a session that ended ends what came of it, but not what may be used offline; the portal’s sign-out is such an end',
  async (t) => {
    const { tokens, jar } = await signIn(house, config);
    const offline = await signIn(house, config, { scope: 'openid offline_access' }, jar);
    const page = await go(house.base, '/portal', jar);
    await go(house.base, '/portal/sign-out', jar, { csrf: hiddenOf(page, 'csrf') });
    t.is((await go(house.base, '/portal', jar)).status, 303);
    t.false(await isGood(t, tokens));
    t.true(await isGood(t, offline.tokens));
  },
);

test.serial(
  'sign-out by an application: with its ID token at once, without one after a question; back at the address that it registered, and at no other',
  async (t) => {
    const { tokens, jar } = await signIn(house, config);
    const asked = { id_token_hint: String(tokens.id_token), post_logout_redirect_uri: 'https://app.example.com/bye', state: 'bye-1' };
    const from = house.atrium.audit.length;
    const wrong = oidc.buildEndSessionUrl(config, { ...asked, post_logout_redirect_uri: 'https://evil.example/bye' });
    t.is((await go(house.base, wrong.href, jar)).status, 400);
    t.deepEqual(house.codesSince(from), ['STS-OAUTH-9000']);
    const question = await go(house.base, '/oauth2/logout', jar);
    t.is(question.status, 200);
    t.true(await isGood(t, tokens), 'a link on somebody’s page signs nobody out');
    t.is((await go(house.base, '/oauth2/logout', jar, { logout: 'yes' })).status, 403);

    const first = heard.length;
    const wait = once(hearer, 'heard');
    const answer = await go(house.base, oidc.buildEndSessionUrl(config, asked).href, jar);
    t.is(answer.location, 'https://app.example.com/bye?state=bye-1');
    t.is(jar['sts_session'], undefined);
    t.false(await isGood(t, tokens));
    await wait;
    const { payload, protectedHeader } = await jwtVerify(heard[first] ?? '', createRemoteJWKSet(new URL(`${house.base}/oauth2/jwks`)), {
      issuer: house.base,
      audience: 'web-app',
    });
    t.is(protectedHeader.typ, 'logout+jwt');
    t.is(payload['sid'], tokens.claims()?.['sid']);
    t.is(payload.sub, tokens.claims()?.sub);
    t.is(payload['nonce'], undefined);
    t.deepEqual(payload['events'], { 'http://schemas.openid.net/event/backchannel-logout': {} });

    const again = await signIn(house, config);
    const ask = await go(house.base, '/oauth2/logout?client_id=web-app', again.jar);
    const said = await go(house.base, '/oauth2/logout', again.jar, { csrf: hiddenOf(ask, 'csrf'), client_id: 'web-app', logout: 'yes' });
    t.is(said.location, '/portal/signed-out');
    t.false(await isGood(t, again.tokens));
  },
);

test.serial('an application that does not take the news of a sign-out is told again until it does', async (t) => {
  answers = 503;
  const { jar, tokens } = await signIn(house, config);
  const first = once(hearer, 'heard');
  await go(house.base, oidc.buildEndSessionUrl(config, { id_token_hint: String(tokens.id_token) }).href, jar);
  await first;
  const from = heard.length;
  answers = 200;
  await once(hearer, 'heard');
  t.true(heard.length > from);
  t.true(house.atrium.audit.some(({ errorCode }) => errorCode === 'STS-LOGOUT-9000'));
});

test.serial('may_act: an access token says who may act for its person, as they said in the portal', async (t) => {
  const { tokens } = await signIn(house, config);
  t.is((await oidc.tokenIntrospection(config, tokens.access_token))['may_act'], undefined);
  const admin = await asAdministrator(
    house.atrium,
    async (client) => (await client.search(house.atrium.adminDn, { scope: 'base', attributes: ['entryUUID'] })).searchEntries[0],
  );
  const delegate = String(admin?.['entryUUID']);
  await asAdministrator(house.atrium, (client) => replaceValues(house.atrium, house.ada.dn, 'stsDelegate', [delegate]).then(() => client));
  const next = await oidc.refreshTokenGrant(config, String(tokens.refresh_token));
  t.deepEqual((await oidc.tokenIntrospection(config, next.access_token))['may_act'], { sub: `urn:uuid:${delegate}` });
});

test.serial(
  'a token of a person for the management API is held against their session at each call; a bound one needs its proof',
  async (t) => {
    const api = `${house.base}/admin-api`;
    const app = await addApplication(house, 'console', { stsAllowedResource: 'urn:atrium:admin-api' });
    const theirs = await configure(house.base, app);
    const { jar } = await signIn(house, config);
    const { tokens } = await signIn(house, theirs, { resource: api, scope: 'openid admin:read' }, jar);
    const bound = await oidc.refreshTokenGrant(theirs, String(tokens.refresh_token), { resource: api });
    const call = (token: string, scheme = 'Bearer') => fetch(`${api}/users`, { headers: { authorization: `${scheme} ${token}` } });
    // Somebody without the role is known, and refused as themselves.
    t.is((await call(bound.access_token)).status, 403);
    t.is((await call(bound.access_token, 'DPoP')).status, 401);
    t.is((await call(tokens.access_token)).status, 401, 'a token for userinfo is none for this');
    t.is((await call(`${bound.access_token.slice(0, -4)}AAAA`)).status, 401);
    const page = await go(house.base, '/portal', jar);
    await go(house.base, '/portal/sign-out', jar, { csrf: hiddenOf(page, 'csrf') });
    t.is((await call(bound.access_token)).status, 401);
  },
);
