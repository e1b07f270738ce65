import { type Holdings, mailedAs } from '#holdings';
import { type AuthnPolicy, heldOf, holdsNothing, type Next, type Rules, readDemand, type Situation } from '#policy';
import type { Parked, Progress } from '#sessions';
import { pathIn, type WebRealm } from '#web';
import type { Known } from './password.ts';
import type { Change, FirstScreen, Reached, Step, StepCall, Way } from './step.ts';
import { texts, wayTexts } from './texts.ts';

/** Everything that the next step depends on. */
export function situationOf(
  realm: WebRealm,
  { demand }: Parked,
  { proven, ticked, declined = false, enrolling }: Progress,
  person: Known | undefined,
  policy: Rules,
  offers: Situation['offers'],
  risk: Situation['risk'],
  nowMs: number,
): Situation {
  // Before anything is proven, what is shown depends on nobody, but for whoever asks for the passwordless way.
  const known = proven.length > 0 || ticked.passwordless ? person : undefined;
  return {
    holds: known === undefined ? holdsNothing : heldOf(holdingOf(known.holdings, policy)),
    ticked,
    proven,
    policy,
    offers,
    mode: realm.mode,
    demand,
    administrator: known?.administrator ?? (known?.isBuiltIn === true ? 'built-in' : 'none'),
    mfaRequired: known?.holdings.mfaRequired ?? false,
    mustChange: known !== undefined && (known.mustChange || (known.passwordExpiresMs ?? Number.POSITIVE_INFINITY) <= nowMs),
    risk,
    declined,
    enrolling,
  };
}

function holdingOf({ keys, app, recoveryCodesLeft = 0, email }: Holdings, { emailFailureLimit }: Rules) {
  return { keys, hasApp: app !== undefined, recoveryCodesLeft, email: mailedAs(email, 'second', 'code', emailFailureLimit) };
}

/**
 * Why what was sent is refused whatever else may be asked for: the policy of this moment does not accept the mechanism in the role that it answered in,
 * or a hardware key is demanded, which neither a code nor a recovery code is.
 */
export function unaccepted(
  { mechanism, begins }: Step,
  { role, parked }: Pick<StepCall, 'role' | 'parked'>,
  { firstFactors, secondFactors }: AuthnPolicy,
): (Next & { readonly step: 'refuse' }) | undefined {
  if (mechanism === undefined) return undefined;
  const isFirst = begins === true || role === 'first';
  const isCode = mechanism === 'authenticator-app' || mechanism === 'recovery-code';
  if (isCode && readDemand(parked.demand).securityKey) return { step: 'refuse', why: 'hardwareKeyDemanded', names: [mechanism] };
  if ((isFirst ? firstFactors : secondFactors).includes(mechanism)) return undefined;
  return { step: 'refuse', why: isFirst ? 'mechanismNotAccepted' : 'secondNotAccepted', names: [mechanism] };
}

/** What a sign-in has reached by an outcome. */
export function progressAfter(step: Step, { progress, role }: StepCall, outcome: Reached, nowMs: number, ttlMs: number): Progress {
  const time = { waitsUntilMs: nowMs + ttlMs };
  const changed = changedBy(progress, outcome);
  if (outcome.kind === 'moved') return outcome.renews ? { ...changed, ...time } : changed;
  const { mechanism } = step;
  if (mechanism === undefined) throw new Error(`the step ${step.name} proves nothing`);
  const { underWay: _, enrolling: __, ...rest } = changed;
  const proven = [...progress.proven, { mechanism, role, atMs: nowMs, amr: outcome.amr }];
  return { ...rest, proven, ...time };
}

function changedBy(progress: Progress, { person, change }: Reached): Progress {
  if (person === undefined) return withChange(progress, change);
  if (progress.proven.length > 0 && person.entryUuid !== progress.entryUuid) throw new Error('a second factor of another person');
  return withChange({ ...progress, entryUuid: person.entryUuid }, change);
}

/** What was reached, with a step's change. Whose sign-in it is stands from the first factor on: no step after it makes it somebody else's. */
export function withChange(progress: Progress, change: Change = {}): Progress {
  const { proven, userName, entryUuid, ticked } = progress;
  const standing = proven.length > 0 ? { userName, entryUuid, ticked } : {};
  // JSON keeps no member that is undefined, and neither does this.
  const all = Object.entries({ ...progress, ...change, ...standing }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all) as unknown as Progress;
}

