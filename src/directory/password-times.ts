import { text } from '#base';
import { decodeAttributes } from '#ldap';
import { enforcesPasswords, type PasswordTimes, passwordExpiryMs } from '#policy';
import { normalTime } from '#schema';
import type { Snapshot, StoredEntry } from '#store';
import { generalizedTime } from './csn.ts';
import type { Engine } from './engine.ts';
import { passwordPolicyIn } from './password-in-force.ts';
import type { Realm } from './realm.ts';
import { realmOf } from './realms.ts';

export const changedName = 'pwdChangedTime';
export const changedKey = changedName.toLowerCase();
export const graceName = 'pwdGraceUseTime';
export const graceKey = graceName.toLowerCase();

/** What an entry says of its password's age. */
export function timesOf({ operational }: Pick<StoredEntry, 'operational'>): PasswordTimes {
  let changedMs: number | undefined;
  let graceUses = 0;
  for (const { description, values } of decodeAttributes(operational)) {
    const key = description.toLowerCase();
    if (key === changedKey) changedMs = momentOf(values[0]);
    else if (key === graceKey) graceUses = values.length;
  }
  return { changedMs, graceUses };
}

/** @returns milliseconds; `undefined` for what is no time */
export function momentOf(value: Uint8Array | undefined): number | undefined {
  const normal = value === undefined ? undefined : normalTime(text(value) ?? '');
  if (normal === undefined) return undefined;
  const [, year, month, day, hour, minute, second, fraction = ''] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d*)$/.exec(normal) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
}

type Desk = Pick<Engine, 'schema' | 'realms' | 'passwordStanding' | 'clock'>;

/** Whether an entry's password has expired by the policy in force, whatever grace sign-ins are left. */
export function hasExpired(engine: Desk, snapshot: Snapshot, realm: Realm, entry: Pick<StoredEntry, 'operational'>): boolean {
  const expiresMs = passwordExpiryIn(engine, snapshot, realm, entry);
  return expiresMs !== undefined && expiresMs <= engine.clock.nowMs();
}

/** When an entry's password expires by the policy in force; `undefined` for never. */
export function passwordExpiryIn(
  engine: Desk,
  snapshot: Snapshot,
  realm: Realm,
  entry: Pick<StoredEntry, 'operational'>,
): number | undefined {
  if (!enforcesPasswords(realm.mode)) return undefined;
  const policy = passwordPolicyIn(engine, snapshot, realm);
  return policy.maxAgeS === 0 ? undefined : passwordExpiryMs(policy, timesOf(entry).changedMs);
}

/** `stsPasswordExpires`; nothing of a password that never does, nor of who has none. */
export function expiryOfPassword(engine: Desk, snapshot: Snapshot, entry: StoredEntry | undefined): readonly string[] {
  const realm = entry && realmOf(engine, snapshot, entry.dnKey);
  if (entry === undefined || realm === undefined) return [];
  const expiresMs = passwordExpiryIn(engine, snapshot, realm, entry);
  return expiresMs === undefined ? [] : [generalizedTime(expiresMs)];
}
