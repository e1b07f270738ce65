import 'reflect-metadata';
import { createHash, generateKeyPairSync, KeyObject, sign, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
  X509CrlGenerator,
} from '@peculiar/x509';

/** The moment at which everything here is judged, unless a test says another. */
export const nowMs = Date.parse('2026-11-22T02:00:00Z');
export const dayMs = 86_400_000;

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate with its key. */
export interface Made {
  readonly name: string;
  readonly der: Uint8Array;
  readonly pem: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface CertificateWish {
  readonly subject?: string;
  readonly issuer?: Made;
  readonly ca?: boolean;
  readonly notBeforeMs?: number;
  readonly notAfterMs?: number;
  readonly extensions?: readonly Extension[];
  readonly revocationList?: string;
  readonly publicKey?: webcrypto.CryptoKey;
  readonly pathLength?: number;
  /** Whether the key may sign certificates, where it is not as it is an authority's or not. */
  readonly signs?: boolean;
  /** Of the signature; SHA-256 unless it says otherwise. */
  readonly hash?: 'SHA-1';
}

let serial = 0x1000;

export async function makeCertificate(wish: CertificateWish = {}): Promise<Made> {
  const keys = (await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const { issuer, subject = 'CN=Test Root, O=Test, C=AA', ca = issuer === undefined } = wish;
  const usage = (wish.signs ?? ca) ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign : KeyUsageFlags.digitalSignature;
  const certificate = await X509CertificateGenerator.create({
    serialNumber: (serial++).toString(16),
    subject,
    issuer: issuer?.name ?? subject,
    notBefore: new Date(wish.notBeforeMs ?? nowMs - 100 * dayMs),
    notAfter: new Date(wish.notAfterMs ?? nowMs + 100 * dayMs),
    publicKey: wish.publicKey ?? keys.publicKey,
    signingKey: issuer?.keys.privateKey ?? keys.privateKey,
    signingAlgorithm: { ...ecdsa, hash: wish.hash ?? 'SHA-256' },
    extensions: [
      new BasicConstraintsExtension(ca, wish.pathLength, true),
      new KeyUsagesExtension(usage, true),
      ...(wish.revocationList === undefined ? [] : [new CRLDistributionPointsExtension([wish.revocationList])]),
      ...(wish.extensions ?? []),
    ],
  });
  return { name: certificate.subject, der: new Uint8Array(certificate.rawData), pem: certificate.toString('pem'), keys };
}

export const attestationSubject = 'CN=Test Attestation, OU=Authenticator Attestation, O=Test, C=AA';

/** A list of revoked certificates. */
export async function makeRevocationList(
  issuer: Made,
  revoked: readonly Made[],
  { thisUpdateMs = nowMs - dayMs, nextUpdateMs = nowMs + dayMs, signer = issuer } = {},
): Promise<Uint8Array> {
  const { X509Certificate } = await import('@peculiar/x509');
  const list = await X509CrlGenerator.create({
    issuer: issuer.name,
    thisUpdate: new Date(thisUpdateMs),
    nextUpdate: new Date(nextUpdateMs),
    signingKey: signer.keys.privateKey,
    signingAlgorithm: ecdsa,
    entries: revoked.map(({ der }) => ({
      serialNumber: new X509Certificate(new Uint8Array(der)).serialNumber,
      revocationDate: new Date(thisUpdateMs),
    })),
  });
  return new Uint8Array(list.rawData);
}

export { Extension };

/** CBOR of maps, lists, whole numbers, texts and octets. */
export function cbor(value: unknown): Uint8Array {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return joined([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return joined([head(2, value.length), value]);
  if (Array.isArray(value)) return joined([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) return joined([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
  if (typeof value === 'object' && value !== null) return cbor(new Map(Object.entries(value)));
  throw new Error(`no CBOR of a ${typeof value} here`);
}

function head(major: number, count: number): Uint8Array {
  if (count < 24) return Uint8Array.of((major << 5) | count);
  if (count < 0x100) return Uint8Array.of((major << 5) | 24, count);
  if (count < 0x1_0000) return Uint8Array.of((major << 5) | 25, count >> 8, count & 0xff);
  return Uint8Array.of((major << 5) | 26, count >>> 24, (count >> 16) & 0xff, (count >> 8) & 0xff, count & 0xff);
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function sha256(octets: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(octets).digest());
}

/** DER: a tag, a length and what is in it. */
export function der(tag: number | readonly number[], ...content: readonly Uint8Array[]): Uint8Array {
  const inner = joined(content);
  const { length } = inner;
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return joined([Uint8Array.from(typeof tag === 'number' ? [tag] : tag), Uint8Array.from(long), inner]);
}

/** A credential that an authenticator has made, on P-256. */
export interface Credential {
  readonly key: KeyObject;
  readonly publicKey: KeyObject;
  readonly x: Uint8Array;
  readonly y: Uint8Array;
  readonly id: Uint8Array;
  readonly data: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly clientDataHash: Uint8Array;
  /** What most formats sign. */
  readonly signed: Uint8Array;
}

export const model = '01020304-0506-0708-090a-0b0c0d0e0f10';

export function aaguidOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replaceAll('-', ''), 'hex'));
}

export function makeCredential({
  aaguid = model,
  id = new Uint8Array(16).fill(7),
  rpId = 'localhost',
  clientData = '{"type":"webauthn.create"}',
} = {}): Credential {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = { x: new Uint8Array(Buffer.from(x, 'base64url')), y: new Uint8Array(Buffer.from(y, 'base64url')) };
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, point.x],
    [-3, point.y],
  ]);
  const length = Uint8Array.of(id.length >> 8, id.length & 0xff);
  const data = joined([sha256(Buffer.from(rpId)), Uint8Array.of(0x45), new Uint8Array(4), aaguidOf(aaguid), length, id, cbor(cose)]);
  const clientDataJSON = new Uint8Array(Buffer.from(clientData));
  const clientDataHash = sha256(clientDataJSON);
  return { key: privateKey, publicKey, ...point, id, data, clientDataJSON, clientDataHash, signed: joined([data, clientDataHash]) };
}

export function makeObject(format: string, statement: unknown, data: Uint8Array): Uint8Array {
  return cbor({ fmt: format, attStmt: statement, authData: data });
}

export function signWith(key: KeyObject | Made, signed: Uint8Array, hash = 'sha256'): Uint8Array {
  return new Uint8Array(sign(hash, signed, 'keys' in key ? webKey(key) : key));
}

function webKey({ keys }: Made): KeyObject {
  // The same key, as node:crypto holds it.
  return KeyObject.from(keys.privateKey);
}

/** A packed statement that a certificate vouches for. */
export async function makePacked(credential: Credential, issuer: Made, wish: CertificateWish & { readonly above?: readonly Made[] } = {}) {
  const leaf = await makeCertificate({ subject: attestationSubject, issuer, ...wish });
  const statement = { alg: -7, sig: signWith(leaf, credential.signed), x5c: [leaf.der, ...(wish.above ?? []).map((each) => each.der)] };
  return { leaf, statement, object: makeObject('packed', statement, credential.data) };
}
