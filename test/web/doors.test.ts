import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Refusal } from '#catalogue';
import { bindRoutes } from '#web';
import { observe } from '../support/observed.ts';
import { codes, get, handlers, open, realmsOf, send } from './house.ts';

/** A certificate of openssl's, so that https does not depend on how ours are made. */
function certificate(t: ExecutionContext): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-web-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,DNS:id.example.com'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      ...subject,
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

function ask(secure: boolean, options: RequestOptions, ca?: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const call = secure ? httpsRequest({ servername: 'localhost', ca, ...options }) : httpRequest(options);
    call.on('response', (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
    });
    call.on('error', reject);
    call.end();
  });
}

test('https: cookies are Secure, and HSTS is sent for a name that is not this machine’s own', async (t) => {
  const tls = certificate(t);
  const { web } = await open(t, { tls, settings: { 'http.tlsPort': 0 } });
  const port = Number(new URL(web.addresses.https ?? '').port);
  const local = await ask(true, { host: '127.0.0.1', port, path: '/cookie', headers: { host: 'localhost' } }, tls.cert);
  t.deepEqual(local.headers['set-cookie'], ['a=b; Path=/; HttpOnly; SameSite=Lax; Secure']);
  t.is(local.headers['strict-transport-security'], undefined);
  const named = await ask(true, { host: '127.0.0.1', port, path: '/hello', headers: { host: 'id.example.com' } }, tls.cert);
  t.is(named.headers['strict-transport-security'], 'max-age=31536000');
});

test('global.publicBaseUrl: another host is refused, except this machine’s own names from this machine', async (t) => {
  const house = await open(t, { settings: { 'global.publicBaseUrl': 'https://id.example.com' } });
  const as = (host: string) => send(house.port, `GET /cookie HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  t.is((await as('other.example')).status, 421);
  t.is((await as('localhost')).status, 200);
  const own = await as('id.example.com');
  t.is(own.status, 200);
  // A proxy on this machine took the https off.
  t.regex(own.headers.get('set-cookie') ?? '', /; Secure$/);
  t.deepEqual(codes(house), ['STS-HTTP-9001']);
});

for (const host of ['', 'a b', 'exa mple.com', 'user@host', 'host/path', '[::1', 'a..b', 'host:99999999', 'é.example']) {
  test(`a Host that is none is refused: ${JSON.stringify(host)}`, async (t) => {
    const { port } = await open(t);
    t.true([400, 421].includes((await send(port, `GET /hello HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status));
  });
}

test('development mode answers to names of this machine only, against DNS rebinding', async (t) => {
  const { port } = await open(t, { realms: realmsOf('development') });
  for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', '[::1]:80', 'demo.localhost']) {
    t.is((await send(port, `GET /hello HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 200, host);
  }
  for (const host of ['evil.example', 'localhost.evil.example', '192.168.0.1']) {
    t.is((await send(port, `GET /hello HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 421, host);
  }
});

test('development mode: every page says that passwords are not checked', async (t) => {
  const { port } = await open(t, { realms: realmsOf('development') });
  for (const target of ['/hello', '/nowhere', '/throws']) t.regex((await get(port, target)).body, /passwords are not checked/, target);
  const product = await open(t);
  t.notRegex((await get(product.port, '/hello')).body, /passwords are not checked/);
});

test('STS-HTTP-9007: a port that is taken stops the start', async (t) => {
  const { port } = await open(t);
  const error = await t.throwsAsync(open(t, { settings: { 'http.port': port } }), { instanceOf: Refusal });
  t.is(error?.row.code, 'STS-HTTP-9007');
  observe(error?.row.code);
  t.regex(error?.message ?? '', /EADDRINUSE/);
});

test('an orderly end: a request in progress is answered, then nothing listens and nothing is kept open', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const slow = { method: 'GET', path: '/slow', purpose: 'a test', source: 'a test', coverage: 'full' } as const;
  const routes = bindRoutes(
    { slow },
    {
      slow: async () => {
        arrived.resolve();
        await promise;
        return handlers.hello();
      },
    },
  );
  const house = await open(t, { routes });
  const idle = connect(house.port, '127.0.0.1');
  await new Promise((ready) => idle.once('connect', ready));
  const asked = get(house.port, '/slow');
  await arrived.promise;
  const stopped = house.web.stop();
  resolve();
  const answer = await asked;
  t.is(answer.status, 200);
  t.is(answer.headers.get('connection'), 'close');
  await stopped;
  await t.throwsAsync(get(house.port, '/hello'));
});
