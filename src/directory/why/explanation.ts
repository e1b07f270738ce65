import { addressOctets, utf8 } from '#base';
import { refuse } from '#catalogue';
import {
  type Account,
  appPasswordRules,
  type Circumstances,
  credentialsErrors,
  judgeMatches,
  judgePassword,
  ownPasswordRules,
  type PasswordDoor,
  readStoredPassword,
  type StoredAppPassword,
} from '#credentials';
import { passwordAge, protectsPasswords, verifiesPasswords } from '#policy';
import type { Snapshot, StoredEntry } from '#store';
import { askerOf } from '../access/asker.ts';
import type { Origin } from '../access/networks.ts';
import { anonymous, signingIn } from '../account.ts';
import type { Call } from '../call.ts';
import { hashCost } from '../engine.ts';
import { errors } from '../errors.ts';
import { judgesAge } from '../password-age.ts';
import { passwordPolicyIn } from '../password-in-force.ts';
import { timesOf } from '../password-times.ts';
import type { Realm } from '../realm.ts';
import { type Applied, appliedBy, noApplication } from './application.ts';
import { type Browsing, ofBrowser } from './browser.ts';
import { passes, refuses, says, type WhyRow } from './row.ts';
import { atPage } from './situation.ts';

/** Whose sign-in is explained, by which door and from where; with a password that is judged, or without. */
export interface WhyAsked {
  readonly realm: Realm;
  readonly entry: StoredEntry;
  readonly door: PasswordDoor;
  readonly origin: Origin;
  readonly password: Uint8Array | undefined;
  /** The client id of the application to which they sign in at the sign-in page. */
  readonly application?: string | undefined;
}

/**
 * What lets a person through a door or keeps them out, rule by rule in the order in which a bind is judged. It asks what the doors ask (`identify`), moves no
 * counter, notes no use and keeps nothing.
 *
 * @throws Refusal `hashQueueFull` (51), where a password is to be judged
 */
export async function whyOf(call: Call, asked: WhyAsked): Promise<readonly WhyRow[]> {
  const { engine } = call;
  const { realm, entry, door, origin } = asked;
  const snapshot = engine.store.snapshot();
  const { mode, settings } = realm;
  const nowMs = engine.clock.nowMs();
  const circumstances: Circumstances = { mode, door, address: origin.address, aloneDoors: settings['authn.passwordAloneDoors'], nowMs };
  const account = signingIn(call, snapshot, realm, entry, circumstances);
  const place = ofPlace(asked);
  const access = ofAccess(call, snapshot, asked);
  const limits = await ofLimits(call, asked);
  const barred = ofBar(entry, account, circumstances);
  const own = ofOwnPassword(call, asked, account, circumstances);
  const rows =
    door === 'browser'
      ? await atBrowser(call, snapshot, asked, { account, place: [...place, limits], access, barred, password: own })
      : [...place, access, limits, barred, ...own, ...ofAppPasswords(account, circumstances)];
  return asked.password === undefined ? rows : [...rows, await ofGiven(call, asked, account, circumstances, rows)];
}

async function atBrowser(
  call: Call,
  snapshot: Snapshot,
  asked: WhyAsked,
  judged: Pick<Browsing, 'place' | 'access' | 'barred' | 'password'> & { readonly account: Account },
): Promise<readonly WhyRow[]> {
  const { realm, entry, application } = asked;
  const applied: Applied = application === undefined ? noApplication : appliedBy(call, snapshot, realm, entry, application);
  const at = await atPage(call.engine, snapshot, asked, applied.demand, judged.account.mustChange);
  return ofBrowser({ dn: entry.dn, at, applied, ...judged });
}

/** What is judged before it is known who it is. */
function ofPlace({ realm, origin, door }: WhyAsked): WhyRow[] {
  const { id, mode, state } = realm;
  const inRealm = `the realm is ${id}, in ${mode} mode${verifiesPasswords(mode) ? '' : ': passwords are not checked there'}`;
  const isOpen = !protectsPasswords(mode) || origin.secure || origin.loopback || door === 'browser';
  return [
    state === 'removing' ? refuses('realm', errors.realmRemoving, realm.entry?.dn ?? '') : passes('realm', inRealm),
    isOpen
      ? passes('protection', 'the connection may carry a password')
      : refuses('protection', errors.passwordUnprotected, 'ldaps, or StartTLS; on this machine neither is needed'),
  ];
}

function ofAccess({ engine }: Call, snapshot: Snapshot, { realm, entry, origin }: WhyAsked): WhyRow {
  const { mayAuth } = askerOf(engine, anonymous, origin, snapshot).rightsAt(entry, snapshot);
  if (mayAuth) return passes('access', 'rules of access let somebody sign in as this entry from there');
  const words = 'rules of access let nobody sign in as this entry from there; it is answered like a name that nobody has';
  return { ...refuses('access', credentialsErrors.nameUnknown, realm.rules.text), words };
}

async function ofLimits({ engine }: Call, { realm, entry, origin }: WhyAsked): Promise<WhyRow> {
  const isFull = await engine.attempts.isFull({ realm: realm.id, identity: entry.dn, address: origin.address });
  return isFull
    ? refuses('attempts', errors.attemptsLimited, 'security.rateLimitPerIdentity, security.rateLimitPerAddress, security.rateLimitWindowS')
    : passes('attempts', 'neither the name nor the address has failed too often in this window');
}

