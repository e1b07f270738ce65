import type { AuthnPolicy } from './authn-policy.ts';
import type { Mechanism } from './mechanism.ts';

/** What somebody holds who has shown their password, and what switches a mechanism off at this moment. */
export interface AfterPassword {
  readonly policy: Pick<AuthnPolicy, 'secondFactors' | 'totpEnrolment'>;
  readonly mfaKey: boolean;
  readonly app: boolean;
  /** `failed`: turned off, for too many wrong codes. */
  readonly email: 'none' | 'good' | 'failed';
  /** A second factor is required of them, whatever they hold. */
  readonly required: boolean;
  /** The setting that switches a mechanism off, of those that are. */
  readonly off: SwitchedOff;
}

/** Settings that switch mechanisms off, by what they switch off. */
export type SwitchedOff = Readonly<Partial<Record<Mechanism, string>>>;

/** What keeps a mechanism from being asked for: the policy, that row of it which stops new apps, a setting, or wrong codes. */
export interface Hindrance {
  readonly mechanism: Mechanism;
  readonly by: 'stsSecondFactor' | 'stsTotpEnrolment' | 'stsEmailFailures' | { readonly setting: string };
}

export type SecondStep =
  | { readonly kind: 'nothing' }
  /** One of these is asked for, or set up first where none is held. */
  | { readonly kind: 'asked' | 'enrolled'; readonly mechanisms: readonly Mechanism[] }
  | { readonly kind: 'refused'; readonly why: 'secondNotAccepted' | 'secondFactorImpossible'; readonly hindrances: readonly Hindrance[] };

/**
 * What becomes of somebody at the sign-in page whose password was right, where no application demands more: what `decide` of the sign-in does, for those who
 * explain it below the LDAP interface.
 *
 * @see specification document 1, "Which second factor is asked for", "Requiring a second factor"
 */
export function afterPassword(given: AfterPassword): SecondStep {
  const { policy, mfaKey, app, email, required, off } = given;
  const isTaken = (mechanism: Mechanism) => policy.secondFactors.includes(mechanism);
  const isOn = (mechanism: Mechanism) => isTaken(mechanism) && off[mechanism] === undefined;
  const own: readonly Mechanism[] = [...(mfaKey ? (['security-key'] as const) : []), ...(app ? (['authenticator-app'] as const) : [])];
  const mailed = (['email-code', 'email-link'] as const).filter(isTaken);

  const asked = [...own, ...(email === 'good' ? mailed : [])].filter(isOn);
  if (asked.length > 0) return { kind: 'asked', mechanisms: asked };
  const untaken = own.filter((each) => !isTaken(each));
  if (untaken.length > 0)
    return { kind: 'refused', why: 'secondNotAccepted', hindrances: untaken.map((mechanism) => ({ mechanism, by: 'stsSecondFactor' })) };
  if (own.length > 0) return impossible(own, given);
  if (email === 'failed' && mailed.length > 0) return impossibleBy(mailed.map((mechanism) => ({ mechanism, by: 'stsEmailFailures' })));
  if (email === 'good' && mailed.length > 0) return impossible(mailed, given);
  if (!required) return { kind: 'nothing' };
  const enrolling = (['authenticator-app', 'security-key'] as const).filter(
    (each) => isOn(each) && (each === 'security-key' || policy.totpEnrolment),
  );
  return enrolling.length > 0 ? { kind: 'enrolled', mechanisms: enrolling } : impossible(['security-key', 'authenticator-app'], given);
}

function impossible(mechanisms: readonly Mechanism[], { policy, off }: AfterPassword): SecondStep {
  return impossibleBy(
    mechanisms.map((mechanism) => {
      const setting = off[mechanism];
      if (!policy.secondFactors.includes(mechanism)) return { mechanism, by: 'stsSecondFactor' };
      return { mechanism, by: setting === undefined ? 'stsTotpEnrolment' : { setting } };
    }),
  );
}

function impossibleBy(hindrances: readonly Hindrance[]): SecondStep {
  return { kind: 'refused', why: 'secondFactorImpossible', hindrances };
}
