import test from 'ava';
import {
  acts,
  basic,
  bySigned,
  type Case,
  config,
  cookie,
  house,
  jar,
  judge,
  nowS,
  openHostile,
  post,
  query,
  type Sent,
  secret,
  send,
  token,
  tokens,
  unsigned,
  web,
} from './hostile.ts';
import { back, go, request } from './house.ts';

test.before(() => openHostile());

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

test.serial('a signed request (RFC 9101): of its client, for this server, in its time, and of text', async (t) => {
  const invalid = async (rule: string, changed: object, error = 'invalid_request_object', code = '9011'): Promise<Case> => [
    rule,
    await bySigned(changed),
    303,
    error,
    `STS-OAUTH-${code}`,
  ];
  const object = (name: string) => invalid(`${name} is no text`, { [name]: { a: 1 } });
  await judge(t, [
    ['as it should be', await bySigned({}), 303, 'code'],
    [
      'signed by nobody',
      {
        path: `/oauth2/authorize?${query({ client_id: 'signs', request: unsigned({ client_id: 'signs', redirect_uri: back }) })}`,
        headers: cookie(),
      },
      303,
      'invalid_request_object',
      'STS-OAUTH-9011',
    ],
    await invalid('for another server', { aud: `${house.base}/ops` }),
    await invalid('for nobody', { aud: undefined }),
    await invalid('of another client', { iss: 'web-app' }),
    await invalid('of nobody', { iss: undefined }),
    await invalid('for another client', { client_id: 'web-app' }),
    await invalid('over', { exp: nowS() - 600 }),
    await invalid('one within another', { request: 'x' }),
    await invalid('an address within', { request_uri: 'urn:x' }),
    ...(await Promise.all(['scope', 'state', 'nonce', 'acr_values', 'login_hint', 'dpop_jkt'].map(object))),
    await invalid('scopes as a list', { scope: ['openid'] }, 'invalid_request', '9000'),
    await invalid('an age below nothing', { max_age: -5 }, 'invalid_request', '9000'),
    ['an address that is no text', await bySigned({ redirect_uri: { a: 1 } }), 400, /redirect_uri did not match/, 'STS-OAUTH-9009'],
  ]);
});

test.serial('a pushed request is of its client and its server, and what stands beside it counts for nothing', async (t) => {
  const params = {
    client_id: 'web-app',
    redirect_uri: back,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  };
  const push = (more: Readonly<Record<string, string>> = {}) =>
    post('/oauth2/par', query({ ...params, ...more }), basic('web-app', web.secret));
  const { request_uri: uri } = JSON.parse((await send(push())).body) as { request_uri: string };
  const opened = (more: Readonly<Record<string, string>> = {}, server = ''): Sent => ({
    path: `${server}/oauth2/authorize?${query({ client_id: 'web-app', request_uri: uri, ...more })}`,
    headers: cookie(),
  });
  await judge(t, [
    ['an address within', push({ request_uri: 'urn:x' }), 400, 'request_uri_not_supported', 'STS-OAUTH-9000'],
    ['of another client', push({ client_id: 'signs' }), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['an address of somebody else', push({ redirect_uri: 'https://evil.example' }), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['by another client', opened({ client_id: 'signs' }), 303, 'invalid_request_object', 'STS-OAUTH-9011'],
    ['at another server', opened({}, '/ops'), 303, 'invalid_request_uri', 'STS-OAUTH-9010'],
    ['with an address beside it', opened({ redirect_uri: 'https://evil.example/', scope: 'openid groups' }), 303, 'code'],
  ]);
});

test.serial(
  'tokens: a code and a refresh token once, of whoever has the verifier and the key; a page of another origin reads none',
  async (t) => {
    const flow = request(config);
    const { location } = await go(house.base, flow.url.href, jar);
    const code = String(new URL(location).searchParams.get('code'));
    const spend = (more: Readonly<Record<string, string>> = {}) =>
      token(
        query({ grant_type: 'authorization_code', code, redirect_uri: back, code_verifier: flow.verifier, ...more }),
        basic('web-app', web.secret),
      );
    await judge(t, [
      ['a short verifier', spend({ code_verifier: 'abc' }), 400, 'invalid_request', 'STS-OAUTH-9000'],
      [
        'the challenge for a verifier',
        spend({ code_verifier: String(flow.url.searchParams.get('code_challenge')) }),
        400,
        'invalid_grant',
        'STS-OAUTH-9002',
      ],
      ['another address', spend({ redirect_uri: `${back}/` }), 400, 'invalid_grant', 'STS-OAUTH-9002'],
    ]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(spend())));
    t.true(answers.filter(({ status }) => status === 200).length <= 1, 'of four at once one at most is given tokens');
    const given = answers.find(({ status }) => status === 200);
    const opens = (accessToken: string, headers: Sent['headers'] = {}, path = '/oauth2/userinfo'): Sent => ({
      path,
      headers: { authorization: `Bearer ${accessToken}`, ...headers },
    });
    const stolen = given === undefined ? 'none' : String((JSON.parse(given.body) as { access_token: string }).access_token);
    await judge(t, [
      ['what a code gave that was used twice', opens(stolen), 401, 'invalid_token', 'STS-OAUTH-9013'],
      ['another server', opens(tokens.access_token, {}, '/ops/oauth2/userinfo'), 401, 'invalid_token', 'STS-OAUTH-9013'],
      ['an ID token', opens(String(tokens.id_token)), 401, 'invalid_token', 'STS-OAUTH-9013'],
      ['in the query', { path: `/oauth2/userinfo?access_token=${tokens.access_token}` }, 400, 'invalid_request', 'STS-OAUTH-9000'],
      [
        'in header and form',
        post('/oauth2/userinfo', `access_token=${tokens.access_token}`, opens(tokens.access_token).headers),
        400,
        'invalid_request',
        'STS-OAUTH-9000',
      ],
      ['a page of another origin', opens(tokens.access_token, { origin: 'https://evil.example' }), 200, /"sub"/, 'STS-HTTP-0022'],
      ['a token of another client', post('/oauth2/introspect', `token=${tokens.access_token}`, acts()), 200, /"active":false/],
      ['revoked by another client', post('/oauth2/revoke', `token=${tokens.access_token}`, acts()), 200, /^$/],
      ['is good still', opens(tokens.access_token), 200, /"sub"/],
      [
        'a page leads out with an access token',
        { path: `/oauth2/logout?id_token_hint=${tokens.access_token}`, headers: cookie() },
        400,
        /it is no ID token/,
        'STS-OAUTH-9000',
      ],
      [
        'or to an address that is nobody’s',
        { path: '/oauth2/logout?client_id=web-app&post_logout_redirect_uri=https%3A%2F%2Fevil.example', headers: cookie() },
        400,
        /is not one of the application/,
        'STS-OAUTH-9000',
      ],
      ['or by a GET', { path: '/oauth2/logout?logout=yes', headers: cookie() }, 403, /open for too long/, 'STS-HTTP-0015'],
    ]);
    const log = house.atrium.log();
    const secrets = [web.secret, secret, code, tokens.access_token, tokens.refresh_token, tokens.id_token, jar['sts_session']];
    for (const each of secrets) t.false(log.includes(String(each)), 'no secret stands in the log');
  },
);
