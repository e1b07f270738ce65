import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { bindRoutes, type Handler } from '#web';
import { type Answer, codes, get, open, send } from './house.ts';

const row = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string) =>
  ({ method, path, purpose: 'a test', source: 'a test', coverage: 'full' }) as const;
const rows = {
  post: row('POST', '/echo'),
  put: row('PUT', '/echo'),
  patch: row('PATCH', '/echo'),
  remove: row('DELETE', '/echo'),
  count: row('POST', '/count'),
  flow: row('GET', '/flow'),
  breaks: row('GET', '/breaks'),
};
const echo: Handler = async (request) => ({
  kind: 'json',
  status: 201,
  headers: { ETag: '"1"' },
  body: { method: request.method, sent: await request.json(1000), accept: request.header('Accept') },
});
const handlers = {
  post: echo,
  put: echo,
  patch: echo,
  remove: echo,
  count: async (request) => {
    let octets = 0;
    for await (const chunk of request.stream(['application/ldif'], 100_000)) octets += chunk.length;
    return { kind: 'json', body: { octets } };
  },
  flow: () => ({ kind: 'stream', type: 'application/ldif', body: lines(1000) }),
  breaks: () => ({ kind: 'stream', type: 'application/ldif', body: lines(5, true) }),
} as const satisfies Record<keyof typeof rows, Handler>;

async function* lines(count: number, breaks = false): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield Buffer.from(`line ${at}\n`);
  if (breaks) throw new Error('the disk is gone');
}

const house = (t: ExecutionContext) => open(t, { routes: bindRoutes(rows, handlers) });

function ask(port: number, method: string, path: string, body: string | Uint8Array, headers: readonly string[] = []): Promise<Answer> {
  const octets = Buffer.from(body);
  const type = headers.some((line) => /^content-type/i.test(line)) ? [] : ['Content-Type: application/json'];
  const length = headers.some((line) => /^(?:transfer-encoding|content-length)/i.test(line)) ? [] : [`Content-Length: ${octets.length}`];
  const head = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...type, ...length, ...headers, '', ''].join('\r\n');
  return send(port, [head, octets]);
}

test('POST, PUT, PATCH and DELETE reach their handlers with the JSON that was sent', async (t) => {
  const { port } = await house(t);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await ask(port, method, '/echo', '{"a":["ü",1]}', ['Accept: a/b']);
    t.is(answer.status, 201);
    t.is(answer.headers.get('content-type'), 'application/json');
    t.is(answer.headers.get('etag'), '"1"');
    t.is(answer.headers.get('cache-control'), 'no-store');
    t.deepEqual(JSON.parse(answer.body), { method, sent: { a: ['ü', 1] }, accept: 'a/b' });
  }
  t.is((await ask(port, 'POST', '/echo', gzipSync('{"a":1}'), ['Content-Encoding: gzip'])).status, 201);
  const other = await get(port, '/echo');
  t.is(other.status, 405);
  t.is(other.headers.get('allow'), 'DELETE, PATCH, POST, PUT');
});

const refusals: readonly [title: string, status: number, code: string, body: string | Uint8Array, headers?: readonly string[]][] = [
  ['a form is no JSON', 415, 'STS-HTTP-9520', 'a=b', ['Content-Type: application/x-www-form-urlencoded']],
  ['no media type at all', 415, 'STS-HTTP-9520', '{}', ['Content-Type: ']],
  ['a charset other than UTF-8', 415, 'STS-HTTP-0012', '{}', ['Content-Type: application/json; charset=utf-16']],
  ['octets that are no UTF-8', 400, 'STS-HTTP-9521', Uint8Array.of(0x22, 0xff, 0x22)],
  ['text that is no JSON', 400, 'STS-HTTP-9521', '{"a":}'],
  ['more octets than the route takes', 413, 'STS-HTTP-0004', JSON.stringify('a'.repeat(1000))],
  ['a bomb', 413, 'STS-HTTP-0004', gzipSync(JSON.stringify('a'.repeat(1_000_000))), ['Content-Encoding: gzip']],
  ['33 arrays within each other', 400, 'STS-HTTP-9522', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['a member called __proto__', 400, 'STS-HTTP-9522', '{"a":{"__proto__":{"admin":true}}}'],
  ['a member called constructor, written with an escape', 400, 'STS-HTTP-9522', '{"\\u0063onstructor":1}'],
];

for (const [title, status, code, body, headers] of refusals) {
  test(`a JSON body is refused with ${status}: ${title}`, async (t) => {
    const opened = await house(t);
    t.is((await ask(opened.port, 'POST', '/echo', body, headers)).status, status);
    t.deepEqual(codes(opened), [code]);
  });
}

test('brackets within strings do not nest, and 32 arrays do', async (t) => {
  const { port } = await house(t);
  t.is((await ask(port, 'POST', '/echo', JSON.stringify('[{'.repeat(100)))).status, 201);
  t.is((await ask(port, 'POST', '/echo', JSON.stringify('\\"[[['.repeat(50)))).status, 201);
  t.is((await ask(port, 'POST', '/echo', `${'['.repeat(32)}${']'.repeat(32)}`)).status, 201);
});

test('a streamed body is counted as it comes, compressed too, and is refused beyond its bound', async (t) => {
  const opened = await house(t);
  const ldif = ['Content-Type: application/ldif'];
  t.deepEqual(JSON.parse((await ask(opened.port, 'POST', '/count', 'a'.repeat(90_000), ldif)).body), { octets: 90_000 });
  const zipped = gzipSync('a'.repeat(90_000));
  t.deepEqual(JSON.parse((await ask(opened.port, 'POST', '/count', zipped, [...ldif, 'Content-Encoding: gzip'])).body), { octets: 90_000 });
  t.is((await ask(opened.port, 'POST', '/count', 'a'.repeat(100_001), ldif)).status, 413);
  t.is((await ask(opened.port, 'POST', '/count', gzipSync('a'.repeat(200_000)), [...ldif, 'Content-Encoding: gzip'])).status, 413);
  t.is((await ask(opened.port, 'POST', '/count', 'no gzip', [...ldif, 'Content-Encoding: gzip'])).status, 400);
  t.is((await ask(opened.port, 'POST', '/count', '{}')).status, 415);
  t.deepEqual(codes(opened), ['STS-HTTP-0004', 'STS-HTTP-0004', 'STS-HTTP-0013', 'STS-HTTP-9520']);
  t.is((await ask(opened.port, 'POST', '/count', 'a', ldif)).status, 200);
});

test('STS-HTTP-9523: an answer that breaks off while it is made is cut, so that nobody takes it for whole', async (t) => {
  const opened = await house(t);
  const whole = await fetch(`http://localhost:${opened.port}/flow`);
  t.is(whole.headers.get('content-type'), 'application/ldif');
  t.is((await whole.text()).split('\n').length, 1001);
  const broken = await fetch(`http://localhost:${opened.port}/breaks`);
  await t.throwsAsync(() => broken.text());
  t.deepEqual(codes(opened), ['STS-HTTP-9523']);
});
