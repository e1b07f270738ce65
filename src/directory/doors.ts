import { equalBytes, text } from '#base';
import { type Circumstances, isAloneTooLittle, type PasswordDoor } from '#credentials';
import { appPasswordScopes, type Holdings, holdingsOf } from '#holdings';
import { type AuthnPolicy, builtInAuthnPolicy, type InForce, inForce, readAuthnPolicy, takesEmail } from '#policy';
import type { Snapshot, StoredEntry } from '#store';
import { administersByRole } from './administrators.ts';
import { isApplication } from './applications.ts';
import type { Call } from './call.ts';
import { door } from './controls/door.ts';
import type { Engine } from './engine.ts';
import { totpCredentialKey } from './holders.ts';
import { authnPolicyClass, policyValues } from './policy-values.ts';
import type { Realm } from './realm.ts';
import { type Attributes, attributesOf } from './record.ts';

/**
 * By which door a password comes, and from where. A door that the web layer names and that is none of those which can take nothing but a password is a
 * browser's; all that comes over LDAP itself, by whichever listener, is of the door `ldap`.
 */
export function circumstancesOf(
  { engine, connection, controls }: Pick<Call, 'engine' | 'connection' | 'controls'>,
  { mode, settings }: Pick<Realm, 'mode' | 'settings'>,
): Circumstances {
  const outer = controls.of(door);
  return {
    mode,
    door: outer === undefined && connection.door !== 'web' ? 'ldap' : doorNamed(outer?.door),
    address: outer?.address ?? connection.address,
    aloneDoors: settings['authn.passwordAloneDoors'],
    nowMs: engine.clock.nowMs(),
  };
}

/** Where applications show their secrets. */
const clientDoor = 'client';

function doorNamed(name: string | undefined): PasswordDoor {
  return appPasswordScopes.find((scope) => scope === name) ?? (name === clientDoor ? clientDoor : 'browser');
}

/**
 * Whether the password alone is not enough for somebody at a door that can take nothing else: they hold a second factor, or one is required of them. Not looked
 * at where it makes no difference.
 *
 * @see specification document 1, "Password-only doors and app passwords", "Requiring a second factor"
 */
export function needsSecondFactor(
  engine: Engine,
  snapshot: Snapshot,
  realm: Realm,
  entry: StoredEntry,
  circumstances: Circumstances,
): boolean {
  if (!isAloneTooLittle({ passwordHash: undefined, bar: undefined, mustChange: false, needsSecondFactor: true }, circumstances))
    return false;
  if (isApplication(engine.schema, realm, entry)) return false;
  const { value: policy } = authnPolicyIn(engine, snapshot, realm);
  return holds(attributesOf(engine.schema, entry), policy) || requiresSecondFactor(engine, snapshot, realm, entry, policy);
}

/** Whether a second factor is required of somebody, whatever they hold. */
export function requiresSecondFactor(
  engine: Engine,
  snapshot: Snapshot,
  realm: Realm,
  entry: StoredEntry,
  policy: Pick<AuthnPolicy, 'requireSecondFactor' | 'requireSecondFactorForAdministrators'>,
): boolean {
  return (
    policy.requireSecondFactor === 'always' ||
    isRequiredOf(attributesOf(engine.schema, entry)) ||
    isRequiredByRole(engine, snapshot, realm, entry, policy)
  );
}

/** Whether somebody holds a second factor, or a key that is all they need. */
export function holdsSecondFactor(engine: Engine, snapshot: Snapshot, realm: Realm, entry: StoredEntry): boolean {
  return holds(attributesOf(engine.schema, entry), authnPolicyIn(engine, snapshot, realm).value);
}

export function isRequiredOf(attributes: Attributes): boolean {
  return textsOf(attributes, 'stsMfaRequired')[0]?.toUpperCase() === 'TRUE';
}

/** What a person wants to be mailed is a factor where the policy takes mail, also while it is turned off for having failed too often. */
function holds(attributes: Attributes, policy: AuthnPolicy): boolean {
  if (attributes.has(totpCredentialKey)) return true;
  if (!attributes.has('stswebauthncredential') && !attributes.has('stsemailfactor')) return false;
  const { keys, email } = heldBy(attributes);
  const isMailed = takesEmail({ firstFactors: [], secondFactors: policy.secondFactors });
  return keys.length > 0 || (isMailed && email?.verified === true && email.optedIn);
}

/** Without the app, which is not among what `attributes` say in the form in which it may be read. */
export function heldBy(attributes: Attributes): Pick<Holdings, 'keys' | 'email'> {
  return holdingsOf({
    all: (attribute) => textsOf(attributes, attribute),
    octets: (attribute) => attributes.get(attribute.toLowerCase())?.values ?? [],
  });
}

function isRequiredByRole(
  engine: Engine,
  snapshot: Snapshot,
  realm: Realm,
  { dnKey }: StoredEntry,
  policy: Pick<AuthnPolicy, 'requireSecondFactorForAdministrators'>,
): boolean {
  // The built-in one is asked for what they hold, and for nothing by their role.
  if (policy.requireSecondFactorForAdministrators !== 'always' || equalBytes(dnKey, realm.administrator.key)) return false;
  return administersByRole(engine, snapshot, realm, dnKey);
}

/** The authentication policy in force in a realm: its own, the default realm's, or what is built in. */
export function authnPolicyIn({ schema, realms }: Engine, snapshot: Snapshot, realm: Realm): InForce<AuthnPolicy> {
  const policyAt = ({ authnPolicy }: Pick<Realm, 'authnPolicy'>) => {
    const values = policyValues(schema, snapshot, authnPolicy, authnPolicyClass);
    return values && readAuthnPolicy(values);
  };
  const first = policyAt(realms.default);
  const own = realm === realms.default ? first : policyAt(realm);
  return inForce(own, first, builtInAuthnPolicy);
}

function textsOf(attributes: Attributes, name: string): readonly string[] {
  return (attributes.get(name.toLowerCase())?.values ?? []).flatMap((value) => text(value) ?? []);
}
