import { hash as digest, timingSafeEqual } from 'node:crypto';
import { concat } from '#base';
import type { SaltedDigest } from './parse.ts';

/** True when a password is the one of a digest. */
export function matchesDigest(password: Uint8Array, { hash, salt, key }: SaltedDigest): boolean {
  return timingSafeEqual(digest(hash, concat([password, salt]), 'buffer'), key);
}
