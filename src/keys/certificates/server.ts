import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Chance, Clock } from '#base';
import { refuse } from '#catalogue';
import { errors } from '../errors.ts';
import type { Signed } from './sign.ts';

export interface CertificateOptions {
  /** `tls.certFile` and `tls.keyFile`: the operator's own. Both empty: Atrium makes its certificate itself. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Where its own are kept: `<dataDir>/tls`. */
  readonly folder: string;
  /** Host names and addresses beyond those of this machine that the certificate shall hold, such as that of `global.publicBaseUrl`. */
  readonly names?: readonly string[];
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
/** Renewed at a start from which it would last less than this. */
const renewDays = 60;
const hostNamePattern = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/**
 * The certificate with which the service's listeners prove who they are.
 *
 * Without files of the operator's it comes from `folder`: an authority (`ca.pem`, `ca.key`) and a certificate that it signed (`server.pem`, `server.key`),
 * ECDSA with P-256. They are made at the first start, private keys readable by their owner alone, and used again at the next. The server's is signed
 * anew when it is near its end or lacks a name; the authority only when it is near its own, because clients were told to trust it.
 *
 * @throws Refusal `certificateUnusable` (STS-TLS-9001) when the operator's files cannot be used
 */
export async function openServerCertificate(options: CertificateOptions): Promise<ServerCertificate> {
  const { certFile, keyFile } = options;
  return certFile === '' && keyFile === '' ? await keepOwn(options) : readOperators(certFile, keyFile);
}

function readOperators(certFile: string, keyFile: string): ServerCertificate {
  if (certFile === '' || keyFile === '') {
    throw refuse(errors.certificateUnusable, { why: 'tls.certFile and tls.keyFile belong together, and only one is set' });
  }
  try {
    const signed = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    if (!new X509Certificate(signed.cert).checkPrivateKey(createPrivateKey(signed.key)))
      throw new Error('the key is not that of the certificate');
    return { ...signed, caFile: undefined };
  } catch (error) {
    // The message of a failed read names the file, that of OpenSSL what it could not decode; neither repeats the key.
    throw refuse(errors.certificateUnusable, { why: error instanceof Error ? error.message : String(error) });
  }
}

async function keepOwn({ folder, names: more = [], clock, chance }: CertificateOptions): Promise<ServerCertificate> {
  const nowMs = clock.nowMs();
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...more])].filter(
    (name) => isIP(name) !== 0 || hostNamePattern.test(name),
  );
  const caFile = join(folder, 'ca.pem');

  let authority = read(folder, 'ca');
  const keptAuthority = authority !== undefined && lasts(authority, nowMs);
  const kept = read(folder, 'server');
  if (authority !== undefined && keptAuthority && kept !== undefined && lasts(kept, nowMs) && isFor(kept, names, authority)) {
    return { ...kept, caFile };
  }

  const { makeAuthority, signServer } = await import('./sign.ts');
  mkdirSync(folder, { recursive: true });
  if (authority === undefined || !keptAuthority) {
    authority = await makeAuthority({ nowMs, days: authorityDays }, chance);
    write(folder, 'ca', authority);
  }
  const server = await signServer(authority, names, { nowMs, days: serverDays }, chance);
  write(folder, 'server', server);
  return { ...server, caFile };
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

function lasts({ cert }: Signed, nowMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate.getTime() <= nowMs && nowMs + renewDays * dayMs < validToDate.getTime();
}

function isFor(server: Signed, names: readonly string[], authority: Signed): boolean {
  const cert = new X509Certificate(server.cert);
  const holds = (name: string) => (isIP(name) === 0 ? cert.checkHost(name) : cert.checkIP(name)) !== undefined;
  return names.every(holds) && cert.verify(new X509Certificate(authority.cert).publicKey);
}
