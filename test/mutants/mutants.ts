import type { Patch } from '../torture/sabotage.ts';

/** A mistake that breaks one rule of the sign-in, and the test that must fail with it. */
export interface SigninMutant {
  readonly means: string;
  readonly patches: readonly [Patch];
  /** A test file below `test/`, and words of the title of the rule's test. */
  readonly caughtBy: readonly [file: string, title: string];
}

type Line = readonly [name: string, means: string, from: string, to: string, title: string];

/** Mistakes in one file that one test file must see. */
function of(file: string, test: string, lines: readonly Line[]): readonly (readonly [string, SigninMutant])[] {
  return lines.map(([name, means, from, to, title]) => [name, { means, patches: [{ file, from, to }], caughtBy: [test, title] }]);
}

export const signinMutants: ReadonlyMap<string, SigninMutant> = new Map([
  ...of('src/signin/decide.ts', 'signin/decide.test.ts', [
    [
      'always',
      'requireSecondFactor=always requires nothing',
      "policy.requireSecondFactor === 'always' ||",
      'false ||',
      'always, holds none: /authn/mfa-setup',
    ],
    ['mfa-required', 'stsMfaRequired requires nothing', '    mfaRequired ||\n', '', 'stsMfaRequired, holds none: /authn/mfa-setup'],
    [
      'built-in',
      'the built-in administrator is required to enrol',
      "(administrator === 'role' &&",
      "(administrator !== 'none' &&",
      'always, the built-in one is only offered a second factor',
    ],
    [
      'step-up',
      'an emailed factor satisfies a step-up on risk',
      "noEmail || situation.risk === 'step-up'))",
      'noEmail))',
      'a mailed one that was shown before the risk was known is not enough',
    ],
    [
      'primary-second',
      'a passwordless key is a second factor',
      "['security-key', holds.mfaKey],",
      "['security-key', holds.mfaKey || holds.primaryKey],",
      'holds a primary key, types the password: one factor',
    ],
    [
      'code-for-key',
      'a code is asked for where a hardware key is demanded',
      'holds.app && !securityKey]',
      'holds.app]',
      'a demand for a hardware key refuses the code step (STS-AUTHN-0204)',
    ],
    [
      'mail-twice',
      'an emailed factor is second after an emailed first',
      "holds.email === 'good' && !isEmailed(first) &&",
      "holds.email === 'good' &&",
      'an emailed first factor and nothing else is one factor',
    ],
    [
      'no-primary',
      'in product mode the passwordless box enrols a key',
      "if (mode === 'product' && !holds.primaryKey)",
      "if (mode === 'product' && holds.mfaKey)",
      'product, no primary key: refused before a step is minted (STS-AUTHN-0206)',
    ],
    [
      'recovery-for-key',
      'a recovery code meets a demand for a hardware key',
      "if (securityKey && second !== 'security-key')",
      "if (securityKey && second === 'authenticator-app')",
      'demands by a relying party: and a recovery code',
    ],
    [
      'ignore',
      'Ignore is of no use where a second factor is offered',
      '&& !declined && choices',
      '&& choices',
      'offer, Ignore: the password alone',
    ],
    [
      'way-round-key',
      'a recovery code is a way round a hardware key that is demanded',
      'can && wayRound && !readDemand(demand).securityKey',
      'can && wayRound',
      'a demand for a hardware key asks for the key alone among what is held',
    ],
    [
      'amr-mail',
      'an emailed second factor has the amr of both',
      'isEmailed(second) ? [methods[second]] : ',
      '',
      'emailed code, after another factor',
    ],
    [
      'acr',
      'two factors have the class of one',
      "acr: 'mfa', mechanisms",
      "acr: '1', mechanisms",
      'amr and acr: security key as second factor',
    ],
    [
      'totp-row',
      'the row of the app stops no enrolment',
      "(each === 'security-key' || policy.totpEnrolment)",
      'true',
      'row is off: a key alone can be enrolled',
    ],
    [
      'must-change',
      'a password that must be changed goes on as it is',
      "if (first === 'password' && situation.mustChange)",
      "if (first === 'email-code' && situation.mustChange)",
      'the password is changed first, the second factor asked for afterwards',
    ],
  ]),
  ...of('src/sessions/sessions.ts', 'sessions/sessions.test.ts', [
    [
      'handle-stays',
      'a re-authentication leaves the handle of before',
      'secretHash: hashOf(secret),\n    };\n    const next',
      'secretHash: kept.value.secretHash,\n    };\n    const next',
      'a re-authentication by the same person appends an event, changes the handle and keeps the sid',
    ],
    [
      'other-person',
      'the session of another person goes on',
      'if (other.value.subject !== subject && (await',
      'if (other.value.subject === subject && (await',
      'a different person replaces the session',
    ],
    [
      'disabled-begins',
      'a disabled person gets a session',
      'person.disabled ? errors.disabled : undefined',
      'undefined',
      'a sign-in whose person has no entry is refused with STS-AUTHN-0180',
    ],
    [
      'anonymous-acr',
      'whoever did not sign in has class 1',
      "amr: [], acr: '0'",
      "amr: [], acr: '1'",
      'somebody who did not sign in has a session of nobody',
    ],
  ]),
  ...of('src/signin/way.ts', 'signin/way.test.ts', [
    [
      'before-proven',
      'the first screen depends on whom a name means',
      'proven.length > 0 || ticked.passwordless ? person : undefined',
      'person',
      'before anything is proven, what is shown depends on nobody',
    ],
    [
      'mail-limit',
      'one wrong mailed code more is taken',
      'email.failures < emailFailureLimit',
      'email.failures <= emailFailureLimit',
      'turn the mailed second factor off, and not one fewer',
    ],
    [
      'other-name',
      'a step behind the first factor makes the sign-in somebody else’s',
      'proven.length > 0 ? { userName, entryUuid, ticked } : {}',
      '{}',
      'stands from the first factor on',
    ],
    [
      'code-posted',
      'a code that is posted where a hardware key is demanded is judged',
      'isCode && readDemand(parked.demand).securityKey',
      "isCode && parked.target === ''",
      'a demand for a hardware key refuses a code and a recovery code, whatever else',
    ],
    [
      'role-posted',
      'a mechanism is taken as a first factor that is accepted as a second one',
      '(isFirst ? firstFactors : secondFactors).includes(mechanism)',
      '[...firstFactors, ...secondFactors, mechanism].includes(mechanism)',
      'is refused where it is posted',
    ],
    [
      'key-by-name',
      'a key alone is taken of whoever ticked nothing',
      "if (mechanism === 'security-key' && next.role === 'first' && !ticked.passwordless)",
      "if (mechanism === 'security-key' && next.role === 'first' && ticked.unnamed)",
      'a key alone only where its box was ticked',
    ],
    [
      'login-second',
      'the first screen is taken as a second factor',
      "!(step.begins && next.role === 'second')",
      'true',
      'and the first screen never as a second factor',
    ],
    [
      'step-time',
      'the time of a step begins with the request',
      'waitsUntilMs: nowMs + ttlMs',
      'waitsUntilMs: ttlMs',
      'has the whole of a step’s time for the next one',
    ],
    [
      'another-person',
      'the second factor is another person’s',
      'progress.proven.length > 0 && person.entryUuid !== progress.entryUuid',
      "progress.proven.length > 0 && person.entryUuid === ''",
      'has the whole of a step’s time for the next one',
    ],
    [
      'as-far',
      'a factor is kept on top of another sign-in’s',
      'declined, enrolling, proven]',
      'declined, enrolling]',
      'is as far as it was when no more than its page has changed',
    ],
    [
      'anonymous-demand',
      'whoever is asked to sign in may go on without',
      'unauthenticatedSessions && Object.keys(demand).length === 0',
      'unauthenticatedSessions',
      'nobody goes on without signing in then',
    ],
  ]),
  ...of('src/signin/frame.ts', 'signin/handlers.test.ts', [
    [
      'other-browser',
      'a sign-in goes on in another browser',
      "browser !== undefined && browser !== markOf(browserOf(request) ?? '')",
      "browser === ''",
      'in the browser in which it began, and in no other',
    ],
    [
      'step-late',
      'a step is taken when its time is over',
      'deps.clock.nowMs() >= waitsUntilMs',
      'deps.clock.nowMs() > waitsUntilMs',
      'is over, to the millisecond',
    ],
    [
      'shown-twice',
      'a page that changed meanwhile takes away what was shown',
      "kept !== undefined || outcome.kind !== 'proven' ||",
      "kept !== undefined || outcome.kind === 'proven' ||",
      'whoever has shown a factor shows it once',
    ],
  ]),
  ...of('src/factors/email/email.ts', 'factors/email.test.ts', [
    [
      'counted-together',
      'wrong codes of the first factor turn the second off',
      "role === 'first' ? firstFailures : failures",
      'Math.max(firstFailures, failures)',
      'as a second one, while they want it',
    ],
  ]),
  ...of('src/state/kind.ts', 'factors/waiting.test.ts', [
    [
      'places-of-others',
      'one account fills the places of all',
      "row.ownerRowsMax !== undefined && owner !== ''",
      "row.ownerRowsMax !== undefined && owner === ''",
      'one account cannot push out what waits for others',
    ],
  ]),
  ...of('src/directory/access/strength.ts', 'directory/second-factors.test.ts', [
    [
      'one-for-two',
      'who holds a second factor changes it with one alone',
      '(session.factors >= 2 || !heldSecond)',
      'session.factors >= 1',
      'changes none with one alone',
    ],
  ]),
  ...of('src/directory/operations/modify.ts', 'directory/password-policy.test.ts', [
    [
      'history-asked',
      'whether a password was one of the last is told without end',
      'await counted(call, { realm, dn: entry.dn }, () => checkHistory(engine, realm, entry, value));',
      'await checkHistory(engine, realm, entry, value);',
      'told no oftener than one may try to sign in',
    ],
  ]),
  ...of('src/state/limits.ts', 'state/limits.test.ts', [
    [
      'trusted-name',
      'a server in front lifts the limit of the name',
      '...(isCounted ? [',
      '...(isCounted || octets !== undefined ? [',
      'lifts the limit of the address and never that of the name',
    ],
    ['realm-counts', 'failures of one realm count in another', '{realm}`,', '{kind}`,', 'realms count for themselves'],
    [
      'site',
      'each address of an IPv6 site has a limit of its own',
      'const siteOctets = 8;',
      'const siteOctets = 16;',
      'the first 64 bits of an IPv6 address are one address',
    ],
    [
      'taken-back',
      'what succeeded counts as failed',
      'succeeded: async () => counting.countDown(result.counted)',
      'succeeded: async () => undefined',
      'an attempt that succeeds is taken back',
    ],
    [
      'window',
      'the window is half as long',
      "settings['security.rateLimitWindowS'] * 1000",
      "settings['security.rateLimitWindowS'] * 500",
      'the window is fixed',
    ],
  ]),
  ...of('src/keys/totp.ts', 'keys/totp.test.ts', [
    [
      'skew',
      'no step before the one of now is taken',
      'Math.max(0, now - window)',
      'Math.max(0, now)',
      'so many steps of skew either side are taken',
    ],
  ]),
  ...of('src/directory/extended/verify.ts', 'directory/verify.test.ts', [
    [
      'replay',
      'a code is taken twice',
      'lastStepOf(attributes), code',
      'undefined, code',
      'a code is accepted once, and a replay is refused as a replay',
    ],
    [
      'recovery-stays',
      'a recovery code is not spent',
      'const rest = withoutCode(values, found);',
      'const rest = values;',
      'recovery codes are spent by the try that they let in',
    ],
    [
      'disabled-code',
      'a code of a disabled account is taken',
      'if (accountOf(entry, engine.clock.nowMs()).bar !== undefined) throw',
      "if (accountOf(entry, engine.clock.nowMs()).bar !== undefined && dn === '') throw",
      'a disabled account is refused, as with a wrong code',
    ],
  ]),
  ...of('src/credentials/judge.ts', 'credentials/judge.test.ts', [
    [
      'disabled-password',
      'a password of a disabled account is taken',
      'if (account.bar !== undefined) return refused(bars[account.bar]);',
      '',
      'development mode: a disabled account is refused',
    ],
    [
      'reset-elsewhere',
      'in development mode other doors refuse a password that must be changed',
      "mustChange && refusesPasswordsToChange(mode) && door !== 'browser'",
      "mustChange && door !== 'browser'",
      'development mode: pwdReset is the sign-in',
    ],
  ]),
  ...of('src/factors/webauthn/assertion.ts', 'factors/webauthn.test.ts', [
    ['counter', 'a counter may stay', 'counter <= key.counter)', 'counter < key.counter)', 'the signature counter must strictly increase'],
    [
      'user-handle',
      'a credential that was made for somebody else signs in',
      'asserted.userHandle !== userHandleOf(entryUuid))',
      "asserted.userHandle === '')",
      'a credential that says it was made for somebody else signs nobody in',
    ],
  ]),
  ...of('src/factors/webauthn/registration.ts', 'factors/webauthn.test.ts', [
    [
      'verification',
      'user verification is not enforced',
      "settings['webauthn.userVerification'] === 'required'",
      'false',
      'user verification is enforced where webauthn.userVerification is required',
    ],
  ]),
  ...of('src/policy/authn-policy.ts', 'policy/authn-policy.test.ts', [
    [
      'ten-minutes',
      'an emailed code may be good for longer than ten minutes',
      'stsEmailCodeTtl: [30, 600]',
      'stsEmailCodeTtl: [30, 6000]',
      'nonsense is refused in words',
    ],
    [
      'not-offered',
      'administrators are not offered a second factor',
      "requireSecondFactorForAdministrators: 'offer',",
      "requireSecondFactorForAdministrators: 'if-held',",
      'administrators are offered',
    ],
  ]),
  ...of('src/factors/attestation/judge.ts', 'factors/attestation/judge.test.ts', [
    [
      'claimed',
      'a demand is met by what is only claimed',
      "if (demanding && best.proved !== 'trusted') throw",
      "if (policy.fips > 9 && best.proved !== 'trusted') throw",
      'demands a trusted statement, with the policy',
    ],
    [
      'reported',
      'a model that is reported compromised is taken',
      'if (entry?.reported !== undefined)',
      "if (entry?.reported === '')",
      'a model that the metadata report is refused, whatever vouches for it',
    ],
  ]),
  ...of('src/factors/email/challenges.ts', 'factors/email.test.ts', [
    [
      'one-try-more',
      'one try more is judged',
      'kept.value.tries >= triesMax',
      'kept.value.tries > triesMax',
      'no more are judged than there are tries',
    ],
  ]),
  ...of('src/base/typable.ts', 'factors/recovery/codes.test.ts', [
    [
      'confusable',
      'a recovery code may hold a 1 beside an L',
      "'23456789A",
      "'13456789A",
      'a 32-character alphabet without confusable pairs',
    ],
  ]),
]);
