import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Chance, Clock } from '#base';
import { refuse } from '#catalogue';
import { errors } from '../errors.ts';
import { describeCertificate } from './described.ts';
import type { Signed } from './sign.ts';

export interface CertificateOptions {
  /** `tls.certFile` and `tls.keyFile`: the operator's own. Both empty: Atrium makes its certificate itself. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Where its own are kept: `<dataDir>/tls`. */
  readonly folder: string;
  /** Host names and addresses beyond those of this machine that the certificate shall hold, such as that of `global.publicBaseUrl`. */
  readonly names?: readonly string[];
  /** Days before its end from which the one that Atrium makes is signed anew. */
  readonly renewDays?: number;
  readonly clock: Clock;
  readonly chance: Chance;
}

export interface ServerCertificate {
  /** The certificate and those that lead to its authority, as PEM. */
  readonly cert: string;
  readonly key: string;
  /** What a client must trust when Atrium made the certificate: `<dataDir>/tls/ca.pem`. */
  readonly caFile: string | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;
/** The longest that browsers accept of an authority which was added by hand is 825 days; a year and a month is enough. */
const serverDays = 397;
const authorityDays = 3650;
const renewDaysStanding = 60;
const hostNamePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/**
 * The certificate with which the service's listeners prove who they are.
 *
 * Without files of the operator's it comes from `folder`: an authority (`ca.pem`, `ca.key`) and a certificate that it signed (`server.pem`, `server.key`),
 * ECDSA with P-256. They are made at the first start, private keys readable by their owner alone, and used again at the next. The server's is signed
 * anew when it is near its end or lacks a name; the authority only when it is near its own, because clients were told to trust it.
 *
 * @throws Refusal `certificateUnusable` (STS-TLS-9001) when the operator's files cannot be used, `certificateNotMade` (STS-TLS-9861) when its own cannot be written
 */
export async function openServerCertificate(options: CertificateOptions): Promise<ServerCertificate> {
  if (isOwn(options)) return await keepOwn(options);
  try {
    return readOperators(options);
  } catch (error) {
    throw refuse(errors.certificateUnusable, { why: whyOf(error) });
  }
}

/**
 * Looks at the files again while the certificate is shown: the operator may have replaced theirs, and the one that Atrium made may be near its end.
 *
 * @returns `shown` itself where it stays
 * @throws Refusal  the one that is shown stays good for what it is: `certificateNotTaken` (STS-TLS-9860) when the operator's files hold no pair that can be
 *   used now, one of them half written included; `certificateNotMade` (STS-TLS-9861) when its own cannot be written
 */
export async function renewServerCertificate(options: CertificateOptions, shown: ServerCertificate): Promise<ServerCertificate> {
  const isShown = ({ cert, key }: Signed) => cert === shown.cert && key === shown.key;
  if (isOwn(options)) {
    const own = await keepOwn(options, shown);
    return isShown(own) ? shown : own;
  }
  try {
    const found = readOperators(options);
    if (isShown(found)) return shown;
    demandTime(found, options.clock.nowMs());
    return found;
  } catch (error) {
    throw refuse(errors.certificateNotTaken, { why: whyOf(error) });
  }
}

function isOwn({ certFile, keyFile }: CertificateOptions): boolean {
  return certFile === '' && keyFile === '';
}

function readOperators({ certFile, keyFile }: CertificateOptions): ServerCertificate {
  if (certFile === '' || keyFile === '') throw new Error('tls.certFile and tls.keyFile belong together, and only one is set');
  const signed = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  if (!new X509Certificate(signed.cert).checkPrivateKey(createPrivateKey(signed.key)))
    throw new Error('the key is not that of the certificate');
  // All of the chain, as a listener reads it: a file that is half written may hold a whole certificate and part of the next.
  createSecureContext(signed);
  return { ...signed, caFile: undefined };
}

function demandTime({ cert }: Signed, nowMs: number): void {
  const { fromMs, untilMs } = describeCertificate(cert);
  if (nowMs < fromMs) throw new Error(`its time begins at ${new Date(fromMs).toISOString()}`);
  if (untilMs <= nowMs) throw new Error(`its time was over at ${new Date(untilMs).toISOString()}`);
}

/** The message of a failed read names the file, that of OpenSSL what it could not decode; neither repeats the key. */
function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @param shown  what stays as long as it lasts where none that is fit lies in the folder: it may be being written by another process at this moment */
async function keepOwn(options: CertificateOptions, shown?: ServerCertificate): Promise<ServerCertificate> {
  const { folder, clock, renewDays = renewDaysStanding } = options;
  const nowMs = clock.nowMs();
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...(options.names ?? [])])].filter(
    (name) => isIP(name) !== 0 || hostNamePattern.test(name),
  );
  const caFile = join(folder, 'ca.pem');
  const isFit = (signed: Signed) => lasts(signed, nowMs, renewDays);

  const authority = read(folder, 'ca');
  const keptAuthority = authority !== undefined && isFit(authority) ? authority : undefined;
  const kept = read(folder, 'server');
  if (keptAuthority !== undefined && kept !== undefined && isFit(kept) && isFor(kept, names, keptAuthority)) return { ...kept, caFile };
  if (shown !== undefined && isFit(shown)) return shown;
  try {
    return { ...(await makeOwn(options, names, keptAuthority)), caFile };
  } catch (error) {
    throw refuse(errors.certificateNotMade, { why: whyOf(error) });
  }
}

/** @param kept  the authority that clients trust already; without it another is made */
async function makeOwn({ folder, clock, chance }: CertificateOptions, names: readonly string[], kept: Signed | undefined): Promise<Signed> {
  const { makeAuthority, signServer } = await import('./sign.ts');
  const nowMs = clock.nowMs();
  mkdirSync(folder, { recursive: true });
  const authority = kept ?? (await makeAuthority({ nowMs, days: authorityDays }, chance));
  if (kept === undefined) write(folder, 'ca', authority);
  const server = await signServer(authority, names, { nowMs, days: serverDays }, chance);
  write(folder, 'server', server);
  return server;
}

/** What is kept under a name, or `undefined` when a file is missing, unreadable or not the other's: then it is made anew. */
function read(folder: string, name: string): Signed | undefined {
  try {
    const cert = readFileSync(join(folder, `${name}.pem`), 'utf8');
    const key = readFileSync(join(folder, `${name}.key`), 'utf8');
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch {
    return undefined;
  }
}

/** Each file appears whole or not at all. A crash between the two leaves a pair that does not match, which `read` does not take. */
function write(folder: string, name: string, { cert, key }: Signed): void {
  for (const [file, text, mode] of [
    [`${name}.key`, key, 0o600],
    [`${name}.pem`, cert, 0o644],
  ] as const) {
    const path = join(folder, file);
    writeFileSync(`${path}.new`, text, { mode });
    renameSync(`${path}.new`, path);
  }
}

function lasts({ cert }: Signed, nowMs: number, renewDays: number): boolean {
  const { fromMs, untilMs } = describeCertificate(cert);
  return fromMs <= nowMs && nowMs + renewDays * dayMs < untilMs;
}

function isFor(server: Signed, names: readonly string[], authority: Signed): boolean {
  const cert = new X509Certificate(server.cert);
  const holds = (name: string) => (isIP(name) === 0 ? cert.checkHost(name) : cert.checkIP(name)) !== undefined;
  return names.every(holds) && cert.verify(new X509Certificate(authority.cert).publicKey);
}