/**
 * Whether a sign-in is still as far as it was. Another page of the same browser may have begun something of its step anew meanwhile, or its wrong code may
 * have ended the step while the right one was judged: neither takes away what was shown.
 */
export function isAsFar(now: Progress, was: Progress): boolean {
  const ended = now.proven.length === 0 && now.underWay?.untilMs === 0;
  const of = ({ browser, entryUuid, ticked, declined, enrolling, proven }: Progress) =>
    JSON.stringify([browser, entryUuid, ticked.secondFactor, ticked.passwordless, ticked.unnamed, declined, enrolling, proven]);
  return of(ended ? { ...now, proven: was.proven } : now) === of(was);
}

/**
 * Whether a step may be taken now: it is what is asked for, or does as well. A key alone is asked for by the first screen's box, and by nothing else that
 * says a name.
 */
export function allows(step: Step, next: Next, { ticked }: Pick<Progress, 'ticked'>): boolean {
  if (next.step === 'ask') {
    const { mechanism } = step;
    if (mechanism === undefined) return false;
    if (mechanism === 'security-key' && next.role === 'first' && !ticked.passwordless) return false;
    return mechanism === next.mechanism || (next.others.includes(mechanism) && !(step.begins && next.role === 'second'));
  }
  return step.path === (next.step === 'enrol' ? setupPath : next.step === 'changePassword' ? changePath : undefined);
}

/** Where what is to be enrolled is chosen. */
export const setupPath = '/authn/mfa-setup';
const changePath = '/authn/password-change';
const loginPath = '/authn/login';

/** Whether a sign-in begins with a mail and nothing else: its own page asks who it is. */
export function asksElsewhere(next: Next): boolean {
  return next.step === 'ask' && next.role === 'first' && (next.mechanism === 'email-code' || next.mechanism === 'email-link');
}

/** Where the next step is. A password and a key begin on the first screen, which asks who it is. */
export function pathOf(steps: readonly Step[], next: Next, { ticked }: Progress): string {
  if (next.step === 'enrol') return setupPath;
  if (next.step === 'changePassword') return changePath;
  if (next.step !== 'ask' || (next.role === 'first' && !ticked.passwordless && !asksElsewhere(next))) return loginPath;
  return steps.find(({ mechanism }) => mechanism === next.mechanism)?.path ?? loginPath;
}

/** Links to the other ways of what is asked for, the one that is asked for first among them. */
export function waysOf(
  steps: readonly Step[],
  here: Step,
  { mechanism, others, role }: Next & { readonly step: 'ask' },
  { enrolling }: Progress,
  realm: WebRealm,
  id: string,
): readonly Way[] {
  if (enrolling !== undefined && role === 'second') {
    const setup = steps.find(({ path }) => path === setupPath);
    return setup === undefined ? [] : [{ href: hrefOf(setup, realm, id), words: texts.chooseAgain }];
  }
  // A key as the only credential needs a name, which the first screen asks for together with its box.
  const all = [mechanism, ...others].filter((each) => each !== here.mechanism && !(role === 'first' && each === 'security-key'));
  return all.flatMap((each) => {
    const step = steps.find((one) => one.mechanism === each);
    return step === undefined ? [] : [{ href: hrefOf(step, realm, id), words: wayTexts[each] }];
  });
}

/** What was reached, before it was chosen what to enrol. */
export function withoutChoice({ enrolling: _, ...progress }: Progress): Progress {
  return progress;
}

/** What the first screen shows. */
export function firstScreenOf({ policy, offers, demand }: Situation, next: Next, unauthenticatedSessions: boolean): FirstScreen {
  const first = next.step === 'ask' && next.role === 'first' ? [next.mechanism, ...next.others] : [];
  const { twoFactors, securityKey } = readDemand(demand);
  const key = policy.secondFactors.includes('security-key') && offers['security-key']?.second === true;
  return {
    password: first.includes('password'),
    passwordless: first.includes('security-key'),
    secondFactor: twoFactors || securityKey ? 'demanded' : key ? 'box' : 'none',
    // Whoever asks for anything of the sign-in asks for one.
    anonymous: unauthenticatedSessions && Object.keys(demand).length === 0,
  };
}

/** The address of a step, as browsers know it. */
export function hrefOf({ path }: Step, realm: WebRealm, id: string): string {
  return pathIn(realm, `${path}?authn=${encodeURIComponent(id)}`);
}
