import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { sha256 } from './digest.ts';

/** Algorithms by which this service signs tokens (RFC 7518 §3.1, RFC 8037, RFC 9964). */
export const signingAlgorithms = ['ES256', 'EdDSA', 'RS256', 'PS256', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A key by which tokens are signed. Both halves are JSON (RFC 7517); of the private one nothing is shown to anybody. */
export interface SigningKey {
  /** The thumbprint of the public half (RFC 7638): it is the same wherever it is worked out. */
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicJwk: string;
  readonly privateJwk: string;
}

/** RFC 7518 §3.3 asks for 2048 bits at least; 3072 are what 128 bits of strength take (NIST SP 800-57). */
const rsaBits = 3072;

const generate = promisify(generateKeyPair);

/** Makes a key, beside the event loop. */
export async function makeSigningKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const { privateKey } = await pairOf(algorithm);
  return signingKeyOf(privateKey, algorithm);
}

/**
 * Reads the private half of a key.
 *
 * @param privateJwk  JSON (RFC 7517)
 * @returns `undefined` for what is none of the algorithm
 */
export function readSigningKey(privateJwk: string, algorithm: SigningAlgorithm): SigningKey | undefined {
  try {
    const key = createPrivateKey({ key: JSON.parse(privateJwk), format: 'jwk' });
    return kindOf(key) === kinds[algorithm] ? signingKeyOf(key, algorithm) : undefined;
  } catch {
    return undefined;
  }
}

/** The algorithm that a private half says it is for; `undefined` for what is no key that tokens are signed by. */
export function algorithmOfKey(privateJwk: string): SigningAlgorithm | undefined {
  try {
    const { alg } = JSON.parse(privateJwk);
    return signingAlgorithms.find((each) => each === alg && readSigningKey(privateJwk, each) !== undefined);
  } catch {
    return undefined;
  }
}

const kinds: Readonly<Record<SigningAlgorithm, string>> = {
  ES256: 'ec prime256v1',
  EdDSA: 'ed25519',
  RS256: 'rsa',
  PS256: 'rsa',
  'ML-DSA-44': 'ml-dsa-44',
  'ML-DSA-65': 'ml-dsa-65',
  'ML-DSA-87': 'ml-dsa-87',
};

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  return asymmetricKeyType === 'ec' ? `ec ${asymmetricKeyDetails?.namedCurve}` : String(asymmetricKeyType);
}

function pairOf(algorithm: SigningAlgorithm): Promise<{ readonly privateKey: KeyObject }> {
  switch (algorithm) {
    case 'ES256':
      return generate('ec', { namedCurve: 'P-256' });
    case 'EdDSA':
      return generate('ed25519');
    case 'RS256':
    case 'PS256':
      return generate('rsa', { modulusLength: rsaBits });
    case 'ML-DSA-44':
      return generate('ml-dsa-44');
    case 'ML-DSA-65':
      return generate('ml-dsa-65');
    case 'ML-DSA-87':
      return generate('ml-dsa-87');
  }
}

function signingKeyOf(key: KeyObject, algorithm: SigningAlgorithm): SigningKey {
  const open = createPublicKey(key).export({ format: 'jwk' });
  const kid = thumbprint(open);
  const named = { kid, alg: algorithm, use: 'sig' };
  return {
    kid,
    algorithm,
    publicJwk: JSON.stringify({ ...open, ...named }),
    privateJwk: JSON.stringify({ ...key.export({ format: 'jwk' }), ...named }),
  };
}

/** Members that a thumbprint is of, by the kind of key (RFC 7638 §3.2, RFC 8037 §2, RFC 9964 §6): in the order of their names. */
const thumbprintMembers: Readonly<Record<string, readonly string[]>> = {
  AKP: ['alg', 'kty', 'pub'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** RFC 7638: SHA-256 of the members that make the key, in base64url. */
function thumbprint(jwk: object): string {
  const members = Object.entries(jwk);
  const of = (name: string) => members.find(([each]) => each === name)?.[1];
  const wanted = thumbprintMembers[String(of('kty'))] ?? [];
  return Buffer.from(sha256(JSON.stringify(Object.fromEntries(wanted.map((name) => [name, of(name)]))))).toString('base64url');
}
