import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import {
  cryptForms,
  foreignSchemes,
  type HashCost,
  type Hasher,
  isBroken,
  isHash,
  type ParsedForeign,
  parseForeign,
  parseHash,
} from '#keys';
import { errors } from './errors.ts';

/** RFC 2307 §5.3: a scheme in braces in front says that the rest is a hash. */
const schemed = /^\{[A-Za-z0-9./_-]{1,32}\}/;

/**
 * Which hashes are taken as they are: none; those that are sound, `{SCRYPT}…` and of the other systems' schemes all but `{MD5}` and `{SMD5}`; or, by an import,
 * these, too.
 */
export type HashesBrought = 'none' | 'sound' | 'any';

/**
 * The form in which a given password is kept: the text of its scrypt hash.
 *
 * @throws Refusal `hashNotAccepted` (LDAP constraintViolation) for a hash of another scheme, one that is not readable or asks for too much work, or one from
 *                 somebody else
 * @throws Refusal `passwordUnfit` (LDAP constraintViolation) for one with a NUL octet
 * @throws Refusal `hashQueueFull` (LDAP busy)
 */
export async function storedPassword(hasher: Hasher, cost: HashCost, given: Uint8Array, brought: HashesBrought): Promise<Uint8Array> {
  return readStoredPassword(hasher, given, brought) ?? utf8(await hasher.hash(given, cost));
}

/**
 * The same without hashing: `undefined` for a password in clear, whose hash is to be made.
 *
 * @throws Refusal as `storedPassword`, but for the queue
 */
export function readStoredPassword({ bounds }: Pick<Hasher, 'bounds'>, given: Uint8Array, brought: HashesBrought): Uint8Array | undefined {
  if (given.includes(0)) throw refuse(errors.passwordUnfit);
  const asText = text(given);
  if (asText === undefined || !schemed.test(asText)) return undefined;

  if (brought === 'none')
    throw refuse(errors.hashNotAccepted, { why: 'a hash may be given by an administrator only, with the relax control' });
  const read = isHash(asText) ? parseHash(asText, bounds.costMaxOctets) : parseForeign(asText, bounds);
  if (read.kind !== 'hash') throw refuse(errors.hashNotAccepted, { why: unusable[read.kind] });
  if (brought === 'sound' && isBroken(asText)) throw refuse(errors.hashNotAccepted, { why: 'a hash by MD5 may only come by an import' });
  return given;
}

const unusable: Readonly<Record<Exclude<ParsedForeign['kind'], 'hash'>, string>> = {
  unknown: `a hash of this scheme cannot be verified here, only {SCRYPT}, ${foreignSchemes.join(', ')} ({CRYPT} with ${cryptForms.join(', ')})`,
  undecodable: 'the hash is not readable',
  uncomputable: 'the hash asks for more work than keys.foreignRoundsMax or keys.hashCostMaxMiB allows',
};

/**
 * True when a value names the password that is stored: the hash itself, or the clear text of it.
 *
 * @throws Refusal `hashQueueFull` (LDAP busy)
 */
export async function isStoredPassword(hasher: Hasher, cost: HashCost, given: Uint8Array, stored: Uint8Array): Promise<boolean> {
  const hash = text(stored);
  if (hash !== undefined && text(given) === hash) return true;
  return (await hasher.verify(given, hash, cost)).matches;
}
