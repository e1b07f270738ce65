import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { systemChance } from '#base';
import { Refusal } from '#catalogue';
import { keysErrors, openServerCertificate } from '#keys';
import { findProgram, withPrograms } from '../support/programs.ts';

const dayMs = 24 * 60 * 60 * 1000;
const firstStartMs = Date.parse('2026-11-21T00:00:00Z');

function folderOf(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-keys-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

function open(folder: string, given: { nowMs?: number; names?: string[]; certFile?: string; keyFile?: string } = {}) {
  const { nowMs = firstStartMs, names = [], certFile = '', keyFile = '' } = given;
  return openServerCertificate({ certFile, keyFile, folder, names, clock: { nowMs: () => nowMs }, chance: systemChance });
}

test('the first start makes an authority and a certificate for localhost, the loopback addresses and the host, ECDSA P-256', async (t) => {
  const folder = join(folderOf(t), 'tls');
  const { cert, caFile } = await open(folder, { names: ['id.example.com'] });
  const server = new X509Certificate(cert);
  for (const name of ['localhost', hostname(), 'id.example.com']) t.is(server.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1']) t.is(server.checkIP(address), address);
  t.is(server.checkHost('example.com'), undefined);
  t.false(server.ca);
  t.deepEqual(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  t.is(server.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');

  const authority = new X509Certificate(readFileSync(caFile as string));
  t.true(authority.ca);
  t.true(server.verify(authority.publicKey));
  t.true(server.checkIssued(authority));
});

test('private keys are readable by their owner alone', async (t) => {
  const folder = folderOf(t);
  await open(folder);
  for (const file of ['ca.key', 'server.key']) t.is(statSync(join(folder, file)).mode & 0o777, 0o600);
});

withPrograms(test, 'openssl')('openssl finds nothing wrong with the chain', async (t) => {
  const folder = folderOf(t);
  await open(folder, { nowMs: Date.now() });
  const said = execFileSync(
    findProgram('openssl') ?? '',
    ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.pem', 'server.pem'],
    {
      cwd: folder,
    },
  );
  t.is(said.toString(), 'server.pem: OK\n');
});

test('a TLS client that trusts ca.pem accepts the server as localhost', async (t) => {
  const { cert, key, caFile } = await open(folderOf(t), { nowMs: Date.now() });
  const server = createServer({ cert, key }).listen(0, '127.0.0.1');
  t.teardown(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: readFileSync(caFile as string) });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  t.true(socket.authorized);
  socket.destroy();
});

test('another start uses what the first made', async (t) => {
  const folder = folderOf(t);
  const first = await open(folder);
  t.deepEqual(await open(folder, { nowMs: firstStartMs + 300 * dayMs }), first);
});

test('a certificate near its end is signed anew by the authority that clients trust already', async (t) => {
  const folder = folderOf(t);
  const first = await open(folder);
  const authority = readFileSync(join(folder, 'ca.pem'), 'utf8');
  const nowMs = firstStartMs + 350 * dayMs;
  const second = await open(folder, { nowMs });
  t.not(second.cert, first.cert);
  t.true(new X509Certificate(second.cert).validToDate.getTime() > nowMs + 300 * dayMs);
  t.is(readFileSync(join(folder, 'ca.pem'), 'utf8'), authority);
  t.true(new X509Certificate(second.cert).verify(new X509Certificate(authority).publicKey));
});

test('a certificate that lacks a name of the service is signed anew', async (t) => {
  const folder = folderOf(t);
  await open(folder);
  t.is(new X509Certificate((await open(folder, { names: ['id.example.com'] })).cert).checkHost('id.example.com'), 'id.example.com');
});

test('an authority near its end is replaced, and so is what it signed', async (t) => {
  const folder = folderOf(t);
  await open(folder);
  const authority = readFileSync(join(folder, 'ca.pem'), 'utf8');
  const { cert } = await open(folder, { nowMs: firstStartMs + 3640 * dayMs });
  const next = readFileSync(join(folder, 'ca.pem'), 'utf8');
  t.not(next, authority);
  t.true(new X509Certificate(cert).verify(new X509Certificate(next).publicKey));
});

test('a pair that a crash left half written is made again', async (t) => {
  const folder = folderOf(t);
  await open(folder);
  const other = folderOf(t);
  await open(other);
  writeFileSync(join(folder, 'server.key'), readFileSync(join(other, 'server.key')));
  const { cert, key } = await open(folder);
  t.notThrows(() => createServer({ cert, key }));
});

test('the operator’s own files are used as they are', async (t) => {
  const own = folderOf(t);
  const { cert, key } = await open(own);
  const given = { certFile: join(own, 'server.pem'), keyFile: join(own, 'server.key') };
  t.deepEqual(await open(folderOf(t), given), { cert, key, caFile: undefined });
});

test('STS-TLS-9001: files that are missing, alone, not PEM or not each other’s stop the start with their reason', async (t) => {
  const own = folderOf(t);
  await open(own);
  const [server, key, other] = ['server.pem', 'server.key', 'ca.key'].map((file) => join(own, file)) as [string, string, string];
  const wrong: readonly [given: { certFile: string; keyFile: string }, why: RegExp][] = [
    [{ certFile: server, keyFile: '' }, /only one is set/],
    [{ certFile: '', keyFile: key }, /only one is set/],
    [{ certFile: join(own, 'none.pem'), keyFile: key }, /none\.pem/],
    [{ certFile: server, keyFile: other }, /the key is not that of the certificate/],
    [{ certFile: key, keyFile: key }, /PEM|no start line/i],
  ];
  for (const [given, why] of wrong) {
    const refusal = await t.throwsAsync(open(own, given), { instanceOf: Refusal });
    t.is(refusal?.row, keysErrors.certificateUnusable);
    t.regex(refusal?.message ?? '', why);
  }
});
