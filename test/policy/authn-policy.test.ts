import test from 'ava';
import fc from 'fast-check';
import { type AuthnPolicy, builtInAuthnPolicy, faultOfAuthnPolicy, mechanisms, readAuthnPolicy, takesEmail } from '#policy';

type Given = Readonly<Record<string, readonly string[] | string>>;

const values = (given: Given) => (attribute: string) => {
  const found = Object.entries(given).find(([name]) => name.toLowerCase() === attribute)?.[1] ?? [];
  return typeof found === 'string' ? [found] : found;
};
const read = (given: Given) => readAuthnPolicy(values(given));
const fault = (given: Given) => faultOfAuthnPolicy(values(given));

test('the built-in policy: password or key, then key, app or recovery code of who holds one; administrators are offered; mail is off', (t) => {
  t.deepEqual(builtInAuthnPolicy, {
    firstFactors: ['password', 'security-key'],
    secondFactors: ['security-key', 'authenticator-app', 'recovery-code'],
    requireSecondFactor: 'if-held',
    requireSecondFactorForAdministrators: 'offer',
    totpEnrolment: true,
    recoveryCodeEnrolment: true,
    emailCodeTtlS: 600,
    emailCodeAttempts: 5,
    emailFailureLimit: 10,
  } satisfies AuthnPolicy);
  t.false(takesEmail(builtInAuthnPolicy));
  t.deepEqual(read({}), builtInAuthnPolicy);
  t.is(fault({}), undefined);
});

test('each field of an entry is read, words in any case, and what it does not say is as built in', (t) => {
  const given = {
    stsFirstFactor: ['Password', 'email-LINK'],
    stsSecondFactor: ['authenticator-app'],
    stsRequireSecondFactor: 'Always',
    stsRequireSecondFactorForAdministrators: 'IF-HELD',
    stsTotpEnrolment: 'FALSE',
    stsEmailCodeTtl: '120',
    stsEmailCodeAttempts: '3',
    stsEmailFailureLimit: '100',
  };
  t.is(fault(given), undefined);
  t.deepEqual(read(given), {
    firstFactors: ['password', 'email-link'],
    secondFactors: ['authenticator-app'],
    requireSecondFactor: 'always',
    requireSecondFactorForAdministrators: 'if-held',
    totpEnrolment: false,
    recoveryCodeEnrolment: true,
    emailCodeTtlS: 120,
    emailCodeAttempts: 3,
    emailFailureLimit: 100,
  });
});

test('a word of an authentication policy that is none asks for the most', (t) => {
  for (const word of ['never', 'sometimes', '']) {
    t.is(read({ stsRequireSecondFactor: word }).requireSecondFactor, 'always');
    t.is(read({ stsRequireSecondFactorForAdministrators: word }).requireSecondFactorForAdministrators, 'always');
  }
  t.deepEqual(read({ stsFirstFactor: ['magic', 'password'] }).firstFactors, ['password']);
  t.deepEqual(read({ stsFirstFactor: ['magic'] }).firstFactors, []);
  t.deepEqual(read({ stsSecondFactor: ['magic'] }).secondFactors, []);
  t.false(read({ stsTotpEnrolment: 'perhaps' }).totpEnrolment);
  t.is(read({ stsEmailCodeTtl: 'long' }).emailCodeTtlS, 30);
  t.is(read({ stsEmailCodeTtl: '3600' }).emailCodeTtlS, 600);
  t.is(read({ stsEmailCodeAttempts: '-1' }).emailCodeAttempts, 1);
  t.is(read({ stsEmailFailureLimit: '1000' }).emailFailureLimit, 100);
});

const refused: readonly [given: Given, attribute: string, why: RegExp][] = [
  [
    { stsFirstFactor: ['password', 'webauthn'] },
    'stsFirstFactor',
    /^webauthn is no mechanism; it may hold password, security-key, email-code, email-link$/,
  ],
  [{ stsFirstFactor: 'authenticator-app' }, 'stsFirstFactor', /can never be a first factor/],
  [{ stsFirstFactor: 'recovery-code' }, 'stsFirstFactor', /can never be a first factor/],
  [{ stsSecondFactor: 'password' }, 'stsSecondFactor', /can never be a second factor/],
  [{ stsSecondFactor: 'x'.repeat(100) }, 'stsSecondFactor', /^x{40}… is no mechanism/],
  [{ stsSecondFactor: 'recovery-code' }, 'stsSecondFactor', /stands in for another/],
  [{ stsRequireSecondFactor: 'never' }, 'stsRequireSecondFactor', /^it is if-held or always, not never$/],
  [
    { stsRequireSecondFactorForAdministrators: 'never' },
    'stsRequireSecondFactorForAdministrators',
    /^it is offer, always or if-held, not never$/,
  ],
  [{ stsEmailCodeTtl: '601' }, 'stsEmailCodeTtl', /^it is from 30 to 600 seconds, not 601$/],
  [{ stsEmailCodeTtl: '29' }, 'stsEmailCodeTtl', /from 30/],
  [{ stsEmailCodeAttempts: '0' }, 'stsEmailCodeAttempts', /from 1 to 20/],
  [{ stsEmailFailureLimit: '101' }, 'stsEmailFailureLimit', /from 1 to 100/],
  [{ stsEmailFailureLimit: '-5' }, 'stsEmailFailureLimit', /from 1 to 100/],
  [{ stsRequireSecondFactor: 'always', stsFirstFactor: 'security-key' }, 'stsRequireSecondFactor', /nobody could sign in/],
  [
    { stsRequireSecondFactor: 'always', stsFirstFactor: 'email-code', stsSecondFactor: ['email-link', 'recovery-code'] },
    'stsRequireSecondFactor',
    /nobody could sign in/,
  ],
];

for (const [given, attribute, why] of refused)
  test(`nonsense is refused in words: ${JSON.stringify(given).slice(0, 100)}`, (t) => {
    const found = fault(given);
    t.is(found?.attribute, attribute);
    t.regex(found?.why ?? '', why);
  });

test('a policy without a fault leaves somebody a way in, whatever it holds', (t) => {
  const word = fc.constantFrom(...mechanisms);
  const given = fc.record({
    stsFirstFactor: fc.array(word, { maxLength: 4 }),
    stsSecondFactor: fc.array(word, { maxLength: 4 }),
    stsRequireSecondFactor: fc.constantFrom('if-held', 'always'),
  });
  const isMailed = (each: string) => each.startsWith('email-');
  fc.assert(
    fc.property(given, (entry) => {
      if (fault(entry) !== undefined) return;
      const { firstFactors, secondFactors, requireSecondFactor } = read(entry);
      t.true(firstFactors.length > 0);
      t.false(firstFactors.some((each) => each === 'authenticator-app' || each === 'recovery-code'));
      if (requireSecondFactor === 'if-held') return;
      const ways = firstFactors.flatMap((first) =>
        secondFactors.filter((second) => !(isMailed(first) && isMailed(second))).map((second) => [first, second]),
      );
      t.true(ways.some(([first, second]) => first !== 'security-key' && second !== 'recovery-code'));
    }),
    { numRuns: 2000 },
  );
});
