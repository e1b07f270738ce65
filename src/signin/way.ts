import type { Holdings } from '#holdings';
import type { AuthnPolicy } from '#policy';
import type { Parked, Progress } from '#sessions';
import { pathIn, type WebRealm } from '#web';
import type { Known } from './password.ts';
import { type Held, holdsNothing, type Next, type Rules, type Situation } from './situation.ts';
import type { Outcome, Step, StepCall, Way } from './step.ts';
import { wayTexts } from './texts.ts';

/** Everything that the next step depends on. */
export function situationOf(
  realm: WebRealm,
  { demand }: Parked,
  { proven, ticked, declined = false, enrolling }: Progress,
  person: Known | undefined,
  policy: Rules,
  offers: Situation['offers'],
): Situation {
  // Before anything is proven, what is shown depends on nobody, but for whoever asks for the passwordless way.
  const known = proven.length > 0 || ticked.passwordless ? person : undefined;
  return {
    holds: known === undefined ? holdsNothing : heldOf(known.holdings, policy),
    ticked,
    proven,
    policy,
    offers,
    mode: realm.mode,
    demand,
    administrator: known?.administrator ?? (known?.isBuiltIn === true ? 'built-in' : 'none'),
    mfaRequired: known?.holdings.mfaRequired ?? false,
    mustChange: false,
    risk: 'none',
    declined,
    enrolling,
  };
}

/** What counts of what a person holds. */
function heldOf({ keys, app, recoveryCodesLeft = 0, email }: Holdings, { emailFailureLimit }: Rules): Held {
  return {
    mfaKey: keys.some(({ role }) => role === 'mfa'),
    primaryKey: keys.some(({ role }) => role === 'primary'),
    app: app !== undefined,
    recoveryCodes: recoveryCodesLeft,
    email: email?.verified === true && email.optedIn && email.failures < emailFailureLimit,
  };
}

/** The policy as the decision reads it. */
export function rulesOf(policy: AuthnPolicy): Rules {
  return {
    firstFactors: policy.firstFactors,
    secondFactors: ['security-key', 'authenticator-app', 'recovery-code'],
    requireSecondFactor: policy.secondFactor,
    requireSecondFactorForAdministrators: 'offer',
    totpEnrolment: true,
    emailFailureLimit: 10,
  };
}

/** What a sign-in has reached by an outcome. */
export function progressAfter(
  step: Step,
  { progress, role }: StepCall,
  outcome: Exclude<Outcome, { readonly kind: 'fault' }>,
  nowMs: number,
  ttlMs: number,
): Progress {
  const who = outcome.person === undefined ? {} : { entryUuid: outcome.person.entryUuid };
  const time = { waitsUntilMs: nowMs + ttlMs };
  if (outcome.kind === 'moved') return { ...progress, ...who, ...outcome.change, ...(outcome.renews ? time : {}) };
  const { mechanism } = step;
  if (mechanism === undefined) throw new Error(`the step ${step.name} proves nothing`);
  const { underWay: _, enrolling: __, ...rest } = progress;
  const proven = [...progress.proven, { mechanism, role, atMs: nowMs, amr: outcome.amr }];
  return { ...rest, ...who, ...outcome.change, proven, ...time };
}

/** Whether a step may be taken now: it is what is asked for, or does as well. */
export function allows(step: Step, next: Next): boolean {
  if (next.step === 'ask') {
    const { mechanism } = step;
    // Who chose what to enrol may choose again.
    if (mechanism === undefined) return step.path === setupPath && next.enrols && next.role === 'second';
    return mechanism === next.mechanism || (next.others.includes(mechanism) && !(step.begins && next.role === 'second'));
  }
  return step.path === (next.step === 'enrol' ? setupPath : next.step === 'changePassword' ? changePath : undefined);
}

const setupPath = '/authn/mfa-setup';
const changePath = '/authn/password-change';
const loginPath = '/authn/login';

/** Where the next step is. A first factor other than the passwordless key begins on the first screen, which asks who it is. */
export function pathOf(steps: readonly Step[], next: Next, { ticked }: Progress): string {
  if (next.step === 'enrol') return setupPath;
  if (next.step === 'changePassword') return changePath;
  if (next.step !== 'ask' || (next.role === 'first' && !ticked.passwordless)) return loginPath;
  return steps.find(({ mechanism }) => mechanism === next.mechanism)?.path ?? loginPath;
}

/** Links to the other ways of what is asked for, the one that is asked for first among them. */
export function waysOf(
  steps: readonly Step[],
  here: Step,
  { mechanism, others, role }: Next & { readonly step: 'ask' },
  realm: WebRealm,
  id: string,
): readonly Way[] {
  // A key as the only credential needs a name, which the first screen asks for together with its box.
  const all = [mechanism, ...others].filter((each) => each !== here.mechanism && !(role === 'first' && each === 'security-key'));
  return all.flatMap((each) => {
    const step = steps.find((one) => one.mechanism === each);
    return step === undefined ? [] : [{ mechanism: each, href: hrefOf(step, realm, id), words: wayTexts[each] }];
  });
}

/** The address of a step, as browsers know it. */
export function hrefOf({ path }: Step, realm: WebRealm, id: string): string {
  return pathIn(realm, `${path}?authn=${encodeURIComponent(id)}`);
}
