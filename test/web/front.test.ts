import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { codes, csrf, get, open, send } from './house.ts';

test('a handler that throws at once is answered 500 without its words, and the process goes on', async (t) => {
  const house = await open(t);
  const answer = await get(house.port, '/throws');
  t.is(answer.status, 500);
  t.false(answer.body.includes('canary'));
  t.deepEqual(codes(house), ['STS-HTTP-0003']);
  t.is((await get(house.port, '/hello')).status, 200);
});

test('a handler that rejects is answered 500 without its words', async (t) => {
  const house = await open(t);
  const answer = await get(house.port, '/rejects');
  t.is(answer.status, 500);
  t.false(answer.body.includes('canary'));
  t.deepEqual(codes(house), ['STS-HTTP-0003']);
});

test('a handler that returns nothing, or a redirect to another host, is answered 500', async (t) => {
  const house = await open(t);
  t.is((await get(house.port, '/nothing')).status, 500);
  const away = await get(house.port, '/away');
  t.is(away.status, 500);
  t.false(away.headers.has('location'));
});

test('a 500 page and its audit row and its log line share a reference', async (t) => {
  const house = await open(t);
  const { body } = await get(house.port, '/throws');
  const reference = house.audit[0]?.correlationId ?? '';
  t.regex(reference, /^[0-9a-f-]{36}$/);
  t.true(body.includes(reference));
  t.true(house.log.some((line) => line.includes('[STS-HTTP-0003]') && line.includes(reference)));
});

test('STS-HTTP-0002: a 4xx that no handler classified is recorded under the fallback', async (t) => {
  const house = await open(t);
  t.is((await get(house.port, '/lost')).status, 418);
  t.deepEqual(codes(house), ['STS-HTTP-0002']);
});

test('STS-HTTP-0001: no route matched the path, and the answer says neither path nor code', async (t) => {
  const house = await open(t);
  const answer = await get(house.port, '/nowhere?secret=canary');
  t.is(answer.status, 404);
  t.false(answer.body.includes('STS-'));
  t.deepEqual(codes(house), ['STS-HTTP-0001']);
  t.false(house.audit.some(({ summary }) => summary.includes('canary')));
});

test('another method on a path is 405 with Allow, which names HEAD beside GET', async (t) => {
  const house = await open(t);
  const onPost = await get(house.port, '/form');
  t.is(onPost.status, 405);
  t.is(onPost.headers.get('allow'), 'POST');
  const onGet = await send(house.port, 'PUT /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
  t.is(onGet.status, 405);
  t.is(onGet.headers.get('allow'), 'GET, HEAD');
});

test('HEAD is answered where GET is, with the same headers and no body', async (t) => {
  const { port } = await open(t);
  const whole = await get(port, '/hello');
  const answer = await send(port, 'HEAD /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n').catch((error: Error) => error);
  // The length announces a body that never comes, so the reader sees the connection close behind the headers.
  t.regex(String(answer), /closed after \d+ octets/);
  const head = await fetch(`http://localhost:${port}/hello`, { method: 'HEAD' });
  t.is(head.status, 200);
  t.is(head.headers.get('content-length'), whole.headers.get('content-length') ?? '');
});

for (const name of ['constructor', 'prototype', 'proto', '__proto__', '%63onstructor']) {
  test(`STS-HTTP-0010: a query parameter named ${name} is refused with 400 text/plain`, async (t) => {
    const house = await open(t);
    const answer = await get(house.port, `/hello?a=1&${name}=1`);
    t.is(answer.status, 400);
    t.regex(answer.headers.get('content-type') ?? '', /^text\/plain/);
    t.deepEqual(codes(house), ['STS-HTTP-0010']);
  });
}

for (const value of ['%00', 'a%0d%0ab', '%1f', '%7f', '%c2%85']) {
  test(`STS-HTTP-0011: a control character in a query value (${value}) is refused with 400 text/plain`, async (t) => {
    const house = await open(t);
    const answer = await get(house.port, `/hello?a=${value}`);
    t.is(answer.status, 400);
    t.regex(answer.headers.get('content-type') ?? '', /^text\/plain/);
    t.deepEqual(codes(house), ['STS-HTTP-0011']);
  });
}

test('a target that is no path, or has broken escapes, is refused before the router', async (t) => {
  const house = await open(t);
  for (const target of ['//evil.example/hello', '/%zz', '/%ff', '/a%00b', '/a%5cb', '*'])
    t.is((await get(house.port, target)).status, 400, target);
  t.deepEqual([...new Set(codes(house))], ['STS-HTTP-9002']);
});

test('RFC 9112 §3.2.2: a target in absolute form is taken', async (t) => {
  const { port } = await open(t);
  t.is((await get(port, 'http://localhost/hello')).status, 200);
});

test('headers of every page: no script, no frames, nothing kept, nothing guessed', async (t) => {
  const { port } = await open(t);
  for (const target of ['/hello', '/nowhere', '/throws']) {
    const { headers } = await get(port, target);
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      t.true(policy.split('; ').includes(part), `${target}: ${part}`);
    }
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.is(headers.get('referrer-policy'), 'no-referrer');
    t.is(headers.get('cache-control'), 'no-store');
    t.false(headers.has('server'));
  }
});

