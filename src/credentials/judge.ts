import { text } from '#base';
import type { ErrorRow } from '#catalogue';
import type { AppPasswordScope, Bar } from '#holdings';
import type { HashCost, Hasher, Verified } from '#keys';
import { type Mode, refusesPasswordsToChange, reservedPassword, verifiesPasswords } from '#policy';
import { appPasswordForm, mayComeFrom, type StoredAppPassword } from './app-password.ts';
import { errors } from './errors.ts';

/** What an entry says about signing in as it. */
export interface Account {
  /** The stored hash, `{SCRYPT}…` or one of `foreignSchemes`; `undefined` when it has no password. */
  readonly passwordHash: string | undefined;
  /** What keeps everybody out at this moment. */
  readonly bar: Bar | undefined;
  /** `pwdReset` is TRUE. */
  readonly mustChange: boolean;
  /** By default none. */
  readonly appPasswords?: readonly StoredAppPassword[];
  /** A second factor is held, or required: the password alone is not enough. By default neither. */
  readonly needsSecondFactor?: boolean;
}

/**
 * Where a password is presented: at a door that can take nothing else, where the person has a browser and can be asked for more, or where applications show their
 * secrets (`client`).
 */
export type PasswordDoor = AppPasswordScope | 'browser' | 'client';

/** What is known of somebody who presents a password, beside the password. */
export interface Circumstances {
  readonly mode: Mode;
  readonly door: PasswordDoor;
  /** Of the client, as text. */
  readonly address: string;
  /** `authn.passwordAloneDoors`: there the password alone is enough, whatever the person holds. */
  readonly aloneDoors: readonly string[];
  readonly nowMs: number;
}

/** A password that someone presents, and where. */
export interface Presented extends Circumstances {
  readonly password: Uint8Array;
  /** `undefined` when no entry has the name. */
  readonly account: Account | undefined;
}

export type Judgement =
  | Accepted
  | { readonly kind: 'refused'; readonly row: ErrorRow /** The stored hash itself was unusable. */; readonly fault?: ErrorRow };

export type Accepted =
  /** `renewed` is what to store in the place of a hash of another system. */
  | { readonly kind: 'accepted'; readonly by: 'ownPassword'; readonly renewed?: string }
  | { readonly kind: 'accepted'; readonly by: 'appPassword'; readonly used: StoredAppPassword };

/** Which of an account's secrets a presented password is. */
export interface Matches {
  readonly own: Verified;
  readonly app: StoredAppPassword | undefined;
}

/** A reason to refuse a password that is right. */
interface Rule<Subject> {
  readonly name: string;
  readonly row: ErrorRow;
  readonly refuses: (subject: Subject, circumstances: Circumstances) => boolean;
}

/**
 * Why somebody's own password is refused although it is right: the first that holds. What is answered like a wrong password comes before what tells that it
 * is right.
 *
 * @see specification document 1, "Password-only doors and app passwords"
 */
export const ownPasswordRules: readonly Rule<Account>[] = [
  { name: 'second-factor', row: errors.passwordAlone, refuses: isAloneTooLittle },
  {
    name: 'must-change',
    row: errors.passwordToChange,
    refuses: ({ mustChange }, { mode, door }) => mustChange && refusesPasswordsToChange(mode) && door !== 'browser',
  },
];

/** The same of an app password. That a new password is due is nothing to it. */
export const appPasswordRules: readonly Rule<StoredAppPassword>[] = [
  { name: 'scope', row: errors.appPasswordElsewhere, refuses: ({ scopes }, { door }) => !scopes.some((each) => each === door) },
  {
    name: 'expiry',
    row: errors.appPasswordExpired,
    refuses: ({ expiresMs }, { nowMs }) => expiresMs !== undefined && expiresMs <= nowMs,
  },
  { name: 'network', row: errors.appPasswordFromElsewhere, refuses: (used, { address }) => !mayComeFrom(used, address) },
];

