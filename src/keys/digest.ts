import { createHash, createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';

/** The hashes that mechanisms name. SHA-1 is for SCRAM-SHA-1, where collisions are of no use to anybody, and for what a TPM signed with it. */
export type HashName = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** SHA-256 (FIPS 180-4) of octets or of a text's UTF-8: 32 octets. */
export function sha256(data: Uint8Array | string): Uint8Array {
  return hash('sha256', data, 'buffer');
}

/** HMAC with SHA-256 (RFC 2104): 32 octets. */
export function hmacSha256(key: Uint8Array, data: Uint8Array | string): Uint8Array {
  return hmac('sha256', key, data);
}

export function digest(name: HashName, data: Uint8Array): Uint8Array {
  return createHash(name).update(data).digest();
}

/** HMAC (RFC 2104) with a hash by name. */
export function hmac(name: HashName, key: Uint8Array, data: Uint8Array | string): Uint8Array {
  return createHmac(name, key).update(data).digest();
}

/** HMAC with SHA-256 under one key for many messages of a text and octets behind it, as a text of 32 characters: a name in a map. */
export function keyedMac(key: Uint8Array): (text: string, behind: Uint8Array) => string {
  const made = createSecretKey(key);
  return (text, behind) => createHmac('sha256', made).update(text, 'utf8').update(behind).digest('latin1');
}

/** True when both are the same octets, in a time that says nothing about where they differ. Their lengths are no secret. */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
