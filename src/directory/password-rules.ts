import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { generatePassword } from '#keys';
import { decodeAttributes } from '#ldap';
import { enforcesPasswords, faultOfPassword } from '#policy';
import type { Snapshot, StoredEntry } from '#store';
import { generalizedTime } from './csn.ts';
import { type Engine, hashCost } from './engine.ts';
import { errors } from './errors.ts';
import { passwordPolicyIn } from './password-in-force.ts';
import type { Realm } from './realm.ts';
import type { Attributes } from './record.ts';

/** The attribute, secret as the password itself, in which the hashes of old passwords are kept, as draft-behera-ldap-password-policy §5.3.5 has it. */
const historyName = 'pwdHistory';
const historyKey = historyName.toLowerCase();
const octetString = '1.3.6.1.4.1.1466.115.121.1.40';

/** More are never kept: to set a password costs a hash for each. */
const historyMax = 24;

/** No policy can ask for more than what begins a password of this size. */
const judgedOctets = 4096;

/**
 * Holds a password that is to be set, in clear, to the policy of its realm. Not in development mode.
 *
 * @throws Refusal `passwordWeak` (19) with the rule that it does not keep; `passwordCommon` (19)
 */
export function checkPassword(engine: Engine, realm: Realm, password: Uint8Array): void {
  if (!enforcesPasswords(realm.mode)) return;
  const judged = password.subarray(0, judgedOctets);
  // What is no text has octets for characters.
  const typed = text(judged) ?? Buffer.from(judged).toString('latin1');
  const fault = faultOfPassword(passwordPolicyIn(engine, engine.store.snapshot(), realm), typed);
  if (fault !== undefined) throw refuse(errors.passwordWeak, { ...fault });
  if (engine.commonPasswords?.has(typed) === true) throw refuse(errors.passwordCommon);
}

/** A password that keeps the policy in force. */
export function generatedPassword(engine: Engine, snapshot: Snapshot, realm: Realm): string {
  return generatePassword(engine.chance, passwordPolicyIn(engine, snapshot, realm));
}

/**
 * Refuses a password that its owner had lately. It costs a hash for each old one.
 *
 * @throws Refusal `passwordUsed` (19); `hashQueueFull` (51)
 */
export async function checkHistory(engine: Engine, realm: Realm, entry: StoredEntry, password: Uint8Array): Promise<void> {
  if (!enforcesPasswords(realm.mode)) return;
  const { history } = passwordPolicyIn(engine, engine.store.snapshot(), realm);
  const kept = decodeAttributes(entry.secret);
  const of = (key: string) => kept.find(({ description }) => description.toLowerCase() === key)?.values ?? [];
  const hashes = [...of('userpassword').map((value) => text(value) ?? ''), ...newestFirst(of(historyKey)).map(hashOf)].slice(0, history);
  for (const hash of hashes) {
    if ((await engine.hasher.verify(password, hash, hashCost(realm))).matches) throw refuse(errors.passwordUsed, { count: history });
  }
}

/** Keeps the hash of a password that another takes the place of, in development mode too; one that was renewed or taken away is kept alike. */
export function settleHistory(
  engine: Engine,
  snapshot: Snapshot,
  realm: Realm,
  attributes: Attributes,
  was: Uint8Array | undefined,
  is: Uint8Array | undefined,
): void {
  if (was === undefined || (is !== undefined && Buffer.compare(was, is) === 0)) return;
  const { history } = passwordPolicyIn(engine, snapshot, realm);
  // The password in force is one of the last.
  const most = Math.min(historyMax, Math.max(0, history - 1));
  const hash = text(was) ?? '';
  const one = utf8(`${generalizedTime(engine.clock.nowMs())}#${octetString}#${Buffer.byteLength(hash)}#${hash}`);
  const values = [one, ...newestFirst(attributes.get(historyKey)?.values ?? [])].slice(0, most);
  if (values.length === 0) attributes.delete(historyKey);
  else attributes.set(historyKey, { description: historyName, values });
}

/** Each begins with its time. Of one time the order in which they stand counts. */
function newestFirst(values: readonly Uint8Array[]): readonly Uint8Array[] {
  return values.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));
}

function timeOf(value: Uint8Array): string {
  return (text(value) ?? '').slice(0, (text(value) ?? '').indexOf('#'));
}

function hashOf(value: Uint8Array): string {
  return (text(value) ?? '').split('#').slice(3).join('#');
}
