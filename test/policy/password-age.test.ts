import test from 'ava';
import {
  builtInPasswordPolicy,
  faultOfPasswordPolicy,
  type PasswordAge,
  passwordAge,
  passwordExpiryMs,
  passwordTooYoungS,
  readPasswordPolicy,
} from '#policy';

const day = 86_400;
const policy = { ...builtInPasswordPolicy, maxAgeS: 90 * day, warnS: 7 * day, graceLogins: 2, minAgeS: day };

const cases: readonly [title: string, ageS: number, graceUses: number, age: PasswordAge][] = [
  ['a new one is good', 0, 0, { kind: 'good' }],
  ['it is good until the time of the warning', 83 * day - 1, 0, { kind: 'good' }],
  ['from then on it is told when it expires', 83 * day, 0, { kind: 'expiring', leftS: 7 * day }],
  ['to the last second', 90 * day - 1, 0, { kind: 'expiring', leftS: 1 }],
  ['an expired one is let in as often as the policy says', 90 * day, 0, { kind: 'grace', left: 1 }],
  ['and the last time', 90 * day, 1, { kind: 'grace', left: 0 }],
  ['then no more', 90 * day, 2, { kind: 'expired' }],
  ['nor where more is noted than the policy has by now', 91 * day, 100, { kind: 'expired' }],
];

for (const [title, ageS, graceUses, age] of cases)
  test(`the age of a password: ${title}`, (t) =>
    t.deepEqual(passwordAge(policy, { changedMs: 1_000_000, graceUses }, 1_000_000 + ageS * 1000), age));

test('a password without a time, and any where nothing expires, is good for ever (draft-behera §5.3.2)', (t) => {
  t.deepEqual(passwordAge(policy, { changedMs: undefined, graceUses: 0 }, 1e15), { kind: 'good' });
  t.deepEqual(passwordAge(builtInPasswordPolicy, { changedMs: 0, graceUses: 9 }, 1e15), { kind: 'good' });
  t.is(passwordExpiryMs(builtInPasswordPolicy, 0), undefined);
  t.is(passwordExpiryMs(policy, 5000), 5000 + 90 * day * 1000);
});

test('a password is too young until its least age, in seconds that are left', (t) => {
  t.is(passwordTooYoungS(policy, 0, 0), day);
  t.is(passwordTooYoungS(policy, 0, day * 1000 - 1), 1);
  t.is(passwordTooYoungS(policy, 0, day * 1000), 0);
  t.is(passwordTooYoungS(policy, undefined, 0), 0);
  t.is(passwordTooYoungS(builtInPasswordPolicy, 0, 0), 0);
});

const valuesOf = (said: Readonly<Record<string, string>>) => (name: string) =>
  Object.entries(said).flatMap(([each, value]) => (each.toLowerCase() === name ? [value] : []));

test('the times of a policy are read by the draft’s names; nonsense in one counts as not given', (t) => {
  const said = { pwdMaxAge: '7776000', pwdExpireWarning: '604800', pwdGraceAuthNLimit: '2', pwdMinAge: '86400' };
  t.like(readPasswordPolicy(valuesOf(said)), { maxAgeS: 90 * day, warnS: 7 * day, graceLogins: 2, minAgeS: day });
  t.like(readPasswordPolicy(valuesOf({ pwdMaxAge: '-1', pwdGraceAuthNLimit: '101', pwdMinAge: 'a day' })), {
    maxAgeS: 0,
    graceLogins: 0,
    minAgeS: 0,
  });
});

const faults: readonly [said: Readonly<Record<string, string>>, attribute: string | undefined][] = [
  [{ pwdMaxAge: '0' }, undefined],
  [{ pwdMaxAge: '7776000', pwdMinAge: '86400', pwdExpireWarning: '604800' }, undefined],
  [{ pwdMaxAge: '315360001' }, 'pwdMaxAge'],
  [{ pwdMaxAge: '-1' }, 'pwdMaxAge'],
  [{ pwdGraceAuthNLimit: '101' }, 'pwdGraceAuthNLimit'],
  [{ pwdMaxAge: '86400', pwdMinAge: '86400' }, 'pwdMinAge'],
  [{ pwdMaxAge: '86400', pwdExpireWarning: '86400' }, 'pwdExpireWarning'],
  // Without an age there is nothing to contradict.
  [{ pwdMinAge: '86400', pwdExpireWarning: '86400' }, undefined],
];
for (const [said, attribute] of faults)
  test(`a policy that says ${JSON.stringify(said)} ${attribute === undefined ? 'is taken' : `is refused for ${attribute}`}`, (t) =>
    t.is(faultOfPasswordPolicy(valuesOf(said))?.attribute, attribute));
