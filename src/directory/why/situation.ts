import { addressOctets, equalBytes } from '#base';
import { mailedAs } from '#holdings';
import { type AuthnPolicy, type Demand, heldOf, type Situation } from '#policy';
import type { Snapshot, StoredEntry } from '#store';
import type { Origin } from '../access/networks.ts';
import { administersByRole } from '../administrators.ts';
import { authnPolicyIn, heldBy, isRequiredOf } from '../doors.ts';
import type { Engine } from '../engine.ts';
import { codesLeftOf, totpCredentialKey } from '../holders.ts';
import { hasExpired } from '../password-times.ts';
import type { Realm } from '../realm.ts';
import { attributesOf } from '../record.ts';

/** Somebody at the sign-in page, and what is decided about them there. */
export interface AtPage {
  /** Before anything is proven; what is typed on the first screen is known. */
  readonly begun: Situation;
  /** How risky it is that they come from there; `unknown` where nobody says from where, nothing where it is no risk from anywhere. */
  readonly risk?: Situation['risk'] | 'unknown';
  readonly policy: AuthnPolicy;
  /** The name of the policy's entry. */
  readonly policyAt: string;
  /** What there is to mail as a first factor, of code and link. */
  readonly mailed: Readonly<Record<'code' | 'link', 'none' | 'good' | 'failed'>>;
}

/** What the sign-in page would decide by, read where the page has it from. @param mustChange  `pwdReset` is TRUE */
export async function atPage(
  engine: Engine,
  snapshot: Snapshot,
  { realm, entry, origin }: { readonly realm: Realm; readonly entry: StoredEntry; readonly origin: Origin },
  demand: Demand,
  mustChange: boolean,
): Promise<AtPage> {
  const { value: policy, from } = authnPolicyIn(engine, snapshot, realm);
  const attributes = attributesOf(engine.schema, entry);
  const { keys, email } = heldBy(attributes);
  const mailed = (role: 'first' | 'second', kind: 'code' | 'link') => mailedAs(email, role, kind, policy.emailFailureLimit);
  const isBuiltIn = equalBytes(entry.dnKey, realm.administrator.key);
  const begun: Situation = {
    holds: heldOf({
      keys,
      hasApp: attributes.has(totpCredentialKey),
      recoveryCodesLeft: Number(codesLeftOf(engine, entry)[0] ?? 0),
      email: mailed('second', 'code'),
    }),
    ticked: { secondFactor: false, passwordless: false },
    proven: [],
    policy,
    offers: engine.offersIn?.(realm.settings) ?? { password: { first: true, second: false, enrol: false } },
    mode: realm.mode,
    demand,
    administrator: isBuiltIn ? 'built-in' : administersByRole(engine, snapshot, realm, entry.dnKey) ? 'role' : 'none',
    mfaRequired: isRequiredOf(attributes),
    mustChange: mustChange || hasExpired(engine, snapshot, realm, entry),
    risk: 'none',
    declined: false,
    enrolling: undefined,
  };
  return {
    begun,
    ...(await riskOf(engine, realm, entry.uuid, origin.address)),
    policy,
    policyAt: (from === 'default realm' ? engine.realms.default : realm).authnPolicy.text,
    mailed: { code: mailed('first', 'code'), link: mailed('first', 'link') },
  };
}

async function riskOf({ networks }: Engine, { id, settings }: Realm, entryUuid: string, address: string): Promise<Pick<AtPage, 'risk'>> {
  const risk = settings['authn.riskOfNewNetwork'];
  if (risk === 'none') return {};
  if (addressOctets(address) === undefined) return { risk: 'unknown' };
  return { risk: (await networks.isNew(id, entryUuid, address)) ? risk : 'none' };
}
