import type { Chance, Clock } from '#base';
import { keyedMac, sha256 } from '#keys';
import { appPasswordForm } from './app-password.ts';
import type { Account, Matches } from './judge.ts';

/**
 * Passwords that were found right a short while ago, in any thread. It stands for the work of a hash and for nothing else: whether a right password is let in
 * is judged each time by the entry as it is. Each is tied to the stored hash that it was found to be of, so that it is forgotten with it. None that was
 * refused is kept.
 */
export interface KnownPasswords {
  /** What a password is known to be of an account as it stands; `undefined` when it must be hashed to know it. */
  recall(of: Holder, password: Uint8Array): Recalled | undefined;
  /**
   * @param lifeMs  for how long it is known; 0 for not at all
   * @returns until when it is known; 0 for not at all
   */
  keep(of: Holder, password: Uint8Array, matches: Matches, lifeMs: number): number;
}

/** What a password is known to be, and until when. */
export interface Recalled extends Matches {
  readonly untilMs: number;
}

/** An account, and whose it is: what is known of one is known of no other, though they have one hash. */
export type Holder = Pick<Account, 'passwordHash' | 'appPasswords'> & { readonly uuid: string };

/** What all threads of a service share of it. */
export interface KnownMemory {
  /** Of this process and this start alone. */
  readonly key: Uint8Array;
  readonly table: SharedArrayBuffer;
}

export interface KnownOptions {
  readonly memory: KnownMemory;
  readonly clock: Clock;
}

/**
 * A record: name (an HMAC over whose password it is, which kind, and the password), tie (SHA-256 of the stored hash), end in milliseconds as a double, and
 * a seal, an HMAC over these three.
 *
 * Threads write and read without waiting for each other, so that a reader may find octets of one record beside those of another. It copies them and
 * believes a copy whose seal is right: then the octets are those that somebody sealed (that is what an HMAC is for), and what was sealed is true whenever it is
 * read. Whatever else is there is no record, also what a thread left behind that died while it wrote.
 */
const tieAt = 32;
const untilAt = 64;
const sealAt = 72;
const recordOctets = 104;
const macOctets = 32;

/** Places where a password may be: its name says in which of the sets. The one that ends first makes way. */
const placesOfSet = 8;

/** @param max  how many are known at most; 0 for none */
export function createKnownMemory(chance: Chance, max: number): KnownMemory {
  const places = max < placesOfSet ? max : max - (max % placesOfSet);
  return { key: chance.octets(macOctets), table: new SharedArrayBuffer(places * recordOctets) };
}

type Kind = 'own' | 'app';

interface Kept {
  readonly tie: string;
  readonly untilMs: number;
}

export function createKnownPasswords({ memory: { key, table }, clock }: KnownOptions): KnownPasswords {
  const octets = Buffer.from(table);
  const places = Math.floor(octets.length / recordOctets);
  const inSet = Math.min(placesOfSet, places);
  const mac = keyedMac(key);
  const copy = Buffer.alloc(recordOctets);
  // A kind is no UUID, and a UUID no kind: no name is a seal.
  const nameOf = (uuid: string, kind: Kind, secret: Uint8Array) => Buffer.from(mac(`${uuid}\0${kind}\0`, secret), 'latin1');
  const sealOf = (record: Uint8Array) => mac('seal\0', record.subarray(0, sealAt));
  const firstOf = (name: Buffer) => (name.readUInt32LE() % (places / inSet)) * inSet;
  const isNamed = (place: number, name: Buffer) =>
    octets.compare(name, 0, macOctets, place * recordOctets, place * recordOctets + macOctets) === 0;

  const find = (name: Buffer): Kept | undefined => {
    const first = firstOf(name);
    for (let place = first; place < first + inSet; place++) {
      if (!isNamed(place, name)) continue;
      octets.copy(copy, 0, place * recordOctets);
      if (copy.compare(name, 0, macOctets, 0, macOctets) !== 0 || copy.toString('latin1', sealAt) !== sealOf(copy)) continue;
      const untilMs = copy.readDoubleLE(untilAt);
      if (untilMs > clock.nowMs()) return { tie: copy.toString('latin1', tieAt, untilAt), untilMs };
    }
    return undefined;
  };
  const placeFor = (name: Buffer): number => {
    const first = firstOf(name);
    let soonest = first;
    for (let place = first; place < first + inSet; place++) {
      if (isNamed(place, name)) return place;
      if (endAt(octets, place) < endAt(octets, soonest)) soonest = place;
    }
    return soonest;
  };
  const put = (name: Buffer, hash: string, untilMs: number): void => {
    const record = Buffer.concat([name, sha256(hash)], recordOctets);
    record.writeDoubleLE(untilMs, untilAt);
    record.write(sealOf(record), sealAt, 'latin1');
    octets.set(record, placeFor(name) * recordOctets);
  };

  return {
    recall({ uuid, passwordHash, appPasswords = [] }, password) {
      if (places === 0) return undefined;
      const form = appPasswords.length === 0 ? undefined : appPasswordForm(password);
      const asApp = form && find(nameOf(uuid, 'app', form));
      const app = asApp && appPasswords.find(({ hash }) => tieOf(hash) === asApp.tie);
      if (asApp !== undefined && app !== undefined) return { own: { matches: false }, app, untilMs: asApp.untilMs };
      const own = passwordHash === undefined ? undefined : find(nameOf(uuid, 'own', password));
      if (own === undefined || passwordHash === undefined || own.tie !== tieOf(passwordHash)) return undefined;
      return { own: { matches: true }, app: undefined, untilMs: own.untilMs };
    },
    keep({ uuid, passwordHash }, password, { own, app }, lifeMs) {
      if (places === 0 || lifeMs <= 0) return 0;
      const untilMs = clock.nowMs() + lifeMs;
      const form = app === undefined ? undefined : appPasswordForm(password);
      if (own.matches && passwordHash !== undefined) put(nameOf(uuid, 'own', password), passwordHash, untilMs);
      else if (app !== undefined && form !== undefined) put(nameOf(uuid, 'app', form), app.hash, untilMs);
      return untilMs;
    },
  };
}

function tieOf(hash: string): string {
  return Buffer.from(sha256(hash)).toString('latin1');
}

/** What an empty place says is 0. */
function endAt(octets: Buffer, place: number): number {
  return octets.readDoubleLE(place * recordOctets + untilAt);
}
