import { algorithms, roundsDefault, roundsMin, type ShaCrypt, type ShaCryptName, saltOctetsMax } from './sha-crypt.ts';

/** A hash that another system made, taken apart. */
export type ForeignHash = SaltedDigest | CryptHash | Pbkdf2Hash;

/** RFC 2307 §5.3 and its descendants: a digest of the password and a salt behind it, which may be empty. */
export interface SaltedDigest {
  readonly kind: 'digest';
  readonly hash: DigestName;
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

export interface CryptHash extends ShaCrypt {
  readonly kind: 'crypt';
  readonly key: string;
}

export interface Pbkdf2Hash {
  readonly kind: 'pbkdf2';
  readonly hash: DigestName;
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly key: Uint8Array;
}

type DigestName = 'sha1' | 'sha256' | 'sha384' | 'sha512';

export type ParsedForeign =
  | { readonly kind: 'hash'; readonly hash: ForeignHash }
  /** Of a scheme in the table, and not what it should hold. */
  | { readonly kind: 'undecodable' }
  /** Asks for more rounds than may be spent. */
  | { readonly kind: 'uncomputable' }
  /** Of no scheme in the table. */
  | { readonly kind: 'unknown' };

const undecodable: ParsedForeign = { kind: 'undecodable' };
const uncomputable: ParsedForeign = { kind: 'uncomputable' };

const digestOctets: Readonly<Record<DigestName, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };
/** More than any server writes. */
const textMax = 1024;
const digestSaltMax = 256;
const pbkdf2SaltMax = 256;

type Reader = (rest: string, roundsMax: number) => ParsedForeign;

/** Every scheme of other systems whose hashes are judged here, by its name in capitals. */
const schemes: Readonly<Record<string, Reader>> = {
  SHA: digestReader('sha1', false),
  SSHA: digestReader('sha1', true),
  SHA256: digestReader('sha256', false),
  SSHA256: digestReader('sha256', true),
  SHA384: digestReader('sha384', false),
  SSHA384: digestReader('sha384', true),
  SHA512: digestReader('sha512', false),
  SSHA512: digestReader('sha512', true),
  CRYPT: readCrypt,
  // OpenLDAP's pw-pbkdf2 and 389 Directory Server's newer ones, …
  PBKDF2: pbkdf2Reader('sha1'),
  'PBKDF2-SHA1': pbkdf2Reader('sha1'),
  'PBKDF2-SHA256': pbkdf2Reader('sha256'),
  'PBKDF2-SHA512': pbkdf2Reader('sha512'),
  // … and its older one.
  PBKDF2_SHA256: readOldPbkdf2,
};

/** The names of these schemes, as values have them. */
export const foreignSchemes: readonly string[] = Object.keys(schemes).map((name) => `{${name}}`);

const form = /^\{([A-Za-z0-9_-]{1,32})\}(.*)$/s;

/**
 * Reads a hash of another system.
 *
 * @param roundsMax  the most rounds of SHA-crypt, or iterations of PBKDF2; a hash beyond it is `uncomputable`
 */
export function parseForeign(stored: string, roundsMax: number): ParsedForeign {
  const found = stored.length > textMax ? null : form.exec(stored);
  const read = found === null ? undefined : schemes[(found[1] as string).toUpperCase()];
  return found === null || read === undefined ? { kind: 'unknown' } : read(found[2] as string, roundsMax);
}

function digestReader(hash: DigestName, isSalted: boolean): Reader {
  const length = digestOctets[hash];
  return (rest) => {
    const octets = base64(rest);
    if (octets === undefined) return undecodable;
    const saltOctets = octets.length - length;
    if (saltOctets < (isSalted ? 1 : 0) || saltOctets > (isSalted ? digestSaltMax : 0)) return undecodable;
    return { kind: 'hash', hash: { kind: 'digest', hash, key: octets.subarray(0, length), salt: octets.subarray(length) } };
  };
}

const cryptForm = /^\$([56])\$(?:rounds=([1-9][0-9]{0,8})\$)?([^$:\n]{0,64})\$([./0-9A-Za-z]{43,86})$/;

function readCrypt(rest: string, roundsMax: number): ParsedForeign {
  const found = cryptForm.exec(rest);
  // Others of crypt(3): DES, MD5, bcrypt, yescrypt.
  if (found === null) return /^\$[56]\$/.test(rest) ? undecodable : { kind: 'unknown' };
  const [, name, given, salt, key] = found as unknown as [string, ShaCryptName, string | undefined, string, string];
  const rounds = given === undefined ? roundsDefault : Number(given);
  if (Buffer.byteLength(salt) > saltOctetsMax || key.length !== Math.ceil((algorithms[name].octets * 8) / 6)) return undecodable;
  // What makes hashes writes the number that it has brought within these bounds.
  if (rounds < roundsMin) return undecodable;
  return rounds > roundsMax ? uncomputable : { kind: 'hash', hash: { kind: 'crypt', name, salt, rounds, key } };
}

const pbkdf2Form = /^([1-9][0-9]{0,9})\$([./+A-Za-z0-9=]{2,400})\$([./+A-Za-z0-9=]{2,200})$/;

function pbkdf2Reader(hash: DigestName): Reader {
  return (rest, roundsMax) => {
    const [, iterations, salt64, key64] = pbkdf2Form.exec(rest) ?? [];
    // passlib writes a dot for the plus, and neither has to fill up.
    const salt = base64((salt64 ?? '').replaceAll('.', '+'));
    const key = base64((key64 ?? '').replaceAll('.', '+'));
    return pbkdf2Hash(hash, Number(iterations), salt, key, roundsMax);
  };
}

const oldPbkdf2 = { saltOctets: 64, keyOctets: 256 };

/** Iterations in network order, salt and key in one base64. */
function readOldPbkdf2(rest: string, roundsMax: number): ParsedForeign {
  const octets = base64(rest);
  const { saltOctets, keyOctets } = oldPbkdf2;
  if (octets?.length !== 4 + saltOctets + keyOctets) return undecodable;
  const iterations = Buffer.from(octets).readUInt32BE();
  return pbkdf2Hash('sha256', iterations, octets.subarray(4, 4 + saltOctets), octets.subarray(4 + saltOctets), roundsMax);
}

function pbkdf2Hash(
  hash: DigestName,
  iterations: number,
  salt: Uint8Array | undefined,
  key: Uint8Array | undefined,
  roundsMax: number,
): ParsedForeign {
  if (salt === undefined || key === undefined || !(iterations >= 1) || salt.length < 1 || salt.length > pbkdf2SaltMax) return undecodable;
  // A short key would be matched by many passwords.
  if (key.length < 16 || key.length > 256) return undecodable;
  // Each piece of the digest's length is computed by itself.
  const rounds = iterations * Math.ceil(key.length / digestOctets[hash]);
  return rounds > roundsMax ? uncomputable : { kind: 'hash', hash: { kind: 'pbkdf2', hash, salt, iterations, key } };
}

/** @returns `undefined` for what is not base64, with or without what fills it up */
function base64(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const octets = new Uint8Array(Buffer.from(text, 'base64'));
  // Buffer reads base64 generously: only what would be written the same again is accepted.
  return unfilled(Buffer.from(octets).toString('base64')) === unfilled(text) ? octets : undefined;
}

function unfilled(text: string): string {
  return text.replace(/=+$/, '');
}
