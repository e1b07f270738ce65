// This file is imported when a certificate must be made and not before: its library takes some 90 ms to load.
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type Chance, hex } from '#base';

/** A certificate and its private key (PKCS #8), both as PEM. */
export interface Signed {
  readonly cert: string;
  readonly key: string;
}

export interface Validity {
  readonly nowMs: number;
  readonly days: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A machine whose clock is a little behind shall accept the certificate at once. */
const clockSkewMs = dayMs;
const serialOctets = 16;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Makes a certification authority that signs itself and may sign servers only, no further authority (RFC 5280 §4.2.1.9). */
export async function makeAuthority(validity: Validity, chance: Chance): Promise<Signed> {
  const keys = await makeKeys();
  const serialNumber = makeSerial(chance);
  const cert = await X509CertificateGenerator.createSelfSigned({
    // A name of its own for every authority: clients that trusted an earlier one do not mistake this for it.
    name: [{ O: ['Atrium'] }, { CN: [`Atrium CA ${serialNumber.slice(0, 8)}`] }],
    keys,
    serialNumber,
    ...dates(validity),
    signingAlgorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${cert.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

/**
 * Signs a certificate for a server.
 *
 * @param names  host names and IP addresses; the first becomes the common name, all become alternative names (RFC 9110 §4.3.4)
 */
export async function signServer(authority: Signed, names: readonly string[], validity: Validity, chance: Chance): Promise<Signed> {
  const issuer = new X509Certificate(authority.cert);
  const keys = await makeKeys();
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  const cert = await X509CertificateGenerator.create({
    subject: [{ CN: [names[0] ?? 'localhost'] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    serialNumber: makeSerial(chance),
    ...dates(validity),
    signingAlgorithm,
    extensions,
  });
  return { cert: `${cert.toString('pem')}\n`, key: await exportKey(keys.privateKey) };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function exportKey(key: CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function importKey(pem: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), algorithm, false, ['sign']);
}

/** A positive number that cannot be guessed, as hexadecimal digits (RFC 5280 §4.1.2.2). */
function makeSerial(chance: Chance): string {
  const octets = chance.octets(serialOctets);
  octets[0] = ((octets[0] as number) & 0x7f) | 0x40;
  return hex(octets);
}

function dates({ nowMs, days }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(nowMs - clockSkewMs), notAfter: new Date(nowMs + days * dayMs) };
}
