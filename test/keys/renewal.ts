import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectNet, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ExecutionContext } from 'ava';
import { systemChance, utf8 } from '#base';
import { openServerCertificate } from '#keys';
import type { TestAtrium } from '../support/atrium.ts';
import { type RawClient, rawClient } from '../support/raw-ldap.ts';

/** A certificate and its key in a folder of their own. */
export interface Pair {
  readonly certFile: string;
  readonly keyFile: string;
  readonly serial: string;
}

/** Makes a pair by an authority of its own, at a time. */
export async function makePair(t: ExecutionContext, nowMs = Date.now()): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-pair-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  await openServerCertificate({ certFile: '', keyFile: '', folder, clock: { nowMs: () => nowMs }, chance: systemChance });
  const certFile = join(folder, 'server.pem');
  return { certFile, keyFile: join(folder, 'server.key'), serial: serialOf(certFile) };
}

export function serialOf(certFile: string): string {
  return new X509Certificate(readFileSync(certFile)).serialNumber;
}

/** Puts one pair in the place of another. */
export function replace({ certFile, keyFile }: Pair, by: Pair): void {
  copyFileSync(by.certFile, certFile);
  copyFileSync(by.keyFile, keyFile);
}

/** A connection inside TLS, with the serial number of what the server has shown. */
export interface Inside {
  readonly socket: TLSSocket;
  readonly serial: string;
}

/** Whom it trusts is not asked: clocks of tests stand elsewhere. Each is a handshake of its own, without a session of an earlier one. */
export async function openTls(url: string, under?: Socket): Promise<Inside> {
  const place = under === undefined ? { host: 'localhost', port: Number(new URL(url).port) } : { socket: under };
  const socket = connectTls({ ...place, servername: 'localhost', rejectUnauthorized: false });
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  return { socket, serial: socket.getPeerX509Certificate()?.serialNumber ?? '' };
}

/** A connection that came in the clear, and asked for TLS (RFC 4511 §4.14). */
export async function openStartTls(url: string): Promise<Inside> {
  const socket = connectNet({ host: 'localhost', port: Number(new URL(url).port) });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const client = rawClient(socket);
  client.send(1, { kind: 'extendedRequest', oid: '1.3.6.1.4.1.1466.20037' });
  const said = (await client.next())?.op;
  if (said === undefined || !('result' in said) || said.result.code !== 0) throw new Error('StartTLS was refused');
  socket.removeAllListeners('data');
  return openTls(url, socket);
}

/** What one GET is answered on a connection that stays open: the status line. */
export async function get(socket: Socket): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString().split('\r\n')[0] ?? ''));
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  socket.write('GET /portal/signed-out HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const line = await answer;
  // All of the page, before the next is asked for.
  await new Promise((resolve) => setImmediate(resolve));
  return line;
}

/** Binds as the administrator. @returns what the audit row says of the thread that served it */
export async function threadOf(atrium: TestAtrium, client: RawClient, messageId: number): Promise<string> {
  const rows = () => atrium.audit.filter(({ action }) => action === 'ldap.bind');
  const before = rows().length;
  const authentication = { kind: 'simple', password: utf8(atrium.adminPassword) } as const;
  client.send(messageId, { kind: 'bindRequest', version: 3, name: atrium.adminDn, authentication });
  const said = (await client.next())?.op;
  if (said === undefined || !('result' in said) || said.result.code !== 0) throw new Error('the bind was refused');
  while (rows().length === before) await new Promise((resolve) => setImmediate(resolve));
  return rows().at(-1)?.correlationId.split('-')[0] ?? '';
}

/** The serial numbers that all threads show, each of which is reached at least once: the system chooses who serves a connection. */
export async function shownByThreads(atrium: TestAtrium, threads: number, open: () => Promise<Inside>): Promise<ReadonlySet<string>> {
  const serials = new Map<string, string>();
  // One that takes the place of another may still be on its way: the time limit of the test is that of this loop.
  while (serials.size < threads) {
    const { socket, serial } = await open();
    serials.set(await threadOf(atrium, rawClient(socket), 2), serial);
    socket.destroy();
  }
  return new Set(serials.values());
}

/** Lets the job run, and waits until it has: it says so, or is silent about what is as before. */
export async function ranOnce(atrium: Pick<TestAtrium, 'log'>, pass: () => void): Promise<void> {
  const runs = () => atrium.log().split('job tls.renew: ').length;
  const before = runs();
  pass();
  while (runs() === before) await new Promise((resolve) => setImmediate(resolve));
}
