import test from 'ava';
import type { RouteRow } from '#catalogue';
import { bindRawRoutes, type RawHandler } from '#web';
import { codes, open, send } from './house.ts';

const row = (method: 'GET' | 'POST', path: string, cors?: RouteRow['cors']): RouteRow => ({
  method,
  path,
  purpose: 'a test',
  source: 'a test',
  coverage: 'full',
  ...(cors === undefined ? {} : { cors }),
});

const rows = {
  echo: row('POST', '/:server/echo', 'clients'),
  read: row('GET', '/:server/echo', 'clients'),
  keys: row('GET', '/keys', 'open'),
  silent: row('GET', '/silent'),
  page: row('GET', '/page'),
};

const echo: RawHandler = async ({ request, response, params, form, foreignOrigin, realm }) => {
  const fields = await form();
  response.setHeader('Content-Type', 'text/plain');
  response.end([request.method, realm.id, params['server'], fields.size, foreignOrigin ?? '-'].join(' '));
  return undefined;
};

const handlers: Readonly<Record<keyof typeof rows, RawHandler>> = {
  echo,
  read: echo,
  keys: echo,
  silent: async () => undefined,
  page: async () => ({ kind: 'redirect', status: 303, to: '/keys' }),
};

const isForm = 'Content-Type: application/x-www-form-urlencoded';
const listed = 'https://app.example.com';
const routes = bindRawRoutes(rows, handlers, async (_realm, origin) => origin === listed);
const ask = (port: number, method: string, target: string, headers: readonly string[] = [], body = '') =>
  send(port, `${method} ${target} HTTP/1.1\r\nHost: localhost:${port}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`);

test('a raw route: the handler is given the request and answers by itself, under the headers of every answer', async (t) => {
  const house = await open(t, { routes, settings: { 'http.bodyOctetsMax': 1024 } });
  const { port } = house;
  const answer = await ask(port, 'POST', '/ops/echo?a=b', [isForm, 'Content-Length: 7', `Origin: ${listed}`], 'a=b&a=c');
  t.is(answer.body, `POST default ops 2 ${listed}`);
  t.is(answer.headers.get('x-content-type-options'), 'nosniff');
  t.is(answer.headers.get('cache-control'), 'no-store');
  t.is(
    (await ask(port, 'GET', '/ops/echo', [`Origin: http://localhost:${port}`])).body,
    'GET default ops 0 -',
    'its own pages are not foreign',
  );
  t.is((await ask(port, 'GET', '/page')).headers.get('location'), '/keys', 'it may leave the answer to the door');

  t.is((await ask(port, 'POST', '/ops/echo', [isForm, 'Content-Length: 1025'], 'x'.repeat(1025))).status, 413);
  t.is((await ask(port, 'POST', '/ops/echo', [isForm, 'Content-Length: 5', 'Content-Encoding: lzma'], 'hello')).status, 415);
  t.is((await ask(port, 'POST', '/ops/echo', ['Content-Type: text/plain', 'Content-Length: 5'], 'hello')).status, 415);
  t.is((await ask(port, 'GET', '/silent')).status, 500, 'one that answers nothing does not leave the client waiting');
  t.deepEqual(codes(house), ['STS-HTTP-0004', 'STS-HTTP-0012', 'STS-HTTP-9004', 'STS-HTTP-0003']);
});

test('a CORS preflight is answered with leave for an origin that is ours, set, or listed by an application, and by 204 without leave for another', async (t) => {
  const house = await open(t, {
    routes,
    settings: { 'global.corsOrigins': ['https://ours.example.com', 'not an origin/'] },
  });
  const { port } = house;
  const preflight = (target: string, origin: string) =>
    ask(port, 'OPTIONS', target, [
      `Origin: ${origin}`,
      'Access-Control-Request-Method: POST',
      'Access-Control-Request-Headers: authorization, dpop',
    ]);
  for (const origin of [listed, 'https://ours.example.com', `http://localhost:${port}`]) {
    const { status, headers } = await preflight('/ops/echo', origin);
    t.is(status, 204);
    t.is(headers.get('access-control-allow-origin'), origin);
    t.is(headers.get('access-control-allow-methods'), 'POST, GET');
    t.is(headers.get('access-control-allow-headers'), 'authorization, dpop');
    t.regex(headers.get('vary') ?? '', /Origin/);
  }
  t.is((await preflight('/keys', 'https://evil.example')).headers.get('access-control-allow-origin'), '*', 'what any page may read');
  t.deepEqual(codes(house), []);
  for (const origin of ['https://evil.example', 'null', 'not an origin/']) {
    const { status, headers } = await preflight('/ops/echo', origin);
    t.is(status, 204);
    t.false(headers.has('access-control-allow-origin'));
    t.false(headers.has('access-control-allow-headers'));
  }
  t.deepEqual(codes(house), ['STS-HTTP-0019', 'STS-HTTP-0019', 'STS-HTTP-0019']);
  t.regex(house.log.join(''), /STS-HTTP-0023/);
  t.is((await preflight('/page', listed)).status, 405, 'a path that nobody may ask for from elsewhere has no preflight');
});
