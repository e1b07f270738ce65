import { type AfterPassword, afterPassword, type Hindrance, type Mechanism, type PolicyRefusal, policyRefusals } from '#policy';
import type { Snapshot, StoredEntry } from '#store';
import { authnPolicyIn, heldBy, requiresSecondFactor } from './doors.ts';
import type { Engine } from './engine.ts';
import { totpCredentialKey } from './holders.ts';
import type { Realm } from './realm.ts';
import { attributesOf } from './record.ts';
import { passes, refuses, says, type WhyRow } from './why-row.ts';

const words: Readonly<Record<Mechanism, string>> = {
  password: 'the password',
  'security-key': 'a security key',
  'authenticator-app': 'a code of an authenticator app',
  'recovery-code': 'a recovery code',
  'email-code': 'a code by mail',
  'email-link': 'a link by mail',
};

/**
 * What the authentication policy has to do with somebody who signs in at a browser with their password: whether one may begin with it, and what is asked for
 * behind it. What an application demands besides, and what a sign-in is taken for that is at risk, is not known here.
 */
export function ofBrowser(engine: Engine, snapshot: Snapshot, realm: Realm, entry: StoredEntry): readonly WhyRow[] {
  const { value: policy, from } = authnPolicyIn(engine, snapshot, realm);
  const at = (from === 'default realm' ? engine.realms.default : realm).authnPolicy.text;
  const attributes = attributesOf(engine.schema, entry);
  const { keys, email } = heldBy(attributes);
  const emailed = email?.verified !== true || !email.optedIn ? 'none' : email.failures < policy.emailFailureLimit ? 'good' : 'failed';
  const given: AfterPassword = {
    policy,
    mfaKey: keys.some(({ role }) => role === 'mfa'),
    app: attributes.has(totpCredentialKey),
    email: emailed,
    required: requiresSecondFactor(engine, snapshot, realm, entry, policy),
    off: engine.switchedOff?.(realm.settings) ?? {},
  };
  const first = policy.firstFactors.includes('password')
    ? passes('first-factor', 'the policy takes a password to begin with')
    : refusedBy('mechanismNotAccepted', 'first-factor', ['password'], `stsFirstFactor of ${at}`);
  return [first, ofSecond(given, at, entry.dn)];
}

function ofSecond(given: AfterPassword, policyAt: string, dn: string): WhyRow {
  const rule = 'second-factor';
  const step = afterPassword(given);
  switch (step.kind) {
    case 'nothing':
      return passes(rule, 'none is held that is asked for, and none is required');
    case 'asked':
      return says(rule, `after the password is asked for: ${spoken(step.mechanisms)}`);
    case 'enrolled':
      return says(rule, `one is required and none is held: after the password it is set up, ${spoken(step.mechanisms)}`);
    case 'refused': {
      const places = step.hindrances.map((each) => placeOf(each, policyAt, dn));
      const names = step.hindrances.map(({ mechanism }) => mechanism);
      return refusedBy(step.why, rule, names, [...new Set(places)].join(', '));
    }
  }
}

function placeOf({ by }: Hindrance, policyAt: string, dn: string): string {
  if (typeof by === 'object') return by.setting;
  return `${by} of ${by === 'stsEmailFailures' ? dn : policyAt}`;
}

function refusedBy(why: PolicyRefusal, rule: string, names: readonly Mechanism[], change: string): WhyRow {
  const row = policyRefusals[why];
  return refuses(rule, { ...row, means: row.means.replace('{names}', names.join(', ')) }, change);
}

function spoken(mechanisms: readonly Mechanism[]): string {
  return mechanisms.map((each) => words[each]).join(', or ');
}
