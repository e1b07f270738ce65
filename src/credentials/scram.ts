import { concat, text, utf8 } from '#base';
import { constantTimeEqual, digest, type Hasher, type HashName, hmac } from '#keys';
import { saslPrep } from './sasl-prep.ts';

/** The SCRAM mechanisms (RFC 5802, RFC 7677) and their hashes. */
export const scramHashes = { 'SCRAM-SHA-256': 'sha256', 'SCRAM-SHA-1': 'sha1' } as const satisfies Record<string, HashName>;
export type ScramMechanism = keyof typeof scramHashes;

/** What is kept of a password so that a proof of it can be judged (RFC 5802 §3). */
export interface ScramVerifier {
  readonly mechanism: ScramMechanism;
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

export const scramSaltOctets = 16;

const form = /^(SCRAM-SHA-256|SCRAM-SHA-1)\$([1-9][0-9]{0,9}):([A-Za-z0-9+/=]{4,256})\$([A-Za-z0-9+/=]{4,256}):([A-Za-z0-9+/=]{4,256})$/;

/** A verifier as an entry keeps it: `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`, as RFC 5803 writes it. */
export function formatVerifier({ mechanism, iterations, salt, storedKey, serverKey }: ScramVerifier): string {
  return `${mechanism}$${iterations}:${base64(salt)}$${base64(storedKey)}:${base64(serverKey)}`;
}

/** Reads what `formatVerifier` wrote; `undefined` for anything else. */
export function parseVerifier(stored: Uint8Array): ScramVerifier | undefined {
  const found = form.exec(text(stored) ?? '');
  if (found === null) return undefined;
  const [, mechanism, iterations, salt, storedKey, serverKey] = found as unknown as [
    string,
    ScramMechanism,
    string,
    string,
    string,
    string,
  ];
  return { mechanism, iterations: Number(iterations), salt: octets(salt), storedKey: octets(storedKey), serverKey: octets(serverKey) };
}

/**
 * Makes a verifier of a password in clear.
 *
 * @returns `undefined` for a password that SASLprep does not allow: nobody could prove it
 * @throws Refusal `hashQueueFull` (LDAP busy)
 */
export async function makeVerifier(
  hasher: Hasher,
  mechanism: ScramMechanism,
  password: Uint8Array,
  { salt, iterations }: Pick<ScramVerifier, 'salt' | 'iterations'>,
): Promise<ScramVerifier | undefined> {
  const prepared = saslPrep(text(password) ?? '\0');
  if (prepared === undefined) return undefined;
  const hash = scramHashes[mechanism];
  const salted = await hasher.pbkdf2(utf8(prepared), { hash, salt, iterations });
  const storedKey = digest(hash, hmac(hash, salted, 'Client Key'));
  return { mechanism, iterations, salt, storedKey, serverKey: hmac(hash, salted, 'Server Key') };
}

/** What is shown instead of a verifier for a name that has none: the same each time, and as much work to judge a proof against. */
export function mockVerifier(key: Uint8Array, mechanism: ScramMechanism, name: string, iterations: number): ScramVerifier {
  const hash = scramHashes[mechanism];
  const made = (what: string) => hmac(hash, key, `${mechanism} ${what} ${name}`);
  return { mechanism, iterations, salt: made('salt').subarray(0, scramSaltOctets), storedKey: made('stored'), serverKey: made('server') };
}

/**
 * Judges a client's proof (RFC 5802 §3).
 *
 * @param authMessage  what both sides said, as the RFC joins it
 * @returns whether it proves the password, and the server's own signature
 */
export function judgeProof(
  verifier: ScramVerifier,
  authMessage: string,
  proof: Uint8Array,
): { readonly proves: boolean; readonly signature: Uint8Array } {
  const hash = scramHashes[verifier.mechanism];
  const clientSignature = hmac(hash, verifier.storedKey, authMessage);
  const fits = proof.length === clientSignature.length;
  const clientKey = clientSignature.map((octet, at) => octet ^ (proof[at] ?? 0));
  const proves = constantTimeEqual(digest(hash, concat([clientKey])), verifier.storedKey) && fits;
  return { proves, signature: hmac(hash, verifier.serverKey, authMessage) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function octets(encoded: string): Uint8Array {
  return new Uint8Array(Buffer.from(encoded, 'base64'));
}
