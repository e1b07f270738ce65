import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { decide, meetsDemand, type Next, readDemand, type Situation } from '#policy';
import { holds } from '../support/holds.ts';
import { act, situation } from './situations.ts';

/** More steps than any sign-in has: changing the password, choosing, enrolling, and two factors. */
const stepsMax = 8;
const choices = fc.array(fc.nat({ max: 11 }), { minLength: stepsMax, maxLength: stepsMax });

interface Walked {
  readonly begun: Situation;
  readonly steps: readonly { readonly at: Situation; readonly next: Next }[];
  readonly end: Next;
}

/** A whole sign-in: at each step the person does one of what the step leaves to them. */
function walk(begun: Situation, picks: readonly number[]): Walked {
  const steps: { at: Situation; next: Next }[] = [];
  let at: Situation | undefined = begun;
  for (const pick of [...picks, 0]) {
    const next: Next = decide(at);
    steps.push({ at, next });
    at = act(at, next, pick);
    if (at === undefined) return { begun, steps, end: next };
  }
  throw new Error(`a sign-in that never ends: ${JSON.stringify(steps.map(({ next }) => next))}`);
}

const runs = { numRuns: 5000 };
const hold = (t: ExecutionContext, rule: (walked: Walked) => void) =>
  holds(
    t,
    fc.property(situation, choices, (begun, picks) => rule(walk(begun, picks))),
    runs,
  );
const isEmailed = (mechanism: string) => mechanism.startsWith('email-');

function check(isSo: boolean, walked: Walked): void {
  if (!isSo) throw new Error(JSON.stringify(walked.steps.map(({ next }) => next)));
}

/** The rules that ask for two factors, said once more and in other words than the decider says them. */
function twoAreDue({ policy, mfaRequired, administrator, risk, demand, ticked, holds }: Situation, first: string): boolean {
  const byRule = policy.requireSecondFactor === 'always' || mfaRequired || risk === 'step-up';
  const byRole = administrator === 'role' && policy.requireSecondFactorForAdministrators === 'always';
  const byDemand = readDemand(demand).twoFactors || ticked.secondFactor;
  const byMail = holds.email !== 'none' && !isEmailed(first) && policy.secondFactors.some(isEmailed);
  const byHolding = first !== 'security-key' && (holds.mfaKey || holds.app || byMail);
  return byRule || byRole || byDemand || byHolding;
}

test('no dead end, and no loop: every sign-in ends in a session or in a refusal', (t) => {
  hold(t, (walked) => check(walked.end.step === 'done' || walked.end.step === 'refuse', walked));
});

test('no path reaches a session with fewer or other factors than were demanded', (t) => {
  hold(t, (walked) => {
    const { end, begun } = walked;
    if (end.step !== 'done') return;
    const [first = '', second] = end.mechanisms;
    check(meetsDemand(end, begun.demand), walked);
    if (twoAreDue(begun, first)) check(second !== undefined && end.acr === 'mfa', walked);
    check((second !== undefined) === (end.acr === 'mfa'), walked);
    if (begun.risk === 'step-up') check(second !== undefined && !isEmailed(second), walked);
    const shown = walked.steps.at(-1)?.at.proven.map(({ mechanism }) => mechanism) ?? [];
    check(JSON.stringify(shown) === JSON.stringify(end.mechanisms), walked);
  });
});

test('every mechanism that is asked for, or does as well, is accepted by the policy in that role and on', (t) => {
  hold(t, (walked) => {
    for (const { at, next } of walked.steps) {
      if (next.step !== 'ask') continue;
      const accepted = next.role === 'first' ? at.policy.firstFactors : at.policy.secondFactors;
      for (const mechanism of [next.mechanism, ...next.others])
        check(accepted.includes(mechanism) && at.offers[mechanism]?.[next.role] !== undefined, walked);
      if (!next.enrols) for (const mechanism of [next.mechanism, ...next.others]) check(at.offers[mechanism]?.[next.role] === true, walked);
    }
  });
});

test('a recovery code is never the factor that is asked for, and an app never the first', (t) => {
  hold(t, (walked) => {
    for (const { next } of walked.steps) {
      if (next.step !== 'ask') continue;
      check(next.mechanism !== 'recovery-code', walked);
      if (next.others.includes('recovery-code')) check(['security-key', 'authenticator-app'].includes(next.mechanism), walked);
      if (next.role === 'first') check(![next.mechanism, ...next.others].includes('authenticator-app'), walked);
    }
  });
});

test('an emailed factor is never second after an emailed first', (t) => {
  hold(t, (walked) => {
    const { end } = walked;
    if (end.step === 'done') check(!(isEmailed(end.mechanisms[0] ?? '') && isEmailed(end.mechanisms[1] ?? '')), walked);
  });
});

test('nobody who holds a key or an app enrols another beside it on the way in', (t) => {
  hold(t, (walked) => {
    const { mfaKey, app } = walked.begun.holds;
    for (const { next } of walked.steps)
      if (mfaKey || app) check(next.step !== 'enrol' && !(next.step === 'ask' && next.enrols && next.role === 'second'), walked);
  });
});

test('a refusal names why, and one for a mechanism names which', (t) => {
  hold(t, (walked) => {
    if (walked.end.step !== 'refuse') return;
    const { why, names } = walked.end;
    if (why === 'secondFactorImpossible' || why === 'secondNotAccepted' || why === 'mechanismNotAccepted' || why === 'mechanismOff')
      check(names.length > 0, walked);
  });
});

test('what is offered and not wanted is not asked for again in the same sign-in', (t) => {
  hold(t, (walked) => {
    const declined = walked.steps.findIndex(({ at }) => at.declined);
    if (declined >= 0)
      check(
        walked.steps.slice(declined).every(({ next }) => next.step !== 'enrol'),
        walked,
      );
  });
});
