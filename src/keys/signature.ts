import { constants, createPublicKey, verify } from 'node:crypto';
import type { PublicKey } from './certificates/certificate.ts';
import type { HashName } from './digest.ts';

interface Scheme {
  /** As `asymmetricKeyType` names it. */
  readonly type: string;
  readonly digest?: HashName;
  readonly pss?: true;
}

/** COSE algorithms (RFC 9053, RFC 8812, RFC 9864, RFC 9964) and what `node:crypto` calls them. ES* signatures are DER, as WebAuthn §6.5.5 has them. */
const schemes: Readonly<Record<number, Scheme>> = {
  [-7]: { type: 'ec', digest: 'sha256' },
  [-35]: { type: 'ec', digest: 'sha384' },
  [-36]: { type: 'ec', digest: 'sha512' },
  [-8]: { type: 'ed25519' },
  [-53]: { type: 'ed448' },
  [-257]: { type: 'rsa', digest: 'sha256' },
  [-258]: { type: 'rsa', digest: 'sha384' },
  [-259]: { type: 'rsa', digest: 'sha512' },
  // Of TPMs alone, which sign with SHA-1 to this day.
  [-65535]: { type: 'rsa', digest: 'sha1' },
  [-37]: { type: 'rsa', digest: 'sha256', pss: true },
  [-38]: { type: 'rsa', digest: 'sha384', pss: true },
  [-39]: { type: 'rsa', digest: 'sha512', pss: true },
  [-48]: { type: 'ml-dsa-44' },
  [-49]: { type: 'ml-dsa-65' },
  [-50]: { type: 'ml-dsa-87' },
};

/**
 * Judges a signature.
 *
 * @param algorithm  COSE's number for it
 * @returns false also for an algorithm that is not known and for a key of another kind than the algorithm's
 */
export function verifySignature(algorithm: number, key: PublicKey, data: Uint8Array, signature: Uint8Array): boolean {
  return verifyAs('der', algorithm, key, data, signature);
}

/** Names of JWS (RFC 7518 §3.1) and COSE's numbers of the same. */
const joseNames: Readonly<Record<string, number>> = {
  RS256: -257,
  RS384: -258,
  RS512: -259,
  PS256: -37,
  PS384: -38,
  PS512: -39,
  ES256: -7,
  ES384: -35,
  ES512: -36,
};

/** The same for a signature of JWS (RFC 7515): algorithms have names, and ES* signatures are two numbers in a row. */
export function verifyJose(algorithm: unknown, key: PublicKey, data: Uint8Array, signature: Uint8Array): boolean {
  const known = typeof algorithm === 'string' && Object.hasOwn(joseNames, algorithm) ? joseNames[algorithm] : undefined;
  return known !== undefined && verifyAs('ieee-p1363', known, key, data, signature);
}

function verifyAs(dsaEncoding: 'der' | 'ieee-p1363', algorithm: number, key: PublicKey, data: Uint8Array, signature: Uint8Array): boolean {
  const scheme = Object.hasOwn(schemes, algorithm) ? schemes[algorithm] : undefined;
  if (scheme === undefined || key.asymmetricKeyType !== scheme.type) return false;
  const padding = scheme.pss === true ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  try {
    return verify(scheme.digest ?? null, data, { key, dsaEncoding, ...padding }, signature);
  } catch {
    return false;
  }
}

/** What a signature by a COSE algorithm digests the data with; `undefined` for one that digests by itself, or is not known. */
export function digestOfAlgorithm(algorithm: number): HashName | undefined {
  return Object.hasOwn(schemes, algorithm) ? schemes[algorithm]?.digest : undefined;
}

/** A public key from its JSON form (RFC 7517, RFC 9964); `undefined` for one that is not on its curve or otherwise none. */
export function publicKeyOf(jwk: Readonly<Record<string, string>>): PublicKey | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** True when both are the same key. */
export function samePublicKey(one: PublicKey, other: PublicKey): boolean {
  return one.equals(other);
}
