import { type HashCost, isComputable } from '../hash.ts';
import { number64 } from './base64.ts';
import { algorithms, roundsDefault, roundsMin, type ShaCrypt, type ShaCryptName, saltOctetsMax } from './sha-crypt.ts';

/** A hash that another system made, taken apart. */
export type ForeignHash = SaltedDigest | CryptHash | BcryptHash | ScryptCrypt | Argon2Hash | Pbkdf2Hash;

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

/** As crypt(3) writes it, `$2b$…` with its salt and its key. */
interface BcryptHash {
  readonly kind: 'bcrypt';
  readonly text: string;
}

/** crypt(3)'s `$7$`: the salt is the text that stands there. */
interface ScryptCrypt {
  readonly kind: 'scrypt';
  readonly cost: HashCost;
  readonly salt: string;
  readonly key: string;
}

export interface Argon2Hash {
  readonly kind: 'argon2';
  readonly algorithm: 'argon2d' | 'argon2i' | 'argon2id';
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

interface Pbkdf2Hash {
  readonly kind: 'pbkdf2';
  readonly hash: DigestName;
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly key: Uint8Array;
}

type DigestName = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** The most that one stored hash may ask for, of our own or of another system. */
export interface HashBounds {
  /** Octets that it moves through memory, which are at least those that it takes at once: of scrypt (`costOctets`) and of Argon2. */
  readonly costMaxOctets: number;
  /** Rounds of SHA-crypt, iterations of PBKDF2; one of bcrypt's counts for `roundsOfBcrypt` of them. */
  readonly foreignRoundsMax: number;
}

export type ParsedForeign =
  | { readonly kind: 'hash'; readonly hash: ForeignHash }
  /** Of a scheme in the table, and not what it should hold. */
  | { readonly kind: 'undecodable' }
  /** Asks for more work or memory than may be spent. */
  | { readonly kind: 'uncomputable' }
  /** Of no scheme in the table. */
  | { readonly kind: 'unknown' };

const undecodable: ParsedForeign = { kind: 'undecodable' };
const uncomputable: ParsedForeign = { kind: 'uncomputable' };
const unknown: ParsedForeign = { kind: 'unknown' };

const digestOctets: Readonly<Record<DigestName, number>> = { md5: 16, sha1: 20, sha256: 32, sha384: 48, sha512: 64 };
/** More than any server writes. */
const textMax = 1024;
const digestSaltMax = 256;
const pbkdf2SaltMax = 256;

type Reader = (rest: string, bounds: HashBounds) => ParsedForeign;

/** Every scheme of other systems whose hashes are judged here, by its name in capitals. */
const schemes: Readonly<Record<string, Reader>> = {
  MD5: digestReader('md5', false),
  SMD5: digestReader('md5', true),
  SHA: digestReader('sha1', false),
  SSHA: digestReader('sha1', true),
  SHA256: digestReader('sha256', false),
  SSHA256: digestReader('sha256', true),
  SHA384: digestReader('sha384', false),
  SSHA384: digestReader('sha384', true),
  SHA512: digestReader('sha512', false),
  SSHA512: digestReader('sha512', true),
  CRYPT: readCrypt,
  // 389 Directory Server's, with what crypt(3) writes behind them.
  'CRYPT-SHA256': (rest, bounds) => (rest.startsWith('$5$') ? readCrypt(rest, bounds) : undecodable),
  'CRYPT-SHA512': (rest, bounds) => (rest.startsWith('$6$') ? readCrypt(rest, bounds) : undecodable),
  // OpenLDAP's argon2.
  ARGON2: readArgon2,
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

/** What of crypt(3) is judged, by what its text begins with. DES and MD5 are not; nor is yescrypt, for which there is no library. */
export const cryptForms = ['$2a$', '$2b$', '$2y$', '$5$', '$6$', '$7$'] as const;

/** True for a scheme whose digest is broken: its hashes only come by an import, and whoever looks at a folder is told of them. */
export function isBroken(stored: string): boolean {
  return /^\{s?md5\}/i.test(stored);
}

const form = /^\{([A-Za-z0-9_-]{1,32})\}(.*)$/s;

/** Reads a hash of another system. @param bounds  one beyond them is `uncomputable` */
export function parseForeign(stored: string, bounds: HashBounds): ParsedForeign {
  const found = stored.length > textMax ? null : form.exec(stored);
  const read = found === null ? undefined : schemes[(found[1] as string).toUpperCase()];
  return found === null || read === undefined ? unknown : read(found[2] as string, bounds);
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

function readCrypt(rest: string, bounds: HashBounds): ParsedForeign {
  switch (cryptForms.find((each) => rest.startsWith(each))) {
    case '$5$':
    case '$6$':
      return readShaCrypt(rest, bounds);
    case '$2a$':
    case '$2b$':
    case '$2y$':
      return readBcrypt(rest, bounds);
    case '$7$':
      return readScryptCrypt(rest, bounds);
    case undefined:
      return unknown;
  }
}

const shaCryptForm = /^\$([56])\$(?:rounds=([1-9][0-9]{0,8})\$)?([^$:\n]{0,64})\$([./0-9A-Za-z]{43,86})$/;

function readShaCrypt(rest: string, { foreignRoundsMax }: HashBounds): ParsedForeign {
  const found = shaCryptForm.exec(rest);
  if (found === null) return undecodable;
  const [, name, given, salt, key] = found as unknown as [string, ShaCryptName, string | undefined, string, string];
  const rounds = given === undefined ? roundsDefault : Number(given);
  if (Buffer.byteLength(salt) > saltOctetsMax || key.length !== Math.ceil((algorithms[name].octets * 8) / 6)) return undecodable;
  // What makes hashes writes the number that it has brought within these bounds.
  if (rounds < roundsMin) return undecodable;
  return rounds > foreignRoundsMax ? uncomputable : { kind: 'hash', hash: { kind: 'crypt', name, salt, rounds, key } };
}

const bcryptForm = /^\$2[aby]\$([0-9]{2})\$[./A-Za-z0-9]{53}$/;
/** bcrypt at cost 4 is 16 of its rounds: each takes as long as so many rounds of SHA-crypt, about. */
const roundsOfBcrypt = 64;

function readBcrypt(rest: string, { foreignRoundsMax }: HashBounds): ParsedForeign {
  const [, cost = ''] = bcryptForm.exec(rest) ?? [];
  if (!(Number(cost) >= 4 && Number(cost) <= 31) || cost === '') return undecodable;
  return 2 ** Number(cost) * roundsOfBcrypt > foreignRoundsMax ? uncomputable : { kind: 'hash', hash: { kind: 'bcrypt', text: rest } };
}

const scryptForm = /^\$7\$([./0-9A-Za-z])([./0-9A-Za-z]{5})([./0-9A-Za-z]{5})([./0-9A-Za-z]{1,86})\$([./0-9A-Za-z]{43})$/;

/** crypt(5), "scrypt": one letter for log₂ N, five each for r and p, the low bits first. */
function readScryptCrypt(rest: string, { costMaxOctets }: HashBounds): ParsedForeign {
  const found = scryptForm.exec(rest);
  if (found === null) return undecodable;
  const [, n, r, p, salt, key] = found as unknown as [string, string, string, string, string, string];
  const cost: HashCost = { logN: number64(n), r: number64(r), p: number64(p) };
  return isComputable(cost, costMaxOctets) ? { kind: 'hash', hash: { kind: 'scrypt', cost, salt, key } } : uncomputable;
}

const argon2Form =
  /^\$(argon2(?:id|i|d))\$v=19\$m=([1-9][0-9]{0,9}),t=([1-9][0-9]{0,9}),p=([1-9][0-9]{0,7})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** RFC 9106 §3.1 in the PHC string format. Version 16, of before the RFC, is another function. */
function readArgon2(rest: string, { costMaxOctets }: HashBounds): ParsedForeign {
  const found = argon2Form.exec(rest);
  if (found === null) return undecodable;
  const [, algorithm, m, t, p, salt64, key64] = found as unknown as [
    string,
    Argon2Hash['algorithm'],
    string,
    string,
    string,
    string,
    string,
  ];
  const [salt, key] = [base64(salt64), base64(key64)];
  const [memoryKib, passes, parallelism] = [Number(m), Number(t), Number(p)];
  if (salt === undefined || key === undefined || salt.length < 8 || key.length < 16 || memoryKib < 8 * parallelism) return undecodable;
  if (memoryKib * 1024 * passes > costMaxOctets) return uncomputable;
  return { kind: 'hash', hash: { kind: 'argon2', algorithm, memoryKib, passes, parallelism, salt, key } };
}

const pbkdf2Form = /^([1-9][0-9]{0,9})\$([./+A-Za-z0-9=]{2,400})\$([./+A-Za-z0-9=]{2,200})$/;

function pbkdf2Reader(hash: DigestName): Reader {
  return (rest, { foreignRoundsMax }) => {
    const [, iterations, salt64, key64] = pbkdf2Form.exec(rest) ?? [];
    // passlib writes a dot for the plus, and neither has to fill up.
    const salt = base64((salt64 ?? '').replaceAll('.', '+'));
    const key = base64((key64 ?? '').replaceAll('.', '+'));
    return pbkdf2Hash(hash, Number(iterations), salt, key, foreignRoundsMax);
  };
}

const oldPbkdf2 = { saltOctets: 64, keyOctets: 256 };

/** Iterations in network order, salt and key in one base64. */
function readOldPbkdf2(rest: string, { foreignRoundsMax }: HashBounds): ParsedForeign {
  const octets = base64(rest);
  const { saltOctets, keyOctets } = oldPbkdf2;
  if (octets?.length !== 4 + saltOctets + keyOctets) return undecodable;
  const iterations = Buffer.from(octets).readUInt32BE();
  return pbkdf2Hash('sha256', iterations, octets.subarray(4, 4 + saltOctets), octets.subarray(4 + saltOctets), foreignRoundsMax);
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
