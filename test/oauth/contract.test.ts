import { createHash } from 'node:crypto';
import test from 'ava';
import { exportJWK, generateKeyPair } from 'jose';
import * as oidc from 'openid-client';
import { asAdministrator } from '../flows/people.ts';
import { hiddenOf } from '../flows/raw.ts';
import { replaceValues } from '../flows/realms.ts';
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

test.before(async () => {
  house = await openHouse({ STS_AUTHN_UNAUTHENTICATED_SESSIONS: 'true' });
  web = await addApplication(house, 'web-app');
  config = await configure(house.base, web);
});

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

/** Signs in once and says with which cookies. */
async function signedIn(): Promise<Jar> {
  return (await signIn(house, config)).jar;
}

test.serial(
  'the screen shows the caller’s rows and the name it was given; the browser comes back by 303 to the whole request without prompt',
  async (t) => {
    const flow = request(config, { prompt: 'login', login_hint: 'ada', ui_locales: 'en', 'x-other': 'a b&c' });
    const jar: Jar = {};
    const led = await go(house.base, flow.url.href, jar);
    t.is(led.status, 303);
    t.regex(led.location, /^\/authn\/login\?authn=[\w-]+$/);
    const page = await go(house.base, led.location, jar);
    for (const shown of ['web-app', back, 'value="ada"']) t.true(page.body.includes(shown), shown);
    const answer = await go(house.base, led.location, jar, { csrf: hiddenOf(page, 'csrf'), username: 'ada', password: house.ada.password });
    t.is(answer.status, 303);
    flow.url.searchParams.delete('prompt');
    t.is(new URL(answer.location, house.base).href, flow.url.href);
    t.truthy((await exchange(config, flow, (await go(house.base, answer.location, jar)).location)).id_token);
  },
);

test.serial('Cancel is the protocol’s own refusal, with state and issuer: by query, as a form that sends itself, and signed', async (t) => {
  const cancelled = async (more: Record<string, string>) => {
    const flow = request(config, more);
    const jar: Jar = {};
    const led = await go(house.base, flow.url.href, jar);
    const page = await go(house.base, led.location, jar);
    const way = /<a href="([^"]*authn_error=access_denied[^"]*)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    return { flow, answer: await go(house.base, way, jar) };
  };
  const byQuery = await cancelled({});
  const { searchParams } = new URL(byQuery.answer.location);
  t.deepEqual(
    [searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')],
    ['access_denied', byQuery.flow.state, house.base],
  );
  const byForm = await cancelled({ response_mode: 'form_post' });
  t.true(byForm.answer.body.includes(`action="${back}"`) && byForm.answer.body.includes('value="access_denied"'));
  const signed = await cancelled({ response_mode: 'query.jwt' });
  const claims = JSON.parse(
    Buffer.from(new URL(signed.answer.location).searchParams.get('response')?.split('.')[1] ?? '', 'base64url').toString(),
  );
  t.like(claims, { error: 'access_denied', iss: house.base, aud: 'web-app', state: signed.flow.state });
});

test.serial('prompt=login, select_account, max_age=0 and max_age: asked once more, once, and the session keeps its sid', async (t) => {
  const jar = await signedIn();
  const first = await signIn(house, config, {}, jar);
  for (const more of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }, { prompt: 'login consent', max_age: '0' }]) {
    const flow = request(config, more as Record<string, string>);
    const led = await go(house.base, flow.url.href, jar);
    t.true(led.location.startsWith('/authn/login'), JSON.stringify(more));
    const answer = await signInAt(house.base, led, house.ada, jar);
    const tokens = await exchange(config, flow, answer.location);
    t.is(tokens.claims()?.['sid'], first.tokens.claims()?.['sid']);
    const again = await go(house.base, flow.url.href, jar);
    t.true(again.location.startsWith('/authn/login'), 'what was answered was answered once');
  }
  const fresh = request(config, { max_age: '3600' });
  t.true((await go(house.base, fresh.url.href, jar)).location.startsWith(back));
});

