import type { Mechanism, Mode } from '#policy';
import type { Demand, Progress, Proven } from '#sessions';

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

/** What the authentication policy says of a sign-in. */
export interface Rules {
  readonly firstFactors: readonly string[];
  readonly secondFactors: readonly string[];
  readonly requireSecondFactor: 'if-held' | 'always';
  readonly requireSecondFactorForAdministrators: 'offer' | 'always' | 'if-held';
  readonly totpEnrolment: boolean;
  readonly emailFailureLimit: number;
}

/** Everything that the next step depends on. */
export interface Situation {
  readonly holds: Held;
  readonly ticked: Progress['ticked'];
  readonly proven: readonly Pick<Proven, 'mechanism' | 'role'>[];
  readonly policy: Rules;
  readonly offers: Readonly<Partial<Record<Mechanism, Offer>>>;
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

/** Why nobody gets in this way here: each is a row of `errors.ts`. */
export type Why =
  | 'mechanismNotAccepted'
  | 'secondNotAccepted'
  | 'passwordlessRefused'
  | 'secondFactorImpossible'
  | 'hardwareKeyDemanded'
  | 'noPrimaryKey'
  | 'mechanismOff'
  | 'demandUnknown'
  | 'emailNotEnough';

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
  /** `names`: the settings or mechanisms it is about, for operators. */
  | { readonly step: 'refuse'; readonly why: Why; readonly names: readonly string[] }
  /** The session may begin, recorded with these values (RFC 8176 for `amr`). */
  | { readonly step: 'done'; readonly amr: readonly string[]; readonly acr: string; readonly mechanisms: readonly Mechanism[] };
