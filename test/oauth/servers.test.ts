import test from 'ava';
import * as oidc from 'openid-client';
import { asAdministrator } from '../flows/people.ts';
import { ask } from '../flows/raw.ts';
import { addPersonTo, addRealm, replaceValues, type TestRealm } from '../flows/realms.ts';
import {
  addApplication,
  configure,
  exchange,
  go,
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
let acme: TestRealm;

test.before(async () => {
  house = await openHouse();
  web = await addApplication(house, 'web-app');
  acme = await addRealm(house.atrium, 'acme');
});

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

const json = async (target: string) => {
  const answer = await ask(house.base, target);
  return { status: answer.status, body: answer.status === 200 ? (JSON.parse(answer.body) as Record<string, unknown>) : {} };
};

test.serial('metadata in every form, of the service, of a realm and of named servers: each says its own issuer', async (t) => {
  const forms: readonly [string, string][] = [
    ['/.well-known/openid-configuration', ''],
    ['/.well-known/oauth-authorization-server', ''],
    ['/.well-known/openid-configuration/realm/acme', '/realm/acme'],
    ['/.well-known/oauth-authorization-server/realm/acme/ops', '/realm/acme/ops'],
    ['/realm/acme/.well-known/openid-configuration', '/realm/acme'],
    ['/realm/acme/ops/.well-known/openid-configuration', '/realm/acme/ops'],
    ['/ops/.well-known/openid-configuration', '/ops'],
    ['/.well-known/oauth-authorization-server/ops', '/ops'],
  ];
  for (const [target, path] of forms) {
    const { body } = await json(target);
    t.is(body['issuer'], house.base + path, target);
    for (const name of [
      'authorization_endpoint',
      'token_endpoint',
      'jwks_uri',
      'end_session_endpoint',
      'pushed_authorization_request_endpoint',
      'introspection_endpoint',
    ])
      t.true(String(body[name]).startsWith(`${house.base}${path}/oauth2/`), `${target} ${name}`);
    t.deepEqual(body['code_challenge_methods_supported'], ['S256']);
  }
  const keys = (await json('/ops/oauth2/jwks')).body['keys'] as { kty: string; d?: string }[];
  t.true(keys.length > 0 && keys.every((key) => key.d === undefined));
});

test.serial(
  'a path component that this service has for itself, or that is no name, names no server; there may be any number of others',
  async (t) => {
    const from = house.atrium.audit.length;
    for (const name of ['portal', 'admin', 'oauth2', 'ADMIN-API', '.hidden', 'a b', 'x'.repeat(64), '%2e', 'a%2Fb'])
      t.is((await json(`/${encodeURI(name)}/.well-known/openid-configuration`)).status, 404, name);
    t.true(house.codesSince(from).includes('STS-OAUTH-9019'));
    for (let n = 0; n < 300; n++) await ask(house.base, `/server-${n}/.well-known/openid-configuration`);
    t.is((await json('/server-0/.well-known/openid-configuration')).status, 200);
    t.is((await json('/.well-known/openid-configuration/realm/nobody')).status, 404);
  },
);

test.serial(
  'a code, a refresh token and an access token of one server are refused by another, and so is a realm’s by another realm',
  async (t) => {
    const own = await configure(house.base, web);
    const ops = await configure(`${house.base}/ops`, web);
    const { tokens, jar } = await signIn(house, ops);
    t.is(tokens.claims()?.iss, `${house.base}/ops`);
    t.is(await refusalOf(t, oidc.refreshTokenGrant(own, String(tokens.refresh_token))), 'invalid_grant');
    t.is(await refusalOf(t, oidc.fetchUserInfo(own, tokens.access_token, oidc.skipSubjectCheck)), 'invalid_token');
    t.false((await oidc.tokenIntrospection(own, tokens.access_token)).active);
    t.true((await oidc.tokenIntrospection(ops, tokens.access_token)).active);

    const flow = request(ops);
    const { location } = await go(house.base, flow.url.href, jar);
    const elsewhere = new URL(location);
    elsewhere.searchParams.set('iss', house.base);
    t.is(await refusalOf(t, exchange(own, flow, elsewhere.href)), 'invalid_grant');
    t.truthy((await exchange(ops, flow, location)).access_token, 'a refusal elsewhere has not spent it');

    const person = await addPersonTo(house.atrium, acme, 'grace', 'Grace Hopper', 'Compiler-1952-Nanosecond');
    const theirs = await addApplication(house, 'acme-app', {}, acme.suffix);
    const realm = await configure(`${house.base}/realm/acme`, theirs);
    const asked = request(realm);
    const led = await go(house.base, asked.url.href, {});
    t.true(led.location.startsWith('/realm/acme/authn/login?'));
    const answer = await signInAt(house.base, led, person, {});
    const given = await exchange(realm, asked, answer.location);
    t.is(given.claims()?.iss, `${house.base}/realm/acme`);
    t.is(await refusalOf(t, oidc.refreshTokenGrant(own, String(given.refresh_token))), 'invalid_grant');
    t.is(await refusalOf(t, oidc.clientCredentialsGrant(await configure(house.base, theirs))), 'invalid_client');
  },
);

test.serial('an application that names its servers is a client of no other; its entry counts at the next request', async (t) => {
  const app = await addApplication(house, 'only-ops', { stsGrantType: 'client_credentials', stsServer: 'ops' });
  t.truthy((await oidc.clientCredentialsGrant(await configure(`${house.base}/ops`, app))).access_token);
  t.is(await refusalOf(t, oidc.clientCredentialsGrant(await configure(house.base, app))), 'invalid_client');
  await replaceValues(house.atrium, app.dn, 'stsServer', []);
  t.truthy((await oidc.clientCredentialsGrant(await configure(house.base, app))).access_token);
});

test.serial('pages of other origins: the endpoint answers, and only an origin that the client lists may read it', async (t) => {
  const app = await addApplication(house, 'in-a-page', { stsTokenEndpointAuthMethod: 'none', appCorsOrigin: 'https://page.example.com' });
  const from = house.atrium.audit.length;
  const post = (origin: string, form: Record<string, string>) =>
    fetch(`${house.base}/oauth2/token`, { method: 'POST', headers: { origin }, body: new URLSearchParams(form) });
  const grant = {
    grant_type: 'authorization_code',
    code: 'none',
    redirect_uri: 'https://app.example.com/back',
    code_verifier: 'x'.repeat(43),
  };
  const listed = await post('https://page.example.com', { ...grant, client_id: app.clientId });
  t.is(listed.status, 400);
  t.is(listed.headers.get('access-control-allow-origin'), 'https://page.example.com');
  t.is(((await listed.json()) as { error: string }).error, 'invalid_grant');
  for (const [origin, form] of [
    ['https://evil.example', { ...grant, client_id: app.clientId }],
    ['https://page.example.com', { ...grant, client_id: 'nobody' }],
    ['https://page.example.com', grant],
  ] as const) {
    const answer = await post(origin, form);
    t.true(answer.status >= 400);
    t.is(answer.headers.get('access-control-allow-origin'), null);
  }
  const codes = house.codesSince(from);
  for (const code of ['STS-HTTP-0020', 'STS-HTTP-0021', 'STS-HTTP-0022']) t.true(codes.includes(code), code);
  t.is(
    (await fetch(`${house.base}/oauth2/jwks`, { headers: { origin: 'https://anybody.example' } })).headers.get(
      'access-control-allow-origin',
    ),
    '*',
  );
});

test.serial('ML-DSA by configuration: ID tokens and at+jwt tokens of an application that asks for it', async (t) => {
  const app = await addApplication(house, 'quantum', { stsIdTokenAlgorithm: 'ML-DSA-65' });
  const config = await configure(house.base, app, undefined, { id_token_signed_response_alg: 'ML-DSA-65' });
  const { tokens } = await signIn(house, config);
  const head = JSON.parse(Buffer.from(String(tokens.id_token).split('.')[0] ?? '', 'base64url').toString()) as { alg: string; kid: string };
  t.is(head.alg, 'ML-DSA-65');
  const keys = (await json('/oauth2/jwks')).body['keys'] as { kid: string; alg: string; kty: string }[];
  t.like(
    keys.find(({ kid }) => kid === head.kid),
    { kty: 'AKP', alg: 'ML-DSA-65' },
  );
  await asAdministrator(house.atrium, (client) => client.del(app.dn));
  t.is(await refusalOf(t, oidc.refreshTokenGrant(config, String(tokens.refresh_token))), 'invalid_client');
});
