import { equalBytes, text, utf8 } from '#base';
import { refuse } from '#catalogue';
import type { PasswordDoor } from '#credentials';
import { enforcesPasswords, passwordAge, passwordTooYoungS } from '#policy';
import type { Snapshot, StoredEntry } from '#store';
import type { Call } from './call.ts';
import { warnOfPassword } from './controls/password-policy.ts';
import { generalizedTime } from './csn.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { passwordPolicyIn } from './password-in-force.ts';
import { changedKey, changedName, graceKey, graceName, momentOf, timesOf } from './password-times.ts';
import type { Realm } from './realm.ts';
import { type Attributes, attributesOf } from './record.ts';
import { unnoticed } from './unnoticed.ts';
import { commit } from './write.ts';

const resetKey = 'pwdreset';

/**
 * Judges the age of a password that was found right: refuses one that has expired, notes a grace sign-in, and has who asks for it warned. Not in development
 * mode, and only at the doors that can take nothing but a password: the sign-in page has it changed there, and what applications show is no person's.
 *
 * @throws Refusal `passwordExpired` (49); `contended` (51)
 * @see draft-behera-ldap-password-policy §7.1
 */
export async function admitByAge(call: Call, realm: Realm, entry: StoredEntry, door: PasswordDoor): Promise<void> {
  const { engine, controls } = call;
  if (!judgesAge(realm, door)) return;
  const policy = passwordPolicyIn(engine, engine.store.snapshot(), realm);
  if (policy.maxAgeS === 0) return;
  const nowMs = engine.clock.nowMs();
  const age = passwordAge(policy, timesOf(entry), nowMs);
  switch (age.kind) {
    case 'good':
      return;
    case 'expiring':
      return warnOfPassword(controls, { kind: 'expires', inS: age.leftS });
    case 'expired':
      throw refuse(errors.passwordExpired);
    case 'grace':
      return warnOfPassword(controls, { kind: 'grace', left: await useGrace(engine, entry.uuid, policy) });
  }
}

/** Whether the age of a password is judged where it is presented. */
export function judgesAge({ mode }: Pick<Realm, 'mode'>, door: PasswordDoor): boolean {
  return enforcesPasswords(mode) && door !== 'browser' && door !== 'client';
}

/** Notes a grace sign-in where one is left by now: as many as come at once are counted one behind the other. @returns how many are left after it */
async function useGrace(engine: Engine, uuid: string, policy: Parameters<typeof passwordAge>[0]): Promise<number> {
  let left = 0;
  await commit(engine, (look) => {
    const snapshot = look();
    const entry = snapshot.byUuid(uuid);
    if (entry === undefined) throw refuse(errors.passwordExpired);
    const nowMs = engine.clock.nowMs();
    const age = passwordAge(policy, timesOf(entry), nowMs);
    // Somebody has changed it meanwhile: the one that was judged is gone.
    if (age.kind !== 'grace') throw refuse(errors.passwordExpired);
    left = age.left;
    const attributes = new Map(attributesOf(engine.schema, entry));
    const values = attributes.get(graceKey)?.values ?? [];
    attributes.set(graceKey, { description: graceName, values: [...values, utf8(anotherTime(values, nowMs))] });
    return unnoticed(engine, snapshot, entry, attributes, new Set([graceKey]));
  });
  return left;
}

/** A time with a fraction of a second that none of the values has: they are as many as the sign-ins. */
function anotherTime(values: readonly Uint8Array[], nowMs: number): string {
  const taken = new Set(values.map((value) => text(value)));
  const second = generalizedTime(nowMs).slice(0, -1);
  for (let micros = (nowMs % 1000) * 1000; ; micros++) {
    const time = `${second}.${String(micros).padStart(6, '0')}Z`;
    if (!taken.has(time)) return time;
  }
}

/** How a password comes to be another one. */
export interface PasswordSet {
  readonly was: Uint8Array | undefined;
  readonly is: Uint8Array | undefined;
  /** By its owner; not so where somebody else sets it. */
  readonly byOwner: boolean;
}

/**
 * What the directory notes of a password that is set: when, and that no grace sign-in of it was used. A password that is taken away leaves nothing.
 *
 * @param old  the attributes as they were
 * @throws Refusal `passwordYoung` (19) where its owner sets another sooner than the policy allows; one that was reset or has expired is never too young
 * @see draft-behera-ldap-password-policy §8.2.7
 */
export function settleAge(
  engine: Engine,
  snapshot: Snapshot,
  realm: Realm,
  attributes: Attributes,
  old: Attributes,
  { was, is, byOwner }: PasswordSet,
): void {
  if (was !== undefined && is !== undefined && equalBytes(was, is)) return;
  if (was === undefined && is === undefined) return;
  const nowMs = engine.clock.nowMs();
  if (
    byOwner &&
    is !== undefined &&
    was !== undefined &&
    enforcesPasswords(realm.mode) &&
    text(old.get(resetKey)?.values[0] ?? utf8('')) !== 'TRUE'
  ) {
    const waitS = passwordTooYoungS(passwordPolicyIn(engine, snapshot, realm), momentOf(old.get(changedKey)?.values[0]), nowMs);
    if (waitS > 0) throw refuse(errors.passwordYoung, { wait: words(waitS) });
  }
  attributes.delete(graceKey);
  if (is === undefined) attributes.delete(changedKey);
  else attributes.set(changedKey, { description: changedName, values: [utf8(generalizedTime(nowMs))] });
}

/** The same of a new entry, whose password may have its time with it. */
export function settleAgeOfNew({ clock }: Pick<Engine, 'clock'>, attributes: Attributes, password: Uint8Array | undefined): void {
  if (password === undefined || attributes.has(changedKey)) return;
  attributes.set(changedKey, { description: changedName, values: [utf8(generalizedTime(clock.nowMs()))] });
}

function words(seconds: number): string {
  const [count, unit] =
    seconds < 120 ? [seconds, 'second'] : seconds < 7200 ? [Math.ceil(seconds / 60), 'minute'] : [Math.ceil(seconds / 3600), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
