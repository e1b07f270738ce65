import { text } from '#base';
import { decodeAttributes } from '#ldap';
import { builtInPasswordPolicy, inForce, type PasswordPolicy, readPasswordPolicy } from '#policy';
import type { Snapshot } from '#store';
import type { Engine } from './engine.ts';
import type { Name, Realm } from './realm.ts';

/** The password policy in force in a realm: its own, the default realm's, or what is built in. */
export function passwordPolicyIn(
  { realms, passwordStanding }: Pick<Engine, 'realms' | 'passwordStanding'>,
  snapshot: Snapshot,
  realm: Realm,
): PasswordPolicy {
  const standing = passwordStanding ?? builtInPasswordPolicy;
  const first = policyAt(realms.default.passwordPolicy, snapshot, standing);
  const own = realm === realms.default ? first : policyAt(realm.passwordPolicy, snapshot, standing);
  return inForce(own, first, standing).value;
}

/** The policy of an entry; `undefined` when it is not there. */
function policyAt({ key }: Pick<Name, 'key'>, snapshot: Snapshot, standing: PasswordPolicy): PasswordPolicy | undefined {
  const entry = snapshot.byDnKey(key);
  if (entry === undefined) return undefined;
  const attributes = decodeAttributes(entry.user);
  const values = (attribute: string) =>
    (attributes.find(({ description }) => description.toLowerCase() === attribute)?.values ?? []).flatMap((value) => text(value) ?? []);
  return readPasswordPolicy(values, standing);
}
