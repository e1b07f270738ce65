import type { Mechanism } from '../mechanism.ts';
import type { PolicyRefusal } from '../refusals.ts';
import { readDemand } from './demand.ts';
import type { Enrollable, Named, Next, Situation } from './situation.ts';

/**
 * The next step of a sign-in. What the person holds decides before what they ticked, and a demand counts as the tick of a second factor.
 *
 * Pure: the same situation is always the same step, so a policy that is edited between two steps counts from the next one on.
 *
 * @see specification document 1, "Which second factor is asked for", "Demands by a relying party", "Requiring a second factor"
 */
export function decide(situation: Situation): Next {
  const { proven, policy } = situation;
  if (readDemand(situation.demand).unknownClass) return refuse('demandUnknown', situation.demand.acrValues);
  const [first, second] = (['first', 'second'] as const).map((role) => proven.find((each) => each.role === role)?.mechanism);
  if (first === undefined) return situation.ticked.passwordless ? passwordless(situation) : askFirst(situation);
  if (!policy.firstFactors.includes(first)) return refuse('mechanismNotAccepted', [first]);
  if (first === 'password' && situation.mustChange) return { step: 'changePassword' };
  const because = passwordlessRefusal(situation, first);
  if (because !== undefined) return because;
  return second === undefined ? askSecond(situation, first) : judged(situation, first, second);
}

/** What can begin a sign-in, the one that the screen asks for first. A demand for two factors leaves no place for a key alone. */
function askFirst(situation: Situation): Next {
  const { policy, offers, demand } = situation;
  const asked = readDemand(demand);
  const order: readonly Mechanism[] = ['password', 'security-key', 'email-code', 'email-link'];
  const accepted = order.filter((mechanism) => policy.firstFactors.includes(mechanism));
  const there = accepted.filter((mechanism) => offers[mechanism]?.first === true);
  const [mechanism, ...others] = there.filter((each) => {
    if (each === 'security-key') return !needsSecond(situation);
    return each === 'password' || !(asked.noEmail || asked.securityKey);
  });
  if (mechanism !== undefined) return { step: 'ask', mechanism, role: 'first', enrols: false, others };
  if (accepted.length === 0) return refuse('mechanismNotAccepted', ['password']);
  if (there.length === 0) return refuse('mechanismOff', namesOff(situation, accepted, 'first'));
  return there.includes('security-key') ? refuse('passwordlessRefused') : refuse('emailNotEnough');
}

/** The box of those who sign in with nothing but a key. */
function passwordless(situation: Situation): Next {
  const { policy, offers, mode, holds } = situation;
  if (!policy.firstFactors.includes('security-key')) return refuse('mechanismNotAccepted', ['security-key']);
  if (offers['security-key']?.first !== true) return refuse('mechanismOff', namesOff(situation, ['security-key'], 'first'));
  if (needsSecond({ ...situation, mfaRequired: false, administrator: 'none' })) return refuse('passwordlessRefused');
  // Who it is, the key will say: until then nothing is about a person.
  if (situation.ticked.unnamed) return { step: 'ask', mechanism: 'security-key', role: 'first', enrols: false, others: [] };
  // Before anything that is about the person: a name that nobody has gets the same answer.
  if (mode === 'product' && !holds.primaryKey) return refuse('noPrimaryKey');
  const because = passwordlessRefusal(situation, 'security-key');
  return because ?? { step: 'ask', mechanism: 'security-key', role: 'first', enrols: !holds.primaryKey, others: [] };
}

/** A key alone is one factor, whatever the key checks of who uses it. */
function passwordlessRefusal(situation: Situation, first: Mechanism): (Next & { readonly step: 'refuse' }) | undefined {
  return first === 'security-key' && (needsSecond(situation) || isAdministratorWithFactor(situation))
    ? refuse('passwordlessRefused')
    : undefined;
}