test.serial(
  'prompt inside a pushed and inside a signed request: asked once, no loop, and the pushed one waits as long as the sign-in',
  async (t) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
    const app = await addApplication(house, 'signs', { stsJwks: JSON.stringify({ keys: [jwk] }), stsRequirePar: 'FALSE' });
    const signing = await configure(house.base, app);
    const jar = await signedIn();
    const verifier = oidc.randomPKCECodeVerifier();
    const parameters = {
      redirect_uri: back,
      scope: 'openid',
      prompt: 'login',
      max_age: '0',
      state: 'state-1234',
      nonce: 'nonce-1234',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const urls = {
      pushed: await oidc.buildAuthorizationUrlWithPAR(signing, parameters),
      signed: await oidc.buildAuthorizationUrlWithJAR(signing, parameters, { key: privateKey, kid: 'k1' }),
    };
    for (const [how, url] of Object.entries(urls)) {
      const led = await go(house.base, url.href, jar);
      t.true(led.location.startsWith('/authn/login'), how);
      const answer = await signInAt(house.base, led, house.ada, jar);
      t.true(answer.location.startsWith(back), `${how}: answered, and not asked again`);
      const flow = { verifier, state: 'state-1234', nonce: 'nonce-1234', url };
      t.truthy((await exchange(signing, flow, answer.location)).id_token);
    }
    const used = await go(house.base, urls.pushed.href, jar);
    t.true(used.location.includes('error=invalid_request_uri'), 'a pushed request is used once');
    const from = house.atrium.audit.length;
    const tampered = new URL(urls.signed);
    const [head = '', claims = '', signature = ''] = (tampered.searchParams.get('request') ?? '').split('.');
    const other = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('openid', 'openid groups')).toString('base64url');
    tampered.searchParams.set('request', [head, other, signature].join('.'));
    const refused = await go(house.base, tampered.href, jar);
    t.true(refused.status === 400 || refused.location.includes('error=invalid_request_object'));
    t.true(house.codesSince(from).includes('STS-OAUTH-9011'));
    await replaceValues(house.atrium, app.dn, 'stsRequirePar', ['TRUE']);
    t.true((await go(house.base, request(signing).url.href, jar)).location.includes('error=invalid_request'), 'counts at the next request');
  },
);

test.serial('a request that came by POST goes on with all that it said, and is answered once', async (t) => {
  const jar = await signedIn();
  const flow = request(config, { prompt: 'login', login_hint: 'ada' });
  const posted = await go(house.base, flow.url.pathname, {}, Object.fromEntries(flow.url.searchParams));
  t.is(posted.status, 303);
  t.deepEqual(Object.fromEntries(new URL(posted.location, house.base).searchParams), Object.fromEntries(flow.url.searchParams));
  const led = await go(house.base, posted.location, jar);
  const answer = await signInAt(house.base, led, house.ada, jar);
  t.truthy((await exchange(config, flow, answer.location)).id_token);
  const from = house.atrium.audit.length;
  t.is(
    (await go(house.base, flow.url.pathname, jar, { ...Object.fromEntries(flow.url.searchParams), claims: 'x'.repeat(9000) })).status,
    400,
  );
  t.deepEqual(house.codesSince(from), ['STS-OAUTH-9020']);
});

test.serial(
  'prompt=none shows nothing: login_required without a session, a code with one, login_required for what a session is not',
  async (t) => {
    const errorOf = async (more: Record<string, string>, jar: Jar) =>
      new URL((await go(house.base, request(config, { prompt: 'none', ...more }).url.href, jar)).location).searchParams.get('error');
    t.is(await errorOf({}, {}), 'login_required');
    const jar = await signedIn();
    t.is(await errorOf({}, jar), null);
    t.is(await errorOf({ acr_values: 'mfa' }, jar), 'login_required');
  },
);

