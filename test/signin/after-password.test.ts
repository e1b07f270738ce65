import test from 'ava';
import fc from 'fast-check';
import { type AfterPassword, afterPassword, type Mechanism, mechanisms, type SecondStep } from '#policy';
import { decide, type Next, type Situation } from '#signin';
import { situation } from './situations.ts';

/** Those that are switched off, each by a setting of its name. */
const switches = fc.subarray([...mechanisms]);

/** Somebody who has shown their password and nothing else, where nobody demands more than the policy. */
function shown(given: Situation, off: readonly Mechanism[]): Situation {
  const offers = mechanisms.map((each) => {
    const isOn = !off.includes(each);
    return [each, { first: isOn, second: isOn, enrol: isOn, ...(isOn ? {} : { off: `${each}.enabled` }) }];
  });
  return {
    ...given,
    ticked: { secondFactor: false, passwordless: false },
    proven: [{ mechanism: 'password', role: 'first' }],
    policy: { ...given.policy, firstFactors: ['password'] },
    offers: Object.fromEntries(offers),
    demand: {},
    mustChange: false,
    risk: 'none',
  };
}

function told({ holds, policy, administrator, mfaRequired }: Situation, off: readonly Mechanism[]): AfterPassword {
  const byRole = administrator === 'role' && policy.requireSecondFactorForAdministrators === 'always';
  return {
    ...{ mfaKey: holds.mfaKey, app: holds.app, email: holds.email },
    policy: { secondFactors: mechanisms.filter((each) => policy.secondFactors.includes(each)), totpEnrolment: policy.totpEnrolment },
    required: policy.requireSecondFactor === 'always' || mfaRequired || byRole,
    off: Object.fromEntries(off.map((each) => [each, `${each}.enabled`])),
  };
}

/** What the sign-in does, in the words of who explains it. An offer that may be ignored asks for nothing. */
function inShort(next: Next): readonly unknown[] {
  switch (next.step) {
    case 'ask':
      return ['asked', next.mechanism, ...next.others.filter((each) => each !== 'recovery-code')];
    case 'enrol':
      return next.required ? ['enrolled', ...next.choices] : ['nothing'];
    case 'refuse':
      return ['refused', next.why];
    case 'done':
      return ['nothing'];
    case 'changePassword':
      return ['a password'];
  }
}

function explained(step: SecondStep): readonly unknown[] {
  if (step.kind === 'nothing') return ['nothing'];
  return step.kind === 'refused' ? ['refused', step.why] : [step.kind, ...step.mechanisms];
}

test('what is explained of a second factor is what the sign-in does, whoever it is and whatever the policy and the settings', (t) => {
  const seen = new Set<unknown>();
  fc.assert(
    fc.property(situation, switches, (given, off) => {
      const before = shown(given, off);
      const next = inShort(decide(before));
      seen.add(next[0]);
      t.deepEqual(explained(afterPassword(told(before, off))), next);
    }),
    { numRuns: 2000 },
  );
  t.deepEqual([...seen].toSorted(), ['asked', 'enrolled', 'nothing', 'refused']);
});

test('a refusal says of each mechanism what to change', (t) => {
  const standing: AfterPassword = {
    ...{ mfaKey: false, app: false, email: 'none', required: true, off: {} },
    policy: { secondFactors: ['security-key', 'authenticator-app', 'email-code'], totpEnrolment: true },
  };
  const hindrances = (given: Partial<AfterPassword>) => {
    const step = afterPassword({ ...standing, ...given });
    return step.kind === 'refused' ? step.hindrances.map(({ mechanism, by }) => [mechanism, by]) : step.kind;
  };
  t.is(hindrances({}), 'enrolled');
  t.deepEqual(hindrances({ policy: { secondFactors: ['authenticator-app'], totpEnrolment: false } }), [
    ['security-key', 'stsSecondFactor'],
    ['authenticator-app', 'stsTotpEnrolment'],
  ]);
  t.deepEqual(hindrances({ app: true, off: { 'authenticator-app': 'totp.enabled' } }), [
    ['authenticator-app', { setting: 'totp.enabled' }],
  ]);
  t.deepEqual(hindrances({ email: 'failed' }), [['email-code', 'stsEmailFailures']]);
  t.deepEqual(hindrances({ email: 'good', off: { 'email-code': 'mail.smtpHost' } }), [['email-code', { setting: 'mail.smtpHost' }]]);
});
