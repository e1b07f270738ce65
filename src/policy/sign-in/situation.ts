import type { AuthnPolicy } from '../authn-policy.ts';
import type { Mechanism } from '../mechanism.ts';
import type { Mode } from '../mode.ts';
import type { PolicyRefusal } from '../refusals.ts';
import type { Demand } from './demand.ts';

/** What a person holds, as far as the decision is about it. */
export interface Held {
  /** A security key that is a second factor. */
  readonly mfaKey: boolean;
  /** A security key that is all that is needed. */
  readonly primaryKey: boolean;
  readonly app: boolean;
  /** Recovery codes left. */
  readonly recoveryCodes: number;
  /** An address that was verified, which the person wants as a factor; `failed`: its factor has failed too often and is turned off. */
  readonly email: 'none' | 'good' | 'failed';
}

export const holdsNothing: Held = { mfaKey: false, primaryKey: false, app: false, recoveryCodes: 0, email: 'none' };

/** What the service can do with a mechanism at this moment: its settings, and whether its part is there. */
export interface Offer {
  readonly first: boolean;
  readonly second: boolean;
  /** A new one can be enrolled as a second factor. */
  readonly enrol: boolean;
  /** In words for operators, what switches it off where it is off. */
  readonly off?: string;
}

/** What can be done with each mechanism in a realm at this moment. */
export type Offers = Readonly<Partial<Record<Mechanism, Offer>>>;

/** What the authentication policy says of a sign-in. */
export type Rules = Pick<
  AuthnPolicy,
  'firstFactors' | 'secondFactors' | 'requireSecondFactor' | 'requireSecondFactorForAdministrators' | 'totpEnrolment' | 'emailFailureLimit'
>;

/** What an entry says of the factors of its person. */
export interface Holding {
  readonly keys: readonly { readonly role: 'mfa' | 'primary' }[];
  readonly hasApp: boolean;
  readonly recoveryCodesLeft: number;
  readonly email: Held['email'];
}

/** What counts of what a person holds. */
export function heldOf({ keys, hasApp, recoveryCodesLeft, email }: Holding): Held {
  return {
    mfaKey: keys.some(({ role }) => role === 'mfa'),
    primaryKey: keys.some(({ role }) => role === 'primary'),
    app: hasApp,
    recoveryCodes: recoveryCodesLeft,
    email,
  };
}

/** Everything that the next step depends on. */
export interface Situation {
  readonly holds: Held;
  /** What the person asks for on the first screen. `unnamed`: a key that says who it is, so that no name was typed. */
  readonly ticked: { readonly secondFactor: boolean; readonly passwordless: boolean; readonly unnamed?: true };
  /** The first factor first. */
  readonly proven: readonly { readonly mechanism: Mechanism; readonly role: 'first' | 'second' }[];
  readonly policy: Rules;
  readonly offers: Offers;
  readonly mode: Mode;
  readonly demand: Demand;
  readonly administrator: 'none' | 'role' | 'built-in';
  /** `stsMfaRequired`. */
  readonly mfaRequired: boolean;
  /** `pwdReset`, or a password that has expired. */
  readonly mustChange: boolean;
  /** `elevated`: a second factor is offered to administrators. `step-up`: one is required, and none that is mailed. */
  readonly risk: 'none' | 'elevated' | 'step-up';
  /** Ignore was pressed. */
  readonly declined: boolean;
  /** What was chosen on the page that leads to enrolling. */
  readonly enrolling: Mechanism | undefined;
}

/** What can be enrolled during a sign-in. */
export type Enrollable = 'security-key' | 'authenticator-app';

/** What a refusal is about: a setting, a mechanism, a class that is demanded; or a mechanism and the attribute that keeps it from being asked for. */
export type Named = string | { readonly mechanism: Mechanism; readonly attribute: Hindering };

/** Attributes that keep a mechanism from being asked for: of the policy, and the last one of the person. */
export type Hindering = 'stsSecondFactor' | 'stsTotpEnrolment' | 'stsEmailFailures';

export type Next =
  | {
      readonly step: 'ask';
      readonly mechanism: Mechanism;
      readonly role: 'first' | 'second';
      /** First use: it is enrolled by this step. */
      readonly enrols: boolean;
      /** What does as well. */
      readonly others: readonly Mechanism[];
    }
  | { readonly step: 'enrol'; readonly required: boolean; readonly choices: readonly Enrollable[] }
  | { readonly step: 'changePassword' }
  | { readonly step: 'refuse'; readonly why: PolicyRefusal; readonly names: readonly Named[] }
  /** The session may begin, recorded with these values (RFC 8176 for `amr`). */
  | { readonly step: 'done'; readonly amr: readonly string[]; readonly acr: string; readonly mechanisms: readonly Mechanism[] };
