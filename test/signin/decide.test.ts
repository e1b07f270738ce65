import test from 'ava';
import { decide, type Held, type Next, type Offer, type Situation } from '#signin';

const all: Offer = { first: true, second: true, enrol: true };
const nothing: Held = { mfaKey: false, primaryKey: false, app: false, recoveryCodes: 0, email: false };
const policy: Situation['policy'] = {
  firstFactors: ['password', 'security-key'],
  secondFactors: ['security-key', 'authenticator-app', 'recovery-code'],
  requireSecondFactor: 'if-held',
  requireSecondFactorForAdministrators: 'offer',
  totpEnrolment: true,
  emailFailureLimit: 10,
};

/** Somebody whose password was accepted, in product mode, under the built-in policy, with every mechanism on. */
const standing: Situation = {
  holds: nothing,
  ticked: { secondFactor: false, passwordless: false },
  proven: [{ mechanism: 'password', role: 'first' }],
  policy,
  offers: {
    password: all,
    'security-key': all,
    'authenticator-app': all,
    'recovery-code': all,
    'email-code': all,
    'email-link': all,
  },
  mode: 'product',
  demand: {},
  administrator: 'none',
  mfaRequired: false,
  mustChange: false,
  risk: 'none',
  declined: false,
  enrolling: undefined,
};

const passwordAlone: Next = { step: 'done', amr: ['pwd'], acr: '1', mechanisms: ['password'] };
const ask = (mechanism: (Next & { step: 'ask' })['mechanism'], others: (Next & { step: 'ask' })['others'] = [], enrols = false): Next => ({
  step: 'ask',
  mechanism,
  role: 'second',
  enrols,
  others,
});

const secondFactor: readonly [title: string, given: Partial<Situation>, next: Next][] = [
  ['holds nothing, box unticked: nothing (one factor)', {}, passwordAlone],
  [
    'holds nothing, second-factor box ticked: the security-key ceremony, enrolling on first use',
    { ticked: { secondFactor: true, passwordless: false } },
    ask('security-key', [], true),
  ],
  ['holds an mfa key: the key', { holds: { ...nothing, mfaKey: true } }, ask('security-key')],
  ['holds an authenticator app: the code', { holds: { ...nothing, app: true } }, ask('authenticator-app')],
  [
    'holds both: the key, with a link to the code',
    { holds: { ...nothing, mfaKey: true, app: true } },
    ask('security-key', ['authenticator-app']),
  ],
  [
    'holds a primary key, passwordless box ticked: the passwordless ceremony',
    { proven: [], holds: { ...nothing, primaryKey: true }, ticked: { secondFactor: false, passwordless: true } },
    { step: 'ask', mechanism: 'security-key', role: 'first', enrols: false, others: [] },
  ],
];

for (const [title, given, next] of secondFactor)
  test(`which second factor is asked for: ${title}`, (t) => t.deepEqual(decide({ ...standing, ...given }), next));
