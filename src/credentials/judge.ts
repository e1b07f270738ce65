import { text } from '#base';
import type { ErrorRow } from '#catalogue';
import type { Bar } from '#holdings';
import type { HashCost, Hasher } from '#keys';
import { type Mode, refusesPasswordsToChange, reservedPassword, verifiesPasswords } from '#policy';
import { errors } from './errors.ts';

/** What an entry says about signing in as it. */
export interface Account {
  /** The stored hash, `{SCRYPT}…` or one of `foreignSchemes`; `undefined` when it has no password. */
  readonly passwordHash: string | undefined;
  /** What keeps everybody out at this moment. */
  readonly bar: Bar | undefined;
  /** `pwdReset` is TRUE. */
  readonly mustChange: boolean;
}

/** A password that someone presents, and where. */
export interface Presented {
  readonly password: Uint8Array;
  /** `undefined` when no entry has the name. */
  readonly account: Account | undefined;
  readonly mode: Mode;
  /** True at the sign-in screen, which lets a person change the password right there. */
  readonly mayChangeHere: boolean;
}

export type Judgement =
  /** `renewed` is what to store in the place of a hash of another system. */
  | { readonly kind: 'accepted'; readonly renewed?: string }
  /** `row` for the caller to answer and audit with; `fault` when the stored hash itself was unusable. */
  | { readonly kind: 'refused'; readonly row: ErrorRow; readonly fault?: ErrorRow };

/**
 * Judges a presented password. Every refusal costs the same number of hashes and shows a client the same words.
 *
 * @param cost  of a hash that is computed although there is none to compare with
 * @throws Refusal `hashQueueFull` (LDAP busy) when too many hashes are waiting
 * @see specification document 1, "Passwords" and "Disabled accounts"
 */
export async function judgePassword(hasher: Hasher, cost: HashCost, presented: Presented): Promise<Judgement> {
  const { account, password, mode } = presented;
  // The hash comes first and always: nothing that is known of the entry may shorten the work.
  const verified = verifiesPasswords(mode)
    ? await hasher.verify(password, account?.passwordHash, cost)
    : { matches: text(password) !== reservedPassword };

  if (account === undefined) return refused(errors.nameUnknown);
  if (account.bar !== undefined) return refused(bars[account.bar]);
  if (!verified.matches) {
    const row = verifiesPasswords(mode) && account.passwordHash === undefined ? errors.passwordAbsent : errors.passwordWrong;
    return refused(row, 'fault' in verified ? verified.fault : undefined);
  }
  if (account.mustChange && refusesPasswordsToChange(mode) && !presented.mayChangeHere) return refused(errors.passwordToChange);
  return 'renewed' in verified ? { kind: 'accepted', renewed: verified.renewed } : { kind: 'accepted' };
}

/**
 * Judges a proof by SCRAM, as `judgePassword` a password.
 *
 * @param hasVerifier  whether there is something to prove the password against
 * @returns the row of the refusal; `undefined` when it is accepted
 */
export function scramJudgement(account: Account | undefined, hasVerifier: boolean, proves: boolean, mode: Mode): ErrorRow | undefined {
  if (account === undefined) return errors.nameUnknown;
  if (account.bar !== undefined) return bars[account.bar];
  if (!hasVerifier) return errors.passwordAbsent;
  if (!proves) return errors.passwordWrong;
  return account.mustChange && refusesPasswordsToChange(mode) ? errors.passwordToChange : undefined;
}

const bars: Readonly<Record<Bar, ErrorRow>> = {
  disabled: errors.accountDisabled,
  early: errors.accountEarly,
  late: errors.accountLate,
};

function refused(row: ErrorRow, fault?: ErrorRow): Judgement {
  return fault === undefined ? { kind: 'refused', row } : { kind: 'refused', row, fault };
}