test('an error is JSON for whoever asks for JSON, and a page for a browser', async (t) => {
  const { port } = await open(t);
  const json = await get(port, '/nowhere', ['Accept: application/json']);
  t.is(json.headers.get('content-type'), 'application/json');
  t.is((JSON.parse(json.body) as { status: number }).status, 404);
  const page = await get(port, '/nowhere', ['Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']);
  t.regex(page.headers.get('content-type') ?? '', /^text\/html/);
});

test('cookies of one name arrive together, and what is no cookie value is left out', async (t) => {
  const { port } = await open(t);
  const answer = await get(port, '/cookie', ['Cookie: a=1; b=2; a=3; a="x y"; a; =; a=4']);
  t.true(answer.body.includes('<h1>1|3|4</h1>'));
});

test('a cookie is HttpOnly and SameSite=Lax, and not Secure on plain http', async (t) => {
  const { port } = await open(t);
  t.is((await get(port, '/cookie')).headers.get('set-cookie'), 'a=b; Path=/; HttpOnly; SameSite=Lax');
});

test('assets have names that change with their content, and may be kept for ever', async (t) => {
  const { port } = await open(t);
  const { body } = await get(port, '/hello');
  const links = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  t.is(new Set(links).size, 3);
  for (const path of links) {
    const answer = await get(port, path);
    t.is(answer.status, 200, path);
    t.is(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['br, gzip;q=0.5', 'gzip'],
      ['gzip;q=0, br', undefined],
      ['br', undefined],
    ] as const)
      t.is((await get(port, path, [`Accept-Encoding: ${accepted}`])).headers.get('content-encoding'), encoding, accepted);
  }
  t.is((await get(port, '/assets/atrium.css')).status, 404);
});

test('STS-HTTP-0014: bytes that are no request are answered 400 and recorded', async (t) => {
  const house = await open(t);
  t.is((await send(house.port, '\x16\x03\x01 not http\r\n\r\n')).status, 400);
  t.deepEqual(codes(house), ['STS-HTTP-0014']);
});

test('a flood of headers is answered 431', async (t) => {
  const house = await open(t, { settings: { 'http.headerOctetsMax': 4096 } });
  t.is((await get(house.port, '/hello', [`X: ${'a'.repeat(3000)}`])).status, 200);
  t.is((await get(house.port, '/hello', [`X: ${'a'.repeat(5000)}`])).status, 431);
  t.is(
    (
      await get(
        house.port,
        '/hello',
        Array.from({ length: 1200 }, (_, i) => `X-${i}: a`),
      )
    ).status,
    431,
  );
});

test('a request to upgrade is an ordinary request', async (t) => {
  const { port } = await open(t);
  t.is((await get(port, '/hello', ['Connection: Upgrade', 'Upgrade: websocket'])).status, 200);
});

test('RFC 9110 §10.1.1: a client that waits for 100 Continue gets it, and then the same answer as anybody', async (t) => {
  const house = await open(t);
  const headers = { expect: '100-continue', 'content-type': 'application/x-www-form-urlencoded' };
  const call = request({ port: house.port, host: '127.0.0.1', method: 'POST', path: '/form', headers });
  const answered = once(call, 'response') as Promise<[IncomingMessage]>;
  const told = once(call, 'continue');
  call.flushHeaders();
  await told;
  call.end(new URLSearchParams({ csrf: csrf.issue('me'), name: 'Ada' }).toString());
  const [answer] = await answered;
  t.is(answer.statusCode, 200);
  t.truthy(answer.headers['content-security-policy']);
  t.true((await text(answer)).includes('<h1>taken Ada</h1>'));
});

test('RFC 9112 §3.2: a request with two Host headers is answered 400', async (t) => {
  const house = await open(t);
  t.is((await get(house.port, '/hello', ['Host: evil.example'])).status, 400);
  t.deepEqual(codes(house), ['STS-HTTP-9001']);
});
