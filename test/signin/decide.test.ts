import test from 'ava';
import { type AuthnPolicy, builtInAuthnPolicy } from '#policy';
import { decide, type Next, type Proof } from '#signin';

const noPassword: AuthnPolicy = { ...builtInAuthnPolicy, firstFactors: ['webauthn'] };
const always: AuthnPolicy = { ...builtInAuthnPolicy, secondFactor: 'always' };

const rule: readonly [title: string, proven: readonly Proof[], next: Next, policy?: AuthnPolicy, isBuiltIn?: boolean][] = [
  ['nothing is proven: the password is asked for', [], { step: 'askPassword' }],
  ['a password alone: amr ["pwd"], acr "1"', ['password'], { step: 'done', amr: ['pwd'], acr: '1' }],
  ['a policy that accepts no password as a first factor: nobody is asked for one', [], { step: 'refuse', why: 'mechanism' }, noPassword],
  ['nor is one that was sent anyway taken', ['password'], { step: 'refuse', why: 'mechanism' }, noPassword, true],
  ['requireSecondFactor always: the password is asked for first', [], { step: 'askPassword' }, always],
  ['requireSecondFactor always and no mechanism to give one: refused', ['password'], { step: 'refuse', why: 'secondFactor' }, always],
  [
    'the built-in administrator is only offered a second factor, even under always',
    ['password'],
    { step: 'done', amr: ['pwd'], acr: '1' },
    always,
    true,
  ],
];

for (const [title, proven, next, policy = builtInAuthnPolicy, isBuiltIn = false] of rule) {
  test(title, (t) => t.deepEqual(decide(proven, policy, isBuiltIn), next));
}
