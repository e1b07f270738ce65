/** What scrypt is asked to do (RFC 7914 §2): N is 2 to the power of `logN`, `r` the block size, `p` the parallelism. */
export interface HashCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** A stored password hash, taken apart. */
export interface PasswordHash extends HashCost {
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

export type ParsedHash =
  | { readonly kind: 'hash'; readonly hash: PasswordHash }
  /** Not this format, or not what it should hold. */
  | { readonly kind: 'undecodable' }
  /** Readable, but its parameters are outside RFC 7914 §2 or beyond what may be spent on one hash. */
  | { readonly kind: 'uncomputable' };

const scheme = '{SCRYPT}';
const form = /^\{scrypt\}ln=(\d{1,10}),r=(\d{1,10}),p=(\d{1,10})\$([A-Za-z0-9+/]{4,256})\$([A-Za-z0-9+/]{4,256})$/i;
const saltOctets = { min: 8, max: 64 };
const keyOctets = { min: 16, max: 64 };

/** The least `logN` a new hash may have. */
export const logNMin = 14;

/** How much scrypt moves through memory for these parameters: 128 × N × r × p octets. It takes as many octets at once, divided by `p`. */
export function costOctets({ logN, r, p }: HashCost): number {
  return 128 * 2 ** logN * r * p;
}

/** The most that OpenSSL may allocate for it: p blocks of 128 × r octets, and N + 2 of them to work in. Node's own default, 32 MiB, is just too little for logN 15. */
export function memoryOctets({ logN, r, p }: HashCost): number {
  return 128 * r * (2 ** logN + p + 2);
}

/**
 * The text of a hash as `userPassword` keeps it: `{SCRYPT}ln=15,r=8,p=1$<salt>$<hash>`.
 *
 * The scheme in front is RFC 2307 §5.3's; what follows is the PHC string format's parameters, salt and hash, in base64 without padding.
 */
export function formatHash(hash: PasswordHash): string {
  return `${scheme}ln=${hash.logN},r=${hash.r},p=${hash.p}$${base64(hash.salt)}$${base64(hash.key)}`;
}

/**
 * Reads what `formatHash` wrote.
 *
 * @param costMaxOctets  the most that `costOctets` may come to; a hash beyond it is `uncomputable`
 */
export function parseHash(stored: string, costMaxOctets: number): ParsedHash {
  const found = form.exec(stored);
  if (found === null) return { kind: 'undecodable' };
  const [, ln, r, p, salt64, key64] = found as unknown as [string, string, string, string, string, string];

  const salt = octets(salt64, saltOctets);
  const key = octets(key64, keyOctets);
  if (salt === undefined || key === undefined) return { kind: 'undecodable' };

  const hash: PasswordHash = { logN: Number(ln), r: Number(r), p: Number(p), salt, key };
  return isComputable(hash, costMaxOctets) ? { kind: 'hash', hash } : { kind: 'uncomputable' };
}

/** True when the text is a stored hash by its scheme, readable or not. A value that is not must be hashed before it is stored. */
export function isHash(value: string): boolean {
  return value.slice(0, scheme.length).toUpperCase() === scheme;
}

/** RFC 7914 §2: N is larger than 1 and less than 2^(128 × r / 8), and p is at most (2^32 − 1) × 32 / (128 × r). */
export function isComputable({ logN, r, p }: HashCost, costMaxOctets: number): boolean {
  if (logN < 1 || r < 1 || p < 1) return false;
  if (logN >= 16 * r || p > ((2 ** 32 - 1) * 32) / (128 * r)) return false;
  return costOctets({ logN, r, p }) <= costMaxOctets;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}

function octets(text: string, { min, max }: { min: number; max: number }): Uint8Array | undefined {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  // Buffer reads base64 generously: only what would be written the same again is accepted.
  return bytes.length >= min && bytes.length <= max && base64(bytes) === text ? bytes : undefined;
}
