import test from 'ava';
import {
  acts,
  asking,
  assertionType,
  basic,
  byAssertion,
  type Case,
  cookie,
  house,
  isForm,
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
import { back } from './house.ts';

test.before(() => openHostile());

test.after.always(() => house?.atrium[Symbol.asyncDispose]());

test.serial('forms: of one type, in UTF-8, of so many fields and octets; what may be there once is not there twice', async (t) => {
  const flood = 'a&'.repeat(2_000_000);
  const paths = ['token', 'par', 'introspect', 'revoke', 'device_authorization', 'userinfo'].map((name) => `/oauth2/${name}`);
  const pages = ['/oauth2/authorize', '/oauth2/logout'];
  const body = 'grant_type=client_credentials&token=x';
  await judge(t, [
    ...paths.map((path): Case => [`${path}: many fields`, post(path, flood), 400, 'invalid_request', 'STS-HTTP-9006']),
    ...pages.map((path): Case => [`${path}: many fields`, post(path, flood), 400, /invalid_request/, 'STS-HTTP-9006']),
  ]);
  await judge(t, [
    ...paths.map(
      (path): Case => [`${path}: JSON`, post(path, body, { 'content-type': 'application/json' }), 415, 'invalid_request', 'STS-HTTP-9004'],
    ),
    ...pages.map(
      (path): Case => [`${path}: JSON`, post(path, body, { 'content-type': 'application/json' }), 415, /invalid_request/, 'STS-HTTP-9004'],
    ),
    ['no type', { method: 'POST', path: '/oauth2/token', headers: acts(), body }, 415, 'invalid_request', 'STS-HTTP-9004'],
    [
      'UTF-16',
      token(body, { ...acts(), 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' }),
      415,
      'invalid_request',
      'STS-HTTP-0012',
    ],
    ['no UTF-8', post('/oauth2/introspect', Buffer.from([0x74, 0x3d, 0xff, 0xfe]), acts()), 400, 'invalid_request', 'STS-HTTP-9006'],
    ['no gzip', token(body, { ...acts(), 'content-encoding': 'gzip' }), 400, 'invalid_request', 'STS-HTTP-0013'],
    ['5 MB and more', token(Buffer.alloc(6 << 20, 'a')), 413, 'invalid_request', 'STS-HTTP-0004'],
    ['56 KB and more', post('/oauth2/par', `client_id=native&state=${'x'.repeat(60_000)}`), 413, 'invalid_request', 'STS-OAUTH-9330'],
    [
      'two headers',
      { ...token(body), headers: { ...isForm, authorization: [acts().authorization, basic('web-app', web.secret).authorization] } },
      400,
      'invalid_request',
      'STS-OAUTH-9331',
    ],
    ['a grant twice', token('grant_type=client_credentials&grant_type=client_credentials'), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['a token to look at twice', post('/oauth2/introspect', 'token=x&token=y', acts()), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['a token to revoke twice', post('/oauth2/revoke', 'token=x&token=y', acts()), 400, 'invalid_request', 'STS-OAUTH-9000'],
    [
      'a client to sign out twice',
      { path: '/oauth2/logout?client_id=web-app&client_id=acts', headers: cookie() },
      400,
      /there may be one client_id/,
      'STS-OAUTH-9331',
    ],
    ['a redirect URI twice', asking({}, [], '&redirect_uri=https%3A%2F%2Fevil.example'), 303, 'invalid_request', 'STS-OAUTH-9000'],
    ['a client twice', asking({}, [], '&client_id=acts'), 400, /provided twice/, 'STS-OAUTH-9000'],
    [
      'a name that reaches a prototype',
      token('grant_type=__proto__&constructor=x', acts()),
      400,
      'unsupported_grant_type',
      'STS-OAUTH-9004',
    ],
    ['NUL in a query', asking({}, [], '&x=%00'), 400, /cannot be read/, 'STS-HTTP-0011'],
    ['CRLF in a form', token('grant_type=client_credentials&scope=a%0d%0aX-Evil:y'), 400, 'invalid_scope', 'STS-OAUTH-9005'],
    ['an unknown client with markup', asking({ client_id: '<script>alert(1)</script>' }), 400, /client is invalid/, 'STS-OAUTH-9001'],
  ]);
});

test.serial('whoever says that they are a client: in one way, the way of its entry, once, for this server, and not for ever', async (t) => {
  const grant = 'grant_type=client_credentials';
  const form = query({ ...Object.fromEntries(new URLSearchParams(grant)), client_id: 'acts', client_secret: secret });
  const none = query({
    grant_type: 'client_credentials',
    client_assertion_type: assertionType,
    client_assertion: unsigned({ iss: 'signs', sub: 'signs' }),
  });
  const [refused, client] = ['invalid_client', 'STS-OAUTH-9001'];
  const once = { jti: 'the same' };
  await judge(t, [
    ['a secret with a colon, a percent and a plus', token(grant), 200, /access_token/],
    ['the same in the form', token(form, {}), 200, /access_token/],
    ['not percent-encoded', token(grant, basic('acts', 'a%zz')), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['what stands for secrets in the library', token(grant, basic('acts', 'the%20directory%20judges%20secrets')), 401, refused, client],
    ['header and form', token(form), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['header and assertion', token(await byAssertion()), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['two names', token(`${grant}&client_id=web-app`), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['a name alone', token(`${grant}&client_id=acts`, {}), 401, refused, client],
    ['a name in another case', token(grant, basic('ACTS', encodeURIComponent(secret))), 401, refused, client],
    ['a filter for a name', token(grant, basic('*', encodeURIComponent(secret))), 401, refused, client],
    ['a secret in the query', post(`/oauth2/token?${form}`, grant), 400, 'invalid_request', 'STS-OAUTH-9000'],
    ['an assertion', token(await byAssertion(once), {}), 200, /access_token/],
    ['the same again', token(await byAssertion(once), {}), 401, refused, client],
    ['another server', post('/ops/oauth2/token', await byAssertion()), 401, refused, client],
    ['signed by nobody', token(none, {}), 401, refused, client],
    ['over', token(await byAssertion({ exp: nowS() - 600 }), {}), 401, refused, client],
    [
      'good for ever: what was used would have to be remembered as long',
      token(await byAssertion({ exp: 1e300 }), {}),
      401,
      refused,
      client,
    ],
    ['good for a year', token(await byAssertion({ exp: nowS() + 31_536_000 }), {}), 401, refused, client],
    ...(await Promise.all(
      [7, ['signs'], { a: 1 }, true, 'a\0b', '*)(cn=*'].map(
        async (sub): Promise<Case> => [
          `a subject ${JSON.stringify(sub)}`,
          token(await byAssertion({ sub, iss: sub } as never), {}),
          401,
          refused,
          client,
        ],
      ),
    )),
  ]);
  const details = house.atrium.audit.map(({ summary }) => summary);
  t.true(
    details.some((summary) => summary.includes('exp is more than 3600 seconds ahead')),
    'the trail says what is wrong',
  );
});

test.serial(
  'RFC 9700 §2.1: an address is compared as it stands, whatever it would be read as; what is asked is judged before anybody is asked',
  async (t) => {
    const lax = ['https://APP.example.com/back', 'https://app.example.com:443/back', `${back}/`, `${back}?x=1`, `${back}#x`, ` ${back}`]
      .concat(['https://app.example.com/a/../back', 'https://app.example.com/%62ack', 'https://user@app.example.com/back'])
      .concat([
        'https://app.example.com@evil.example/back',
        'https://app.example.com\\@evil.example/back',
        'javascript:alert(1)',
        '//evil.example',
      ]);
    const native = [
      'http://localhost:8123/cb',
      'http://127.0.0.2/cb',
      'http://127.1/cb',
      'http://user@127.0.0.1/cb',
      'http://127.0.0.1:8123/cb?x=y',
    ].concat(['http://127.0.0.1:80@evil.example/cb', 'com.example.app://cb', 'COM.example.app:/cb']);
    const page = (uri: string, client: string): Case => [
      uri,
      asking({ redirect_uri: uri, client_id: client }),
      400,
      /redirect_uri did not match/,
      'STS-OAUTH-9009',
    ];
    const invalid = (rule: string, sent: Sent, error = 'invalid_request', code = '9000'): Case => [
      rule,
      sent,
      303,
      error,
      `STS-OAUTH-${code}`,
    ];
    await judge(t, [
      ...lax.map((uri) => page(uri, 'web-app')),
      ...native.map((uri) => page(uri, 'native')),
      ['any port of this machine', asking({ redirect_uri: 'http://127.0.0.1:8123/cb', client_id: 'native' }), 303, 'code'],
      invalid('no challenge', asking({}, ['code_challenge', 'code_challenge_method'])),
      invalid('a challenge that is the verifier', asking({ code_challenge_method: 'plain' })),
      invalid('a challenge without a method', asking({}, ['code_challenge_method'])),
      invalid('a challenge of three letters', asking({ code_challenge: 'abc' })),
      ...['none login', 'none none login', 'create', ' none '].map((prompt) => invalid(`prompt ${prompt}`, asking({ prompt }))),
      ...['-1', '99999999999999999999', 'x', '1.5'].map((age) => invalid(`max_age ${age}`, asking({ max_age: age }))),
      ...['junk', 'web_message', 'constructor', 'toString'].map((mode) =>
        invalid(`response_mode ${mode}`, asking({ response_mode: mode }), 'unsupported_response_mode', '9004'),
      ),
      ...['code token', 'id_token', 'none'].map((type) =>
        invalid(`response_type ${type}`, asking({ response_type: type }), 'unsupported_response_type', '9004'),
      ),
      ...['x', 'https://api.example', 'https://api.example#x'].map((resource) =>
        invalid(`resource ${resource}`, asking({ resource }), 'invalid_target', '9007'),
      ),
      ...['a.b.c', unsigned({ sub: 'x' }), tokens.access_token].map((hint) =>
        invalid('a hint that is none', asking({ id_token_hint: hint })),
      ),
      invalid(
        'a hint of another client',
        asking({ id_token_hint: String(tokens.id_token), client_id: 'native', redirect_uri: 'http://127.0.0.1/cb' }),
      ),
      invalid('an address for the request', asking({ request_uri: 'https://evil.example/x' }), 'request_uri_not_supported'),
      invalid('a registration', asking({ registration: '{}' }), 'registration_not_supported'),
      ['claims as deep as may be', asking({ claims: `{"id_token":${'{"a":'.repeat(900)}1${'}'.repeat(900)}}` }), 303, 'code'],
      [
        'more of a POST than can be come back to',
        post('/oauth2/authorize', `client_id=web-app&state=${'x'.repeat(40_000)}`),
        400,
        /too long/,
        'STS-OAUTH-9020',
      ],
    ]);
    const sent = asking({ response_mode: 'form_post', state: '"><script>alert(1)</script>' });
    const { headers, body } = await send(sent);
    t.regex(
      String(headers['content-security-policy']),
      /default-src 'none'; script-src 'sha256-[^']+'; form-action https:\/\/app\.example\.com; frame-ancestors 'none'/,
    );
    t.notRegex(body, /<script>alert/, 'what was sent is no markup');
  },
);