/** Which second factor is asked for of whom, and what of somebody who has none. */
function askSecond(situation: Situation, first: Mechanism): Next {
  const { holds, policy } = situation;
  const { securityKey } = readDemand(situation.demand);
  // A key alone does where a hardware key is demanded and nothing else; so does it for whoever may come without a password.
  if (first === 'security-key') return done(first);
  const [mechanism, ...rest] = seconds(situation, first);
  if (mechanism !== undefined) {
    const others = [...rest, ...recovery(situation, mechanism)];
    return { step: 'ask', mechanism, role: 'second', enrols: false, others };
  }
  if (holds.mfaKey || holds.app) {
    // Their password alone is not enough, and whoever has it must not enrol a factor of their own beside theirs.
    if (securityKey && !holds.mfaKey) return refuse('hardwareKeyDemanded');
    const theirs: readonly Mechanism[] = [
      ...(holds.mfaKey ? (['security-key'] as const) : []),
      ...(holds.app ? (['authenticator-app'] as const) : []),
    ];
    const refused = theirs.filter((each) => !policy.secondFactors.includes(each));
    return refused.length > 0
      ? refuse('secondNotAccepted', refused)
      : refuse('secondFactorImpossible', namesOff(situation, theirs, 'second'));
  }
  return mailedRefusal(situation, first) ?? enrol(situation, first);
}

/**
 * Whoever has a mailed second factor that cannot be asked for now does not come in with less, and enrols nothing beside it: who has their password alone
 * could make it so, by wrong codes or by what an address demands. Where the policy takes no mail, nobody has such a factor.
 */
function mailedRefusal(situation: Situation, first: Mechanism): (Next & { readonly step: 'refuse' }) | undefined {
  const { holds, policy, risk } = situation;
  const taken = (['email-code', 'email-link'] as const).filter((each) => policy.secondFactors.includes(each));
  if (isEmailed(first) || taken.length === 0 || holds.email === 'none') return undefined;
  const { securityKey, noEmail } = readDemand(situation.demand);
  if (securityKey) return refuse('hardwareKeyDemanded');
  if (noEmail || risk === 'step-up') return refuse('emailNotEnough');
  const names = taken.map((mechanism) => ({ mechanism, attribute: 'stsEmailFailures' as const }));
  return refuse('secondFactorImpossible', holds.email === 'failed' ? names : namesOff(situation, taken, 'second'));
}

/** What somebody holding no second factor that could be asked for is told to do. */
function enrol(situation: Situation, first: Mechanism): Next {
  const { ticked, enrolling, declined } = situation;
  const { securityKey, twoFactors } = readDemand(situation.demand);
  const choices = enrollable(situation).filter((each) => each === 'security-key' || !securityKey);
  const chosen = choices.find((each) => each === enrolling);
  const ask = (mechanism: Enrollable): Next => ({ step: 'ask', mechanism, role: 'second', enrols: true, others: [] });
  const impossible = () => refuse('secondFactorImpossible', namesOff(situation, ['security-key', 'authenticator-app'], 'second', true));

  if (isRequired(situation)) {
    if (choices.length === 0) return impossible();
    return chosen === undefined ? { step: 'enrol', required: true, choices } : ask(chosen);
  }
  if (ticked.secondFactor || twoFactors || securityKey) {
    if (choices.includes('security-key')) return ask('security-key');
    if (choices.length === 0) return securityKey ? refuse('hardwareKeyDemanded') : impossible();
    return chosen === undefined ? { step: 'enrol', required: true, choices } : ask(chosen);
  }
  if (isOffered(situation) && first === 'password' && !declined && choices.length > 0)
    return chosen === undefined ? { step: 'enrol', required: false, choices } : ask(chosen);
  return done(first);
}

/** A sign-in with both factors, under the rules of now. */
function judged(situation: Situation, first: Mechanism, second: Mechanism): Next {
  const { securityKey, noEmail } = readDemand(situation.demand);
  if (!situation.policy.secondFactors.includes(second)) return refuse('secondNotAccepted', [second]);
  if (securityKey && second !== 'security-key') return refuse('hardwareKeyDemanded');
  if (isEmailed(second) && (isEmailed(first) || noEmail || situation.risk === 'step-up')) return refuse('emailNotEnough');
  return done(first, second);
}