/**
 * Judges a presented password. Every refusal costs the same number of hashes and shows a client the same words.
 *
 * What is presented says how many: one that can be an app password is held against the own password and against the set of app passwords, two hashes,
 * however many of them there are and whether there are any; every other one against the own password alone.
 *
 * @param cost  of a hash that is computed although there is none to compare with
 * @throws Refusal `hashQueueFull` (LDAP busy) when too many hashes are waiting
 * @see specification document 1, "Passwords" and "Disabled accounts"
 */
export async function judgePassword(
  hasher: Hasher,
  cost: HashCost,
  presented: Presented,
): Promise<Judgement & { readonly matches: Matches }> {
  // The hashes come first and always: nothing that is known of the entry may shorten the work.
  const matches = await matchesOf(hasher, cost, presented);
  return { ...judgeMatches(presented, matches), matches };
}

async function matchesOf(hasher: Hasher, cost: HashCost, { account, password, mode }: Presented): Promise<Matches> {
  if (!verifiesPasswords(mode)) return { own: { matches: text(password) !== reservedPassword }, app: undefined };
  const form = appPasswordForm(password);
  const own = hasher.verify(password, account?.passwordHash, cost);
  if (form === undefined) return { own: await own, app: undefined };
  const { appPasswords = [] } = account ?? {};
  const hashes = appPasswords.map(({ hash }) => hash);
  const [verified, { index }] = await Promise.all([own, hasher.findInSet(form, hashes, cost)]);
  return { own: verified, app: index === undefined ? undefined : appPasswords[index] };
}

/** Judges a password of which it is known what it is. */
export function judgeMatches({ account, ...circumstances }: Omit<Presented, 'password'>, { own, app }: Matches): Judgement {
  if (account === undefined) return refused(errors.nameUnknown);
  if (account.bar !== undefined) return refused(bars[account.bar]);
  if (own.matches) {
    const rule = ownPasswordRules.find(({ refuses }) => refuses(account, circumstances));
    if (rule !== undefined) return refused(rule.row);
    return { kind: 'accepted', by: 'ownPassword', ...(own.renewed === undefined ? {} : { renewed: own.renewed }) };
  }
  if (app !== undefined) {
    const rule = appPasswordRules.find(({ refuses }) => refuses(app, circumstances));
    return rule === undefined ? { kind: 'accepted', by: 'appPassword', used: app } : refused(rule.row);
  }
  const isAbsent = verifiesPasswords(circumstances.mode) && account.passwordHash === undefined;
  return refused(isAbsent ? errors.passwordAbsent : errors.passwordWrong, own.fault);
}

/**
 * Judges a proof by SCRAM, as `judgePassword` a password. It is of the own password: of app passwords no verifiers are kept.
 *
 * @param hasVerifier  whether there is something to prove the password against
 * @returns the row of the refusal; `undefined` when it is accepted
 */
export function scramJudgement(
  account: Account | undefined,
  hasVerifier: boolean,
  proves: boolean,
  circumstances: Circumstances,
): ErrorRow | undefined {
  if (account === undefined) return errors.nameUnknown;
  if (account.bar !== undefined) return bars[account.bar];
  if (!hasVerifier) return errors.passwordAbsent;
  if (!proves) return errors.passwordWrong;
  return ownPasswordRules.find(({ refuses }) => refuses(account, circumstances))?.row;
}

/** Whether the own password is refused where nothing can be asked for beside it. Not in development mode. */
export function isAloneTooLittle({ needsSecondFactor = false }: Account, { mode, door, aloneDoors }: Circumstances): boolean {
  return needsSecondFactor && verifiesPasswords(mode) && door !== 'browser' && !aloneDoors.includes(door);
}

const bars: Readonly<Record<Bar, ErrorRow>> = {
  disabled: errors.accountDisabled,
  early: errors.accountEarly,
  late: errors.accountLate,
};

function refused(row: ErrorRow, fault?: ErrorRow): Judgement {
  return fault === undefined ? { kind: 'refused', row } : { kind: 'refused', row, fault };
}
