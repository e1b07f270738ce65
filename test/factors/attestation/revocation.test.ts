import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { readCertificate } from '#keys';
import { boundedFetch } from '../../../src/factors/attestation/fetch.ts';
import { createRevocations } from '../../../src/factors/attestation/revocation.ts';
import { dayMs, type Made, makeCertificate, makeRevocationList, nowMs } from './make.ts';

const bounds = { timeoutMs: 5000, octetsMax: 100_000 };

/** A server with one list, how often it was asked, and a chain whose lower certificate names it. */
async function started(
  t: { teardown(end: () => void): void },
  answer: (reply: ServerResponse, made: { root: Made; leaf: Made }) => void | Promise<void>,
) {
  const root = await makeCertificate();
  let asked = 0;
  let leaf: Made | undefined;
  const server = createServer((request, reply) => {
    asked++;
    if (request.url === '/elsewhere.crl') reply.end('elsewhere');
    else void answer(reply, { root, leaf: leaf as Made });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  leaf = await makeCertificate({ subject: 'CN=Leaf', issuer: root, revocationList: `http://127.0.0.1:${port}/list.crl` });
  const path = [leaf, root].flatMap(({ der }) => readCertificate(der) ?? []);
  return { root, leaf, path, asked: () => asked };
}

test('a certificate that its issuer’s list names is revoked, and one that it does not name is not', async (t) => {
  for (const revoked of [true, false]) {
    const { path } = await started(
      t,
      async (reply, { root, leaf }) => void reply.end(await makeRevocationList(root, revoked ? [leaf] : [root])),
    );
    t.deepEqual(await createRevocations(boundedFetch).of(path, bounds, nowMs), { kind: revoked ? 'revoked' : 'good' });
  }
});

test('a certificate without an address of a list is good, and nobody is asked', async (t) => {
  const root = await makeCertificate();
  const leaf = await makeCertificate({ subject: 'CN=Leaf', issuer: root });
  const path = [leaf, root].flatMap(({ der }) => readCertificate(der) ?? []);
  const revocations = createRevocations(() => Promise.reject(new Error('asked')));
  t.deepEqual(await revocations.of(path, bounds, nowMs), { kind: 'good' });
});

test('a list is asked for once until it says that there is a newer one', async (t) => {
  const { path, asked } = await started(
    t,
    async (reply, { root }) => void reply.end(await makeRevocationList(root, [], { nextUpdateMs: nowMs + 3_600_000 })),
  );
  const revocations = createRevocations(boundedFetch);
  await Promise.all([1, 2, 3].map(() => revocations.of(path, bounds, nowMs)));
  t.is(asked(), 1);
  await revocations.of(path, bounds, nowMs + 3_599_000);
  t.is(asked(), 1);
  t.like(await revocations.of(path, bounds, nowMs + 3_600_000), { kind: 'unknown', why: 'it is out of date' });
  t.is(asked(), 2);
});

test('a list that could not be had is not asked for again within a minute', async (t) => {
  const { path, asked } = await started(t, (reply) => void reply.writeHead(503).end());
  const revocations = createRevocations(boundedFetch);
  for (const laterMs of [0, 59_999]) t.is((await revocations.of(path, bounds, nowMs + laterMs)).kind, 'unknown');
  t.is(asked(), 1);
  await revocations.of(path, bounds, nowMs + 60_000);
  t.is(asked(), 2);
});

const useless: readonly [
  what: string,
  answer: (reply: ServerResponse, made: { root: Made; leaf: Made }) => void | Promise<void>,
  why: RegExp,
][] = [
  ['is not there', (reply) => void reply.writeHead(404).end('no'), /404/],
  ['is none', (reply) => void reply.end('<html>'), /no list/],
  ['is cut short', async (reply, { root }) => void reply.end((await makeRevocationList(root, [])).subarray(0, 90)), /no list/],
  [
    'is out of date',
    async (reply, { root, leaf }) =>
      void reply.end(await makeRevocationList(root, [leaf], { thisUpdateMs: nowMs - 9 * dayMs, nextUpdateMs: nowMs - dayMs })),
    /out of date/,
  ],
  [
    'is from the future',
    async (reply, { root, leaf }) =>
      void reply.end(await makeRevocationList(root, [leaf], { thisUpdateMs: nowMs + dayMs, nextUpdateMs: nowMs + 2 * dayMs })),
    /out of date/,
  ],
  [
    'is another issuer’s',
    async (reply, { leaf }) => void reply.end(await makeRevocationList(await makeCertificate({ subject: 'CN=Other' }), [leaf])),
    /another issuer/,
  ],
  [
    'is signed by somebody else in its issuer’s name',
    async (reply, { root, leaf }) => void reply.end(await makeRevocationList(root, [leaf], { signer: await makeCertificate() })),
    /signature/,
  ],
  ['is too large', (reply) => void reply.end(Buffer.alloc(200_000)), /more than 100000 octets/],
  [
    'is small and grows when it is unpacked',
    (reply) => void reply.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(10_000_000))),
    /more than 100000 octets/,
  ],
  ['sends one elsewhere', (reply) => void reply.writeHead(302, { location: '/elsewhere.crl' }).end(), /fetch failed|redirect/],
  ['never comes', () => undefined, /timeout|abort/i],
];

for (const [what, answer, why] of useless) {
  test(`whether a certificate is revoked is not known when its list ${what}`, async (t) => {
    const { path } = await started(t, answer);
    const given = await createRevocations(boundedFetch).of(path, { ...bounds, timeoutMs: what === 'never comes' ? 50 : 5000 }, nowMs);
    t.is(given.kind, 'unknown');
    t.regex(given.kind === 'unknown' ? given.why : '', why);
  });
}

test('of several certificates one that is revoked decides, whatever is not known of the others', async (t) => {
  const { root, leaf } = await started(t, (reply) => void reply.writeHead(503).end());
  const upper = await started(t, async (reply, made) => void reply.end(await makeRevocationList(made.root, [made.leaf])));
  const path = [leaf, root, upper.leaf, upper.root].flatMap(({ der }) => readCertificate(der) ?? []);
  t.deepEqual(await createRevocations(boundedFetch).of(path, bounds, nowMs), { kind: 'revoked' });
});