test.serial(
  'acr_values and the class that an application requires are enforced: the screen asks for two factors, and one is never enough',
  async (t) => {
    const jar = await signedIn();
    for (const more of [{ acr_values: 'mfa' }, { acr_values: 'hwk phr' }] as Record<string, string>[]) {
      const led = await go(house.base, request(config, more).url.href, jar);
      t.true(led.location.startsWith('/authn/login'));
      t.true((await go(house.base, led.location, jar)).body.includes('second-factor'));
    }
    await replaceValues(house.atrium, web.dn, 'stsRequiredAcr', ['mfa']);
    t.true((await go(house.base, request(config).url.href, jar)).location.startsWith('/authn/login'));
    await replaceValues(house.atrium, web.dn, 'stsRequiredAcr', []);
    t.true((await go(house.base, request(config).url.href, jar)).location.startsWith(back));
  },
);

test.serial('somebody in no group that may use the application is refused in the protocol’s words', async (t) => {
  const group = `cn=testers,ou=groups,${house.atrium.suffix}`;
  const jar = await signedIn();
  await asAdministrator(house.atrium, (client) =>
    client.add(group, { objectClass: 'groupOfNames', cn: 'testers', member: house.atrium.adminDn }),
  );
  await replaceValues(house.atrium, web.dn, 'stsAllowedGroup', [group]);
  const from = house.atrium.audit.length;
  const refused = await go(house.base, request(config).url.href, jar);
  t.is(new URL(refused.location).searchParams.get('error'), 'access_denied');
  t.deepEqual(house.codesSince(from), ['STS-OAUTH-9017']);
  await replaceValues(house.atrium, group, 'member', [house.ada.dn]);
  t.is(new URL((await go(house.base, request(config).url.href, jar)).location).searchParams.get('error'), null);
  await replaceValues(house.atrium, web.dn, 'stsAllowedGroup', []);
});

test.serial('DPoP: a token that is bound to a key is worth nothing without it; a proof is used once', async (t) => {
  const jar = await signedIn();
  const keys = await oidc.randomDPoPKeyPair();
  const DPoP = oidc.getDPoPHandle(config, keys);
  const flow = request(config);
  const tokens = await exchange(config, flow, (await go(house.base, flow.url.href, jar)).location, { DPoP });
  t.is(tokens.token_type, 'dpop');
  t.is((await oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck, { DPoP })).sub, String(tokens.claims()?.sub));
  t.is(await refusalOf(t, oidc.fetchUserInfo(config, tokens.access_token, oidc.skipSubjectCheck)), 'invalid_token');

  let proof = '';
  const spying = await configure(house.base, web);
  spying[oidc.customFetch] = (url, options) => {
    proof = new Headers(options.headers as Record<string, string>).get('dpop') ?? proof;
    return fetch(url, options as RequestInit);
  };
  await oidc.fetchUserInfo(spying, tokens.access_token, oidc.skipSubjectCheck, { DPoP });
  const from = house.atrium.audit.length;
  const again = await fetch(`${house.base}/oauth2/userinfo`, { headers: { authorization: `DPoP ${tokens.access_token}`, dpop: proof } });
  t.is(again.status, 401, 'a replayed proof is refused');
  t.deepEqual(house.codesSince(from), ['STS-OAUTH-9012']);
});

test.serial('Continue without signing in is not offered to an application, and a session of nobody is asked to sign in', async (t) => {
  const jar: Jar = {};
  const portal = await go(house.base, '/portal', jar);
  const screen = await go(house.base, portal.location, jar);
  await go(house.base, portal.location, jar, { csrf: hiddenOf(screen, 'csrf'), without: 'on' });
  t.truthy(jar['sts_session']);
  const led = await go(house.base, request(config).url.href, jar);
  t.true(led.location.startsWith('/authn/login'));
  t.false((await go(house.base, led.location, jar)).body.includes('Continue without signing in'));
});
