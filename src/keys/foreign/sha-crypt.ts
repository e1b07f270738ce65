import { hash } from 'node:crypto';
import { concat, utf8 } from '#base';
import { encode64 } from './base64.ts';

/** The two of Ulrich Drepper's "Unix crypt using SHA-256 and SHA-512": what they are called by is what stands behind the first dollar. */
export type ShaCryptName = '5' | '6';

export interface ShaCrypt {
  readonly name: ShaCryptName;
  /** As it stands between the dollars: 16 octets at most. */
  readonly salt: string;
  readonly rounds: number;
}

interface Algorithm {
  readonly hash: 'sha256' | 'sha512';
  readonly octets: number;
  /** Octets of the digest in the order in which they are written, three to a group; the last group is shorter. */
  readonly order: readonly number[];
}

export const roundsDefault = 5000;
export const roundsMin = 1000;
export const saltOctetsMax = 16;
/** What libxcrypt takes: without a bound the work grows with the square of the length. */
export const passwordOctetsMax = 511;

/** Groups of three, where each is the one before turned by a place and moved on by one: so the specification's tables come about. */
function turned(third: number, turn: 1 | 2): number[] {
  const order: number[] = [];
  for (let at = 0; at < third; at++) {
    const group = [at, at + third, at + 2 * third];
    const first = (at * turn) % 3;
    order.push(...group.slice(first), ...group.slice(0, first));
  }
  return order;
}

export const algorithms: Readonly<Record<ShaCryptName, Algorithm>> = {
  '5': { hash: 'sha256', octets: 32, order: [...turned(10, 2), 31, 30] },
  '6': { hash: 'sha512', octets: 64, order: [...turned(21, 1), 63] },
};

/**
 * SHA-crypt's digest in its own base64: what stands behind the last dollar. It takes `rounds` hashes in one turn.
 *
 * @param password  511 octets at most
 * @see Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6: the numbers are those of its steps
 */
export function shaCrypt(password: Uint8Array, { name, salt: saltText, rounds }: ShaCrypt): string {
  const { hash: hashName, octets, order } = algorithms[name];
  const digest = (...parts: readonly Uint8Array[]): Uint8Array => hash(hashName, concat(parts), 'buffer');
  const salt = utf8(saltText);

  // 4–8
  const other = digest(password, salt, password);
  // 9–12
  const parts = [password, salt, repeated(other, password.length)];
  for (let left = password.length; left > 0; left >>= 1) parts.push(left & 1 ? other : password);
  let state = digest(...parts);
  // 13–16
  const longPassword = repeated(digest(...Array<Uint8Array>(password.length).fill(password)), password.length);
  // 17–20
  const longSalt = repeated(digest(...Array<Uint8Array>(16 + (state[0] as number)).fill(salt)), salt.length);

  // 21: one buffer for all rounds, filled anew in each.
  const buffer = new Uint8Array(octets + 2 * longPassword.length + longSalt.length);
  for (let round = 0; round < rounds; round++) {
    let at = 0;
    const put = (part: Uint8Array) => {
      buffer.set(part, at);
      at += part.length;
    };
    put(round & 1 ? longPassword : state);
    if (round % 3 !== 0) put(longSalt);
    if (round % 7 !== 0) put(longPassword);
    put(round & 1 ? state : longPassword);
    state = hash(hashName, buffer.subarray(0, at), 'buffer');
  }
  // 22
  return encoded(state, order);
}

/** As many octets as wanted, the same ones again and again. */
function repeated(octets: Uint8Array, length: number): Uint8Array {
  const long = new Uint8Array(length);
  for (let at = 0; at < length; at += octets.length) long.set(octets.subarray(0, length - at), at);
  return long;
}

/** Octets in the order in which they are written, those of each group the last one first. */
function encoded(digest: Uint8Array, order: readonly number[]): string {
  const groups = Array.from({ length: Math.ceil(order.length / 3) }, (_, at) => order.slice(at * 3, at * 3 + 3).toReversed());
  return encode64(new Uint8Array(groups.flat().map((at) => digest[at] as number)));
}
