import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { concat, text, utf8 } from '#base';

/** A key by which values are sealed, made of a secret for one purpose. */
export interface SealingKey {
  readonly cipher: Uint8Array;
  readonly nonce: Uint8Array;
}

/** By what values are sealed. */
export const sealingScheme = { cipher: 'aes-256-gcm', nonce: 'HMAC-SHA-256', derivation: 'HKDF-SHA-256', mark: '{SEALED-1}' } as const;

const { mark } = sealingScheme;
const nonceOctets = 12;
const tagOctets = 16;
const keyOctets = 32;

/**
 * Makes a key of a secret (HKDF, RFC 5869, with SHA-256).
 *
 * @param purpose  what is sealed by it: another purpose is another key
 */
export function sealingKey(secret: Uint8Array, purpose: string): SealingKey {
  const part = (name: string) => new Uint8Array(hkdfSync('sha256', secret, '', `atrium: ${purpose}: ${name}`, keyOctets));
  return { cipher: part('cipher'), nonce: part('nonce') };
}

/**
 * Seals a value: AES-256-GCM. The nonce is made of the value and its place (HMAC-SHA-256), so that the same is sealed alike each time, and whoever sees two
 * of them learns no more than whether it is the same value in the same place.
 *
 * @param place  where it belongs: it opens nowhere else
 * @returns text
 */
export function seal({ cipher, nonce: nonceKey }: SealingKey, value: Uint8Array, place: string): Uint8Array {
  const nonce = createHmac('sha256', nonceKey)
    .update(`${utf8(place).length} ${place}`)
    .update(value)
    .digest()
    .subarray(0, nonceOctets);
  const sealing = createCipheriv(sealingScheme.cipher, cipher, nonce).setAAD(utf8(place));
  const sealed = concat([nonce, sealing.update(value), sealing.final(), sealing.getAuthTag()]);
  return utf8(`${mark}${Buffer.from(sealed).toString('base64')}`);
}

/** True of a value that is sealed, or looks like one that is. */
export function isSealed(value: Uint8Array): boolean {
  return value.length >= mark.length && text(value.subarray(0, mark.length)) === mark;
}

/** @returns the value; `undefined` for what was sealed by another key, for another place or not at all */
export function unseal({ cipher }: SealingKey, sealed: Uint8Array, place: string): Uint8Array | undefined {
  const given = text(sealed);
  if (given?.startsWith(mark) !== true) return undefined;
  const octets = Buffer.from(given.slice(mark.length), 'base64');
  if (octets.length < nonceOctets + tagOctets) return undefined;
  const opening = createDecipheriv(sealingScheme.cipher, cipher, octets.subarray(0, nonceOctets), { authTagLength: tagOctets });
  opening.setAAD(utf8(place)).setAuthTag(octets.subarray(-tagOctets));
  try {
    return new Uint8Array(concat([opening.update(octets.subarray(nonceOctets, -tagOctets)), opening.final()]));
  } catch {
    return undefined;
  }
}
