import { hash as digest, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { concat, utf8 } from '#base';
import type { ForeignHash } from './parse.ts';
import { passwordOctetsMax, shaCrypt } from './sha-crypt.ts';

/** True when a password is the one of a hash. It computes in one turn, which for all but plain digests takes milliseconds and more. */
export function matchesForeign(password: Uint8Array, hash: ForeignHash): boolean {
  switch (hash.kind) {
    case 'digest':
      return timingSafeEqual(digest(hash.hash, concat([password, hash.salt]), 'buffer'), hash.key);
    case 'crypt':
      if (password.length > passwordOctetsMax) return false;
      return timingSafeEqual(utf8(shaCrypt(password, hash)), utf8(hash.key));
    case 'pbkdf2':
      return timingSafeEqual(pbkdf2Sync(password, hash.salt, hash.iterations, hash.key.length, hash.hash), hash.key);
  }
}
