import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { foreignSchemes, type HashCost, type Hasher, isHash, type ParsedForeign, parseForeign, parseHash } from '#keys';
import { errors } from './errors.ts';

/** RFC 2307 §5.3: a scheme in braces in front says that the rest is a hash. */
const schemed = /^\{[A-Za-z0-9./_-]{1,32}\}/;

/**
 * The form in which a given password is kept: the text of its scrypt hash.
 *
 * @param mayBringHashes  true for an administrator, whose `{SCRYPT}…` value is taken as it is, and so is one of `foreignSchemes`
 * @throws Refusal `hashNotAccepted` (LDAP constraintViolation) for a hash of another scheme, one that is not readable or asks for too much work, or one from
 *                 somebody else
 * @throws Refusal `passwordUnfit` (LDAP constraintViolation) for one with a NUL octet
 * @throws Refusal `hashQueueFull` (LDAP busy)
 */
export async function storedPassword(hasher: Hasher, cost: HashCost, given: Uint8Array, mayBringHashes: boolean): Promise<Uint8Array> {
  return readStoredPassword(hasher, given, mayBringHashes) ?? utf8(await hasher.hash(given, cost));
}

/**
 * The same without hashing: `undefined` for a password in clear, whose hash is to be made.
 *
 * @throws Refusal as `storedPassword`, but for the queue
 */
export function readStoredPassword(
  { foreignRoundsMax }: Pick<Hasher, 'foreignRoundsMax'>,
  given: Uint8Array,
  mayBringHashes: boolean,
): Uint8Array | undefined {
  if (given.includes(0)) throw refuse(errors.passwordUnfit);
  const asText = text(given);
  if (asText === undefined || !schemed.test(asText)) return undefined;

  if (!mayBringHashes) throw refuse(errors.hashNotAccepted, { why: 'a hash may be given by an administrator only' });
  // How costly one of ours is to verify is judged each time it is verified: here only its form counts.
  const read = isHash(asText) ? parseHash(asText, Number.MAX_SAFE_INTEGER) : parseForeign(asText, foreignRoundsMax);
  if (read.kind !== 'hash') throw refuse(errors.hashNotAccepted, { why: unusable[read.kind] });
  return given;
}

const unusable: Readonly<Record<Exclude<ParsedForeign['kind'], 'hash'>, string>> = {
  unknown: `a hash of this scheme cannot be verified here, only {SCRYPT}, ${foreignSchemes.join(', ')} ({CRYPT} with $5$ or $6$)`,
  undecodable: 'the hash is not readable',
  uncomputable: 'the hash asks for more rounds than keys.foreignRoundsMax allows',
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
