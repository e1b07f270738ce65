import { argon2Sync, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { compareSync } from 'bcryptjs';
import { text, utf8 } from '#base';
import { memoryOctets } from '../hash.ts';
import { encode64 } from './base64.ts';
import { matchesDigest } from './digest.ts';
import type { Argon2Hash, ForeignHash } from './parse.ts';
import { passwordOctetsMax, shaCrypt } from './sha-crypt.ts';

const scryptKeyOctets = 32;

/** True when a password is the one of a hash. It computes in one turn, which for all but plain digests takes milliseconds and more. */
export function matchesForeign(password: Uint8Array, hash: ForeignHash): boolean {
  switch (hash.kind) {
    case 'digest':
      return matchesDigest(password, hash);
    case 'crypt':
      if (password.length > passwordOctetsMax) return false;
      return timingSafeEqual(utf8(shaCrypt(password, hash)), utf8(hash.key));
    case 'bcrypt': {
      // The library takes texts. What is no text was no password of a system that made such a hash: it would have taken it as octets.
      const typed = password.length > passwordOctetsMax ? undefined : text(password);
      return typed !== undefined && compareSync(typed, hash.text);
    }
    case 'scrypt': {
      if (password.length > passwordOctetsMax) return false;
      const { logN, r, p } = hash.cost;
      const key = scryptSync(password, hash.salt, scryptKeyOctets, { N: 2 ** logN, r, p, maxmem: memoryOctets(hash.cost) });
      return timingSafeEqual(utf8(encode64(key)), utf8(hash.key));
    }
    case 'argon2':
      return timingSafeEqual(argon2(password, hash), hash.key);
    case 'pbkdf2':
      return timingSafeEqual(pbkdf2Sync(password, hash.salt, hash.iterations, hash.key.length, hash.hash), hash.key);
  }
}

function argon2(password: Uint8Array, { algorithm, memoryKib, passes, parallelism, salt, key }: Argon2Hash): Uint8Array {
  return argon2Sync(algorithm, { message: password, nonce: salt, parallelism, tagLength: key.length, memory: memoryKib, passes });
}
