import fc from 'fast-check';
import { type Held, mechanisms, type Next, type Offer, type Situation } from '#policy';

export const nothing: Held = { mfaKey: false, primaryKey: false, app: false, recoveryCodes: 0, email: 'none' };
const all: Offer = { first: true, second: true, enrol: true };

export const policy: Situation['policy'] = {
  firstFactors: ['password', 'security-key'],
  secondFactors: ['security-key', 'authenticator-app', 'recovery-code'],
  requireSecondFactor: 'if-held',
  requireSecondFactorForAdministrators: 'offer',
  totpEnrolment: true,
  emailFailureLimit: 10,
};

/** Every mechanism on. */
export const offers: Situation['offers'] = Object.fromEntries(mechanisms.map((mechanism) => [mechanism, all]));

/** Somebody whose password was accepted, in product mode, under the built-in policy, with every mechanism on. */
export const standing: Situation = {
  holds: nothing,
  ticked: { secondFactor: false, passwordless: false },
  proven: [{ mechanism: 'password', role: 'first' }],
  policy,
  offers,
  mode: 'product',
  demand: {},
  administrator: 'none',
  mfaRequired: false,
  mustChange: false,
  risk: 'none',
  declined: false,
  enrolling: undefined,
};

const offer: fc.Arbitrary<Offer> = fc.record({ first: fc.boolean(), second: fc.boolean(), enrol: fc.boolean() });
const mostly = fc.oneof({ weight: 3, arbitrary: fc.constant(all) }, { weight: 1, arbitrary: offer });
const some = fc.oneof(fc.constant([...mechanisms]), fc.subarray([...mechanisms]));

/** Every combination of everything that the decision depends on, before anything is proven. */
export const situation: fc.Arbitrary<Situation> = fc.record({
  holds: fc.record({
    mfaKey: fc.boolean(),
    primaryKey: fc.boolean(),
    app: fc.boolean(),
    recoveryCodes: fc.integer({ min: 0, max: 2 }),
    email: fc.constantFrom('none', 'good', 'failed'),
  }),
  ticked: fc.record({ secondFactor: fc.boolean(), passwordless: fc.boolean() }),
  proven: fc.constant([]),
  policy: fc.record({
    firstFactors: some,
    secondFactors: some,
    requireSecondFactor: fc.constantFrom('if-held', 'always'),
    requireSecondFactorForAdministrators: fc.constantFrom('offer', 'always', 'if-held'),
    totpEnrolment: fc.boolean(),
    emailFailureLimit: fc.constant(10),
  }),
  offers: fc.record({
    password: mostly,
    'security-key': mostly,
    'authenticator-app': mostly,
    'recovery-code': mostly,
    'email-code': mostly,
    'email-link': mostly,
  }),
  mode: fc.constantFrom('development', 'product'),
  demand: fc.record(
    {
      reauthenticate: fc.boolean(),
      factors: fc.constant('two' as const),
      hardwareKey: fc.boolean(),
      refuseEmail: fc.boolean(),
      acrValues: fc.array(fc.constantFrom('0', '1', 'mfa', 'hwk', 'phr', 'phrh', 'urn:unknown'), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
  administrator: fc.constantFrom('none', 'role', 'built-in'),
  mfaRequired: fc.boolean(),
  mustChange: fc.boolean(),
  risk: fc.constantFrom('none', 'elevated', 'step-up'),
  declined: fc.constant(false),
  enrolling: fc.constant(undefined),
});

/** What a person does at a step: the situation afterwards, or nothing where there is nothing left to do. */
export function act(situation: Situation, next: Next, choice: number): Situation | undefined {
  const { holds, proven } = situation;
  switch (next.step) {
    case 'ask': {
      const ways = [next.mechanism, ...next.others];
      const mechanism = ways[choice % ways.length] ?? next.mechanism;
      if (next.enrols && mechanism === 'authenticator-app') return { ...situation, holds: { ...holds, app: true }, enrolling: undefined };
      const held = next.enrols ? { ...holds, ...(next.role === 'first' ? { primaryKey: true } : { mfaKey: true }) } : holds;
      const left = mechanism === 'recovery-code' ? { recoveryCodes: holds.recoveryCodes - 1 } : {};
      return { ...situation, holds: { ...held, ...left }, enrolling: undefined, proven: [...proven, { mechanism, role: next.role }] };
    }
    case 'enrol': {
      const choices = next.required ? next.choices : [...next.choices, undefined];
      const chosen = choices[choice % choices.length];
      return chosen === undefined ? { ...situation, declined: true } : { ...situation, enrolling: chosen };
    }
    case 'changePassword':
      return { ...situation, mustChange: false };
    case 'done':
    case 'refuse':
      return undefined;
  }
}
