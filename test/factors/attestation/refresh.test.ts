import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { boundedFetch } from '../../../src/factors/attestation/fetch.ts';
import { refreshMetadata } from '../../../src/factors/attestation/metadata/refresh.ts';
import { makeBlob, makeSigner } from './blobs.ts';
import { makeCertificate, nowMs } from './make.ts';

const root = await makeCertificate({ subject: 'CN=Metadata Root' });
const signer = await makeSigner(root);

test('metadata are downloaded and installed; what cannot be taken leaves those before in place', async (t) => {
  const { refresh, answer, installed } = await opened(t);
  const good = makeBlob(signer, { number: 7 });
  answer(200, good);
  t.regex(await refresh(), /metadata 7 of http.* are installed/);
  t.deepEqual(await readFile(installed), good);
  const useless: readonly [status: number, octets: Buffer, why: RegExp][] = [
    [200, makeBlob(signer, { number: 6 }), /its number is 6/],
    [200, Buffer.from('<html>'), /no JWS/],
    [200, Buffer.alloc(2_000_000), /more than 1000000 octets/],
    [500, good, /answers 500/],
  ];
  for (const [status, octets, why] of useless) {
    answer(status, octets);
    await t.throwsAsync(refresh(), { message: why });
    t.deepEqual(await readFile(installed), good);
  }
  answer(302, Buffer.alloc(0));
  t.regex(await refresh(), /metadata 8 /);
});

test('without an address nothing is downloaded', async (t) => {
  const { refresh } = await opened(t);
  t.regex(await refresh({ 'risk.mdsUrl': '' }), /names no metadata/);
});

async function opened(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-refresh-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const roots = join(folder, 'roots.pem');
  await writeFile(roots, root.pem);
  let answered: [status: number, octets: Buffer] = [404, Buffer.alloc(0)];
  const server = createServer((request, reply) => {
    const [status, octets] = request.url === '/moved' ? [200, makeBlob(signer, { number: 8 })] : answered;
    reply.writeHead(status as number, { location: '/moved' }).end(octets);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const settings = {
    'risk.mdsUrl': `http://127.0.0.1:${port}/`,
    'risk.mdsFile': '',
    'risk.mdsRootFile': roots,
    'risk.mdsOctetsMax': 1_000_000,
  };
  const options = { folder: join(folder, 'metadata'), revocationOf: undefined, bounds: { timeoutMs: 1, octetsMax: 1 } };
  return {
    refresh: (more: Partial<typeof settings> = {}) => refreshMetadata(options, { ...settings, ...more }, boundedFetch, nowMs),
    answer: (status: number, octets: Buffer) => {
      answered = [status, octets];
    },
    installed: join(folder, 'metadata', 'blob.jwt'),
  };
}