const right = { own: { matches: true }, app: undefined } as const;

function ofBar({ dn }: StoredEntry, account: Account, circumstances: Circumstances): WhyRow {
  const judged = judgeMatches({ ...circumstances, account }, right);
  if (account.bar === undefined || judged.kind === 'accepted')
    return passes('account', 'the account is neither disabled nor out of its time');
  const attribute = { disabled: 'pwdAccountLockedTime', early: 'stsValidFrom', late: 'stsValidUntil' }[account.bar];
  return refuses('account', judged.row, `${attribute} of ${dn}`);
}

const secondFactorRule = 'second-factor';

/** What to change where a rule of the own password refuses. */
const changes: Readonly<Record<string, (dn: string) => string>> = {
  [secondFactorRule]: (dn) => `an app password of ${dn}, or authn.passwordAloneDoors`,
  'must-change': (dn) => `pwdReset of ${dn}: the person changes it at the sign-in page`,
};

function ofOwnPassword({ engine }: Call, { realm, entry }: WhyAsked, account: Account, circumstances: Circumstances): WhyRow[] {
  const { passwordHash } = account;
  const { mode, door, nowMs } = circumstances;
  // At a browser both are asked for in place of a refusal: the sign-in page says which.
  const rules =
    door === 'browser'
      ? []
      : ownPasswordRules.map(({ name, row, refuses: holds }) =>
          holds(account, circumstances)
            ? refuses(name, row, changes[name]?.(entry.dn) ?? entry.dn)
            : passes(name, fine[name] ?? 'it does not apply'),
        );
  if (!verifiesPasswords(mode)) return [passes('password', 'any but "invalid" is taken'), ...rules];
  const absent = refuses('password', credentialsErrors.passwordAbsent, `userPassword of ${entry.dn}`);
  if (passwordHash === undefined) return [absent];
  const stored = [
    passes('password', `there is one, kept as ${/^\{[^}]*\}/.exec(passwordHash)?.[0] ?? 'something unknown'}`),
    ofHash(engine.hasher, entry, passwordHash),
  ];
  if (!judgesAge(realm, door)) return [...stored, ...rules];
  const policy = passwordPolicyIn(engine, engine.store.snapshot(), realm);
  const age = policy.maxAgeS === 0 ? ({ kind: 'good' } as const) : passwordAge(policy, timesOf(entry), nowMs);
  const aged =
    age.kind === 'expired'
      ? refuses('age', errors.passwordExpired, `userPassword of ${entry.dn}, or pwdMaxAge of ${realm.passwordPolicy.text}`)
      : passes(
          'age',
          age.kind === 'grace' ? 'it has expired: one of a few sign-ins that are left is used up by each' : 'it has not expired',
        );
  return [...stored, ...rules, aged];
}

const fine: Readonly<Record<string, string>> = {
  [secondFactorRule]: 'the password alone is enough at this door',
  'must-change': 'it need not be changed first, or can be there',
};

function ofHash(hasher: Parameters<typeof readStoredPassword>[0], { dn }: StoredEntry, hash: string): WhyRow {
  try {
    readStoredPassword(hasher, utf8(hash), 'any');
    return passes('hash', 'it can be read');
  } catch {
    return refuses('hash', credentialsErrors.passwordWrong, `userPassword of ${dn}: its hash cannot be read, and no password is right`);
  }
}

function ofAppPasswords({ appPasswords = [] }: Account, circumstances: Circumstances): WhyRow[] {
  if (appPasswords.length === 0) return [says('app passwords', 'there are none')];
  return appPasswords.map((each) => {
    const rule = `app password ${JSON.stringify(each.name)}`;
    const failing = appPasswordRules.find(({ refuses: holds }) => holds(each, circumstances));
    if (failing === undefined) return passes(rule, 'it would be taken at this door');
    // Who asks through a socket, and does not say from where, comes from no network.
    if (failing.name === 'network' && addressOctets(circumstances.address) === undefined)
      return says(rule, `it is taken at this door from ${(each.networks ?? []).join(', ')} alone: say from where to know more`);
    return refuses(rule, failing.row, anotherOf(each));
  });
}

function anotherOf({ id }: StoredAppPassword): string {
  return `app password ${id}: revoke it and make another`;
}

/** The judgement itself, of the doors. @param rows  what is said of the rules by themselves */
async function ofGiven(
  { engine }: Call,
  { realm, entry, password, door }: WhyAsked,
  account: Account,
  circumstances: Circumstances,
  rows: readonly WhyRow[],
): Promise<WhyRow> {
  if (password === undefined) throw refuse(errors.internal);
  const { matches, ...judged } = await judgePassword(engine.hasher, hashCost(realm), { ...circumstances, account, password });
  if (judged.kind === 'refused') {
    const { row } = judged;
    const change = rows.find(({ code }) => code === row.code)?.change ?? `userPassword of ${entry.dn}`;
    const ofApp = door === 'browser' ? 'none: an app password opens no browser' : matches.app && anotherOf(matches.app);
    return refuses('given password', row, matches.app === undefined || account.bar !== undefined ? change : (ofApp ?? change));
  }
  return passes(
    'given password',
    judged.by === 'appPassword' ? `it is the app password ${JSON.stringify(judged.used.name)}, and right` : 'it is their own, and right',
  );
}
