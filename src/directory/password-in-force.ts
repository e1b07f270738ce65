import { builtInPasswordPolicy, inForce, type PasswordPolicy, readPasswordPolicy } from '#policy';
import type { Snapshot } from '#store';
import type { Engine } from './engine.ts';
import { passwordPolicyClass, policyValues } from './policy-values.ts';
import type { Name, Realm } from './realm.ts';

/** The password policy in force in a realm: its own, the default realm's, or what is built in. */
export function passwordPolicyIn(
  { schema, realms, passwordStanding }: Pick<Engine, 'schema' | 'realms' | 'passwordStanding'>,
  snapshot: Snapshot,
  realm: Realm,
): PasswordPolicy {
  const standing = passwordStanding ?? builtInPasswordPolicy;
  const policyAt = (name: Name) => {
    const values = policyValues(schema, snapshot, name, passwordPolicyClass);
    return values && readPasswordPolicy(values, standing);
  };
  const first = policyAt(realms.default.passwordPolicy);
  const own = realm === realms.default ? first : policyAt(realm.passwordPolicy);
  return inForce(own, first, standing).value;
}