/** The second factors that this person can be asked for, the one to ask for first. */
function seconds({ holds, policy, offers, demand, risk }: Situation, first: Mechanism): readonly Mechanism[] {
  const { securityKey, noEmail } = readDemand(demand);
  const mail = holds.email === 'good' && !isEmailed(first) && !noEmail && risk !== 'step-up';
  const held: readonly (readonly [Mechanism, boolean])[] = [
    ['security-key', holds.mfaKey],
    ['authenticator-app', holds.app && !securityKey],
    ['email-code', mail && !securityKey],
    ['email-link', mail && !securityKey],
  ];
  return held.flatMap(([mechanism, has]) =>
    has && policy.secondFactors.includes(mechanism) && offers[mechanism]?.second === true ? [mechanism] : [],
  );
}

/** A recovery code is never asked for: it is a way round a code or a key. */
function recovery({ holds, policy, offers, demand }: Situation, asked: Mechanism): readonly Mechanism[] {
  const can = policy.secondFactors.includes('recovery-code') && offers['recovery-code']?.second === true && holds.recoveryCodes > 0;
  const wayRound = asked === 'security-key' || asked === 'authenticator-app';
  return can && wayRound && !readDemand(demand).securityKey ? ['recovery-code'] : [];
}

function enrollable({ policy, offers }: Situation): readonly Enrollable[] {
  const can = (mechanism: Enrollable) => policy.secondFactors.includes(mechanism) && offers[mechanism]?.enrol === true;
  return (['authenticator-app', 'security-key'] as const).filter((each) => can(each) && (each === 'security-key' || policy.totpEnrolment));
}

/** No session without a second factor. The built-in administrator is exempt from the administrators' field alone. */
function isRequired({ policy, mfaRequired, administrator, risk }: Situation): boolean {
  return (
    policy.requireSecondFactor === 'always' ||
    mfaRequired ||
    risk === 'step-up' ||
    (administrator === 'role' && policy.requireSecondFactorForAdministrators === 'always')
  );
}

/** One factor is not enough, whether by rule, by demand or because the person asks for two. */
function needsSecond(situation: Situation): boolean {
  return isRequired(situation) || situation.ticked.secondFactor || readDemand(situation.demand).twoFactors;
}

/** An administrator holding a factor is always asked for it. */
function isAdministratorWithFactor({ administrator, holds }: Situation): boolean {
  return administrator !== 'none' && (holds.mfaKey || holds.app);
}

function isOffered({ policy, administrator, risk }: Situation): boolean {
  return administrator !== 'none' && (policy.requireSecondFactorForAdministrators !== 'if-held' || risk === 'elevated');
}

function isEmailed(mechanism: Mechanism): boolean {
  return mechanism === 'email-code' || mechanism === 'email-link';
}

const methods: Readonly<Record<Mechanism, string>> = {
  password: 'pwd',
  'security-key': 'hwk',
  'authenticator-app': 'otp',
  'recovery-code': 'otp',
  'email-code': 'otp',
  'email-link': 'otp',
};

/** @see specification document 1, "Session", the table of `amr` and `acr` per way of signing in */
function done(first: Mechanism, second?: Mechanism): Next {
  if (second === undefined) return { step: 'done', amr: [methods[first]], acr: '1', mechanisms: [first] };
  const amr = isEmailed(second) ? [methods[second]] : [...new Set([methods[first], methods[second]])];
  return { step: 'done', amr, acr: 'mfa', mechanisms: [first, second] };
}

/** What keeps mechanisms from being asked for, or enrolled where that is what is wanted: settings, or rows of the policy. */
function namesOff({ offers, policy }: Situation, some: readonly Mechanism[], role: 'first' | 'second', toEnrol = false): readonly Named[] {
  return some.map((mechanism) => {
    if (role === 'second' && !policy.secondFactors.includes(mechanism)) return { mechanism, attribute: 'stsSecondFactor' };
    if (toEnrol && mechanism === 'authenticator-app' && !policy.totpEnrolment) return { mechanism, attribute: 'stsTotpEnrolment' };
    return offers[mechanism]?.off ?? `${mechanism} (not offered)`;
  });
}

function refuse(why: PolicyRefusal, names: readonly Named[] = []): Next & { readonly step: 'refuse' } {
  return { step: 'refuse', why, names };
}

/** What a refusal is about, in words for operators. */
export function spokenNames({ names }: Pick<Next & { readonly step: 'refuse' }, 'names'>): string {
  return names.map((each) => (typeof each === 'string' ? each : `${each.mechanism} (${each.attribute})`)).join(', ');
}
