import type { Clock } from '#base';
import { hmacSha256 } from '#keys';
import { appPasswordForm, saltOf } from './app-password.ts';
import type { Account, Matches } from './judge.ts';

/**
 * Passwords that were found right a short while ago. It stands for the work of a hash and for nothing else: whether a right password is let in is judged each
 * time by the entry as it is. Each is tied to the stored hash that it was found to be of, so that it is forgotten with it. None that was refused is kept.
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

export interface KnownOptions {
  /** Of this process and this start alone. */
  readonly key: Uint8Array;
  readonly clock: Clock;
  /** How many are known at most; 0 for none. */
  readonly max: number;
}

interface Kept {
  /** The stored hash that it is of. */
  readonly hash: string;
  readonly untilMs: number;
}

/** Two generations: when the younger is half of what may be kept the older goes. What is asked for is not made younger: each ends at its time. */
export function createKnownPasswords({ key, clock, max }: KnownOptions): KnownPasswords {
  const half = Math.floor(max / 2);
  let young = new Map<string, Kept>();
  let old = new Map<string, Kept>();

  const nameOf = (under: string, secret: Uint8Array): string => {
    const named = Buffer.allocUnsafe(under.length + 1 + secret.length);
    named.write(under, 'latin1');
    named[under.length] = 0;
    named.set(secret, under.length + 1);
    return Buffer.from(hmacSha256(key, named)).toString('latin1');
  };
  const find = (under: string, secret: Uint8Array): Kept | undefined => {
    const name = nameOf(under, secret);
    const kept = young.get(name) ?? old.get(name);
    return kept !== undefined && kept.untilMs > clock.nowMs() ? kept : undefined;
  };
  const put = (under: string, secret: Uint8Array, hash: string, untilMs: number): void => {
    if (young.size >= half) {
      old = young;
      young = new Map();
    }
    young.set(nameOf(under, secret), { hash, untilMs });
  };

  return {
    recall({ uuid, passwordHash, appPasswords = [] }, password) {
      if (young.size + old.size === 0) return undefined;
      const [first] = appPasswords;
      const form = first === undefined ? undefined : appPasswordForm(password);
      if (first !== undefined && form !== undefined) {
        const kept = find(`${uuid} ${saltOf(first.hash)}`, form);
        const app = kept === undefined ? undefined : appPasswords.find((each) => each.hash === kept.hash);
        if (kept !== undefined && app !== undefined) return { own: { matches: false }, app, untilMs: kept.untilMs };
      }
      const kept = passwordHash === undefined ? undefined : find(`${uuid} ${passwordHash}`, password);
      return kept && { own: { matches: true }, app: undefined, untilMs: kept.untilMs };
    },
    keep({ uuid, passwordHash }, password, { own, app }, lifeMs) {
      if (half === 0 || lifeMs <= 0) return 0;
      const untilMs = clock.nowMs() + lifeMs;
      const form = app === undefined ? undefined : appPasswordForm(password);
      if (own.matches && passwordHash !== undefined) put(`${uuid} ${passwordHash}`, password, passwordHash, untilMs);
      else if (app !== undefined && form !== undefined) put(`${uuid} ${saltOf(app.hash)}`, form, app.hash, untilMs);
      return untilMs;
    },
  };
}
