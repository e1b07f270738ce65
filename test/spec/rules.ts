/** A rule of the specification, and the test that holds it. */
export interface SpecRule {
  /** Document, section, and the number or name of the rule there. */
  readonly source: string;
  readonly rule: string;
  /** A test file below `test/`, and words of the test's title; absent while nothing of the rule is built. */
  readonly held?: readonly [file: string, title: string];
}

/** Rules that the service keeps, and those it will have to. */
export const rules: readonly SpecRule[] = [
  ...document('1, redirect contract', [
    [
      '1',
      'no session: the request is saved and the browser sent to /authn/login?authn=<id>',
      'flows/signin.test.ts',
      'rules 1, 2 and 7: a request that needs a person is parked',
    ],
    [
      '2',
      'after a sign-in 303 to the original request, whole, with only prompt removed',
      'flows/signin.test.ts',
      'answered whole after the sign-in, without prompt',
    ],
    ['3', 'the return target must be a path on this service', 'flows/signin.test.ts', 'rule 3: no request leads a browser away'],
    ['4', 'Cancel returns authn_error=access_denied to the caller', 'flows/signin.test.ts', 'rule 4: Cancel returns to the caller'],
    [
      '5',
      'the rows about the interrupted request come from the caller',
      'sessions/sessions.test.ts',
      'a parked request waits with its rows',
    ],
    ['6', 'one usable federation partner or several lead elsewhere'],
    [
      '7',
      '/authn/login is not usable without a pending request',
      'flows/signin.test.ts',
      'rules 7 and 8: without a request that waits there is no screen',
    ],
    [
      '8',
      'a pending request waits authn.pendingTtlS seconds',
      'sessions/sessions.test.ts',
      'a pending request waits authn.pendingTtlS seconds',
    ],
    [
      '9',
      'a sign-in whose person has no directory entry is refused (STS-AUTHN-0180)',
      'sessions/sessions.test.ts',
      'a sign-in whose person has no entry is refused with STS-AUTHN-0180',
    ],
  ]),
  ...document('1, what the service does', [
    [
      '4',
      'each trust realm has its own sign-in screen, sessions and settings',
      'flows/realms.test.ts',
      'the same name signs in to two realms in one browser with two sessions',
    ],
  ]),
  ...document('1, authentication policy', [
    [
      'following',
      "a realm with no profile of its own follows the default realm's; removing it returns to following",
      'realms/realms.test.ts',
      "a realm with no authentication policy of its own follows the default realm's",
    ],
    [
      'built-in',
      'built-in defaults apply where neither has one',
      'policy/in-force.test.ts',
      'built-in defaults apply where neither has one',
    ],
    ['STS-AUTHN-0268', 'a mechanism that is not accepted as a first factor', 'flows/policies.test.ts', 'STS-AUTHN-0268'],
    ['STS-AUTHN-0172', 'a second factor is required but both mechanisms are off', 'flows/policies.test.ts', 'STS-AUTHN-0172'],
  ]),
  ...document('1, authentication policy, fields', [
    [
      'requireSecondFactor',
      'if-held or always, no never; nonsense is refused when it is written',
      'directory/policy-entries.test.ts',
      'add: a word that is none is refused by 19, with the attribute and why',
    ],
    [
      'requireSecondFactorForAdministrators',
      'offer (default), always, if-held',
      'policy/authn-policy.test.ts',
      'the built-in policy: password or key, then key, app or recovery code of who holds one; administrators are offered; mail is off',
    ],
    ['emailCodeTtlS', 'at most ten minutes', 'policy/authn-policy.test.ts', 'nonsense is refused in words'],
    ['emailFailureLimit', 'at most 100', 'policy/authn-policy.test.ts', 'nonsense is refused in words'],
    [
      'STS-AUTHN-0244',
      'an emailed factor with no mail transport',
      'directory/policy-entries.test.ts',
      'STS-AUTHN-0244: an emailed factor cannot be turned on where the realm has no mail server',
    ],
    [
      'read at each step',
      'a policy that is edited between two steps counts from the next one',
      'flows/policy-steps.test.ts',
      'a policy that is edited by ldapmodify between two steps counts from the next step',
    ],
    [
      'administrators',
      'anyone with the role Admin Read or Admin Write by groups',
      'people/people.test.ts',
      'administrators: members of a group with the role Admin Read or Admin Write',
    ],
  ]),
  ...document('1, session, amr and acr', [
    ['password alone', '["pwd"], 1', 'signin/decide.test.ts', "'password alone'"],
    ['security key as second factor', '["pwd","hwk"], mfa', 'signin/decide.test.ts', "'security key as second factor'"],
    ['security key as only credential', '["hwk"], 1', 'signin/decide.test.ts', "'security key as only credential'"],
    ['authenticator app code', '["pwd","otp"], mfa', 'signin/decide.test.ts', "'authenticator app code'"],
    ['recovery code', '["pwd","otp"], mfa', 'signin/decide.test.ts', "'recovery code'"],
    ['emailed, alone', '["otp"], 1', 'signin/decide.test.ts', "'emailed code, alone'"],
    ['emailed, after another factor', '["otp"], mfa', 'signin/decide.test.ts', "'emailed code, after another factor'"],
    [
      'anonymous continue',
      'empty, 0',
      'sessions/sessions.test.ts',
      'somebody who did not sign in has a session of nobody: no methods, class 0',
    ],
    [
      'recovery code used',
      'audit rows and the session list record it',
      'sessions/sessions.test.ts',
      'a recovery code that was used stands in the session and in the audit trail',
    ],
  ]),
  ...document('1, session', [
    [
      're-authentication',
      'prompt=login, max_age and acr_values append an event; a different person replaces the session',
      'flows/demands.test.ts',
      'prompt=login, max_age and max_age=0: the person is asked once more, once, and keeps the session',
    ],
    [
      'Continue without signing in',
      'authn.unauthenticatedSessions: a live session with authenticated false',
      'flows/demands.test.ts',
      'Continue without signing in: a session of nobody',
    ],
  ]),
  ...document('1, pending request', [
    [
      'progress',
      'holds the role chosen on the screen and the challenge; of two posts one goes on',
      'sessions/parking.test.ts',
      'of two who take a sign-in further at once, one does',
    ],
    [
      'authn.mfaStepTtlS',
      'seconds to present a second factor after the password',
      'flows/second-factor.test.ts',
      'a step that waited longer than authn.mfaStepTtlS says what to do',
    ],
    [
      'browser',
      'a sign-in goes on in the browser in which it began',
      'flows/password-change.test.ts',
      'another browser cannot go on with it',
    ],
  ]),
  ...document('1, which second factor is asked for', [
    ['1', 'holds nothing, box unticked: nothing', 'signin/decide.test.ts', 'holds nothing, box unticked: nothing (one factor)'],
    [
      '2',
      'holds nothing, box ticked: the security-key ceremony, enrolling on first use',
      'flows/second-factor.test.ts',
      'second-factor box ticked, holds nothing: the ceremony enrols on first use',
    ],
    ['3', 'holds an mfa key: the key', 'signin/decide.test.ts', "'holds an mfa key: the key'"],
    ['4', 'holds an authenticator app: the code', 'signin/decide.test.ts', "'holds an authenticator app: the code'"],
    ['5', 'holds both: the key, with a link to the code', 'signin/decide.test.ts', "'holds both: the key, with a link to the code'"],
    [
      '6',
      'holds a primary key, passwordless box ticked: the passwordless ceremony',
      'signin/decide.test.ts',
      "'holds a primary key, passwordless box ticked: the passwordless ceremony'",
    ],
    [
      'recovery codes',
      'never the factor a sign-in asks for',
      'signin/decide-properties.test.ts',
      'a recovery code is never the factor that is asked for',
    ],
    [
      'emailed',
      'never the second factor after an emailed first factor',
      'signin/decide-properties.test.ts',
      'an emailed factor is never second after an emailed first',
    ],
    [
      'risk',
      'an emailed factor never satisfies a step-up on risk',
      'signin/decide.test.ts',
      'never satisfies a step-up on risk: something else is to be enrolled',
    ],
  ]),
  ...document('1, emailed code or link', [
    [
      'offered',
      'offered only where the realm can send mail and the policy names the mechanism (off by default)',
      'flows/email-first.test.ts',
      'off by default: where the policy names no emailed mechanism, or the realm has no mail server, there is none',
    ],
    ['hash', 'a code or link is kept as a scrypt hash', 'factors/email.test.ts', 'what was mailed is kept as its scrypt hash alone'],
    ['emailCodeTtlS', 'valid at most ten minutes', 'flows/email-first.test.ts', 'a code is good for stsEmailCodeTtl and no longer'],
    [
      'single use',
      'single use, a new one replaces the last',
      'flows/email-first.test.ts',
      'a code is single use; a new one replaces the last',
    ],
    [
      'emailCodeAttempts',
      'a step ends after as many wrong codes',
      'flows/email-first.test.ts',
      'a step ends after stsEmailCodeAttempts wrong codes, however many come at once',
    ],
    [
      'limits',
      'sign-in rate limits also apply',
      'flows/email-first.test.ts',
      'sign-in rate limits apply: to the name, whether or not anybody has it',
    ],
    [
      'link',
      'a link finishes the sign-in only in the browser that asked for it; opening it spends nothing until Continue is pressed',
      'flows/email-first.test.ts',
      'a link finishes the sign-in only in the browser that asked for it, and only on Continue',
    ],
    [
      'first factor',
      'identical whether or not the account exists or has a verified address, and nothing is mailed for a non-existent one',
      'flows/email-first.test.ts',
      'as a first factor answer, work and words are the same whether or not the account exists',
    ],
    [
      'second',
      'never the second factor after an emailed first factor',
      'flows/email-second.test.ts',
      'never the second factor after an emailed first one',
    ],
    [
      'way round',
      'a person holding an app or key is asked for that first and offered email as a way round',
      'flows/email-second.test.ts',
      'a person holding a key is asked for that first and offered email as a way round',
    ],
    [
      'emailFailureLimit',
      'consecutive failures turn a person’s emailed factor off; success begins anew',
      'flows/email-first.test.ts',
      'consecutive failures turn the emailed factor off',
    ],
    [
      'opt-in',
      '/portal/mfa: opt-in to emailed second factor',
      'flows/email-second.test.ts',
      'an address is verified by a code sent to it, and the person opts in',
    ],
  ]),
  ...document('1, demands by a relying party', [
    [
      'acr_values',
      'mfa, hwk, phr, phrh tick the second-factor box and refuse the passwordless path',
      'signin/decide.test.ts',
      'ticks the second-factor box',
    ],
    [
      'hardware key',
      'only a security key, alone or after a password; the code and recovery-code steps are refused (STS-AUTHN-0204)',
      'flows/second-factor.test.ts',
      'STS-AUTHN-0204: a demand for a hardware key refuses whoever has only an authenticator app',
    ],
    [
      'wauth multi-factor',
      'met only by a session that really had two factors',
      'signin/decide.test.ts',
      'wauth for multi-factor: a passwordless key does not meet it',
    ],
    [
      'not met',
      'a session that does not meet a demand is sent through the screen again with the demand required',
      'portal/demand.test.ts',
      'what does not meet the demand is sent through the screen again with it',
    ],
    [
      'met',
      'no path reaches a session with fewer or other factors than were demanded',
      'signin/decide-properties.test.ts',
      'no path reaches a session with fewer or other factors than were demanded',
    ],
    ['no loop', 'every demand is met or refused in words', 'signin/decide-properties.test.ts', 'no dead end, and no loop'],
  ]),
  ...document('1, requiring a second factor', [
    [
      'always, stsMfaRequired',
      'a person with none is sent to /authn/mfa-setup and no session starts until enrolment',
      'flows/second-factor.test.ts',
      'stsMfaRequired, holds none: /authn/mfa-setup, no Ignore, and no session until enrolment',
    ],
    [
      'STS-AUTHN-0171',
      'a passwordless sign-in is refused',
      'flows/second-factor.test.ts',
      'STS-AUTHN-0171: a passwordless sign-in is refused where a second factor is required',
    ],
    [
      'STS-AUTHN-0172, named',
      'both mechanisms are off: refused, and the settings are named',
      'flows/second-factor.test.ts',
      'STS-AUTHN-0172: a second factor is required and nothing can be enrolled',
    ],
    [
      'offer',
      'an administrator holding none is shown the page with Ignore, and the offer repeats',
      'flows/second-factor.test.ts',
      'offer: an administrator is shown the page with Ignore',
    ],
    ['always', 'an administrator must enrol before any session starts', 'signin/decide.test.ts', 'always, holds none: required'],
    [
      'if-held',
      'an administrator is treated like everybody else',
      'signin/decide.test.ts',
      'if-held, holds none: treated like everybody else',
    ],
    [
      'built-in administrator',
      'only offered a second factor, even under always',
      'flows/second-factor.test.ts',
      'always: the built-in administrator is only offered a second factor',
    ],
    ['holding', 'an administrator holding a factor is always asked for it', 'signin/decide.test.ts', 'holding an app: asked for it'],
    [
      'STS-AUTHN-0270',
      'Ignore posted on a required step',
      'flows/second-factor.test.ts',
      'STS-AUTHN-0270: Ignore posted on a required step is refused',
    ],
    ['STS-AUTHN-0269', 'a mechanism that is not accepted as a second factor', 'flows/second-factor.test.ts', 'STS-AUTHN-0269'],
    ['events', 'authn.mfa.enrolment.offered and declined', 'flows/second-factor.test.ts', 'authn.mfa.enrolment.declined'],
  ]),
  ...document('1, password change', [
    [
      'pwdReset',
      'a page in place of a session; the sign-in continues afterwards',
      'flows/password-change.test.ts',
      'pwdReset: a page is drawn in place of a session, and the sign-in continues when the password is changed',
    ],
    [
      'second factor',
      'is asked for afterwards',
      'signin/decide.test.ts',
      'the password is changed first, the second factor asked for afterwards',
    ],
  ]),
  ...document('1, limits', [
    [
      'security.rateLimitPerIdentity',
      'per identity and window, from any address, whether the name exists or not',
      'directory/attempts.test.ts',
      'simple bind: after five failures for a name the right password is refused too',
    ],
    [
      'security.rateLimitPerAddress',
      'per address and window, any identity',
      'directory/attempts.test.ts',
      'an address that has failed for twenty names is refused for all',
    ],
    [
      'security.rateLimitWindowS',
      'a fixed window',
      'state/limits.test.ts',
      'the window is fixed: it begins with the first failure and no later one makes it longer',
    ],
    [
      'across a cluster',
      'counted in all processes',
      'state/limits.test.ts',
      'hundreds of attempts at once find no gap, in several processes either',
    ],
  ]),
  ...document('1, development and product mode', [
    ['passwords, product', 'verified against the stored hash', 'credentials/judge.test.ts', 'wrong, absent, disabled and unknown'],
    [
      'passwords, development',
      'not checked except the reserved invalid',
      'directory/bind.test.ts',
      'binds with any password but the reserved word',
    ],
    [
      'pwdReset, product',
      'refused at other password doors (STS-AUTHN-0142)',
      'directory/bind.test.ts',
      'an account whose password must be changed is refused',
    ],
    ['pwdReset', 'handled at the sign-in screen', 'credentials/judge.test.ts', 'the sign-in screen takes a password that must be changed'],
    ['password policy', 'enforced wherever a password is set'],
    [
      'passwordless box, product',
      'a person with no primary key is refused (STS-AUTHN-0206), in the same words whether or not the name exists',
      'flows/second-factor.test.ts',
      'STS-AUTHN-0206: product mode, no primary key: refused, in the same words for a name that nobody has',
    ],
    [
      'passwordless box, development',
      'enrols a key on the spot; first claimant of a name gets it',
      'flows/passwordless.test.ts',
      'a key is enrolled on the spot, and the first claimant of a name gets it',
    ],
    ['second factors', 'codes, recovery codes and WebAuthn ceremonies are verified'],
  ]),
  ...document('1, sessions', [
    [
      'cookie',
      'the handle rotates on every re-authentication, sid stays',
      'sessions/sessions.test.ts',
      'appends an event, changes the handle and keeps the sid',
    ],
    ['replace', 'a different person replaces the session', 'sessions/sessions.test.ts', 'a different person replaces the session'],
    ['lifetime', 'a session ends at authn.sessionLifetimeS', 'sessions/sessions.test.ts', 'a session ends at authn.sessionLifetimeS'],
    [
      'idle',
      'a session ends when idle beyond authn.sessionIdleTimeoutS',
      'sessions/sessions.test.ts',
      'a session ends when it is idle beyond authn.sessionIdleTimeoutS',
    ],
    [
      'maxSessions',
      'at the cap the least recently used session ends',
      'sessions/sessions.test.ts',
      'at authn.maxSessions the least recently used session ends',
    ],
    [
      'sweep',
      'a job ends expired sessions every authn.sessionSweepS',
      'sessions/in-service.test.ts',
      'the sweep runs by itself at authn.sessionSweepS',
    ],
  ]),
  ...document('1, disabled accounts', [
    ['one answer', 'Authentication failed, the same as for a wrong password', 'credentials/judge.test.ts', 'show the same words'],
    [
      'STS-AUTHN-0200',
      'any password is refused',
      'directory/bind.test.ts',
      'wrong, absent, disabled and unknown are answered with the same octets',
    ],
    [
      'directory',
      'connections to the directory are nobody’s when an account is disabled, and searches that go on end',
      'directory/disabled.test.ts',
      'whose account is disabled is nobody with the next request, on every connection that is open',
    ],
    ['everywhere', 'sessions and tokens end when an account is disabled'],
  ]),
  ...document('1, security keys, attestation', [
    [
      '4 policy',
      'webauthn.attestationPolicy: verify-if-present in product mode, in development mode when the realm asks',
      'factors/attestation/service.test.ts',
      'in development mode statements are looked at only when the realm asks',
    ],
    [
      '4 formats',
      'all eight formats are verified; each statement of a compound',
      'factors/attestation/formats.test.ts',
      'a statement that holds and leads to an anchor is trusted',
    ],
    [
      '4 vectors',
      'what the vectors of WebAuthn Level 3 call valid is valid',
      'factors/attestation/w3c-vectors.test.ts',
      'every vector of the specification is there',
    ],
    [
      '4 anchors',
      'chains are checked against webauthn.attestationTrustAnchors and the roots of the metadata',
      'factors/attestation/judge.test.ts',
      'where the metadata know a model, only their roots vouch for it',
    ],
    ['4 revocation', 'revocation is consulted', 'factors/attestation/service.test.ts', 'a revoked attestation certificate refuses the key'],
    [
      '4 reported',
      'a model reported REVOKED, USER_VERIFICATION_BYPASS or KEY_COMPROMISE is refused',
      'factors/attestation/service.test.ts',
      'a model that the metadata report as REVOKED is refused',
    ],
    [
      '4 untrusted',
      'none and self attestation are accepted as untrusted',
      'factors/attestation/judge.test.ts',
      'none and self attestation are accepted as untrusted',
    ],
    [
      '4 demands',
      'require-trusted, an AAGUID allow-list, a certification level and FIPS each demand a trusted statement',
      'factors/attestation/judge.test.ts',
      'demands a trusted statement, with the policy',
    ],
    [
      'attestation result',
      'what the statement proved is recorded; unverified statements are shown as claimed',
      'factors/attestation/service.test.ts',
      'what the statement of a key proved is kept with the key',
    ],
  ]),
  ...document('1, settings', [
    ['tables', 'names, environment names and defaults', 'catalogue/rows.test.ts', "a setting of the specification's tables is a row"],
    ['security.passwordHashLogN', 'floor 14', 'keys/hasher.test.ts', 'security.passwordHashLogN has a floor of 14'],
  ]),
  ...document('2, errors', [
    ['1', 'codes are STS-<SUBSYSTEM>-<NNNN> of 41 areas', 'catalogue/codes.test.ts', 'every code is well formed and of a known area'],
    [
      '2',
      'a code is errorCode of the audit row and stands in front of its summary',
      'audit/audit.test.ts',
      'a summary that begins with the code',
    ],
    ['2, log', 'a code stands in front of a line of the log', 'audit/audit.test.ts', 'the log puts the code in front of its words'],
    ['3', 'a code is never sent to a client', 'web/front.test.ts', 'the answer says neither path nor code'],
    ['4', 'a code is never renumbered or reused', 'catalogue/codes.test.ts', 'a code is never renumbered, reused or removed'],
    ['5', 'the fallbacks STS-HTTP-0002 and 0003', 'web/front.test.ts', 'is recorded under the fallback'],
  ]),
  ...document('2, STS-HTTP', [
    ['0001', 'no route matched the path: 404', 'web/front.test.ts', 'STS-HTTP-0001'],
    ['0004', 'body over 5 MB: 413', 'web/body.test.ts', 'STS-HTTP-0004: a body over 5 MB'],
    ['0010', 'query parameter of a forbidden name: 400', 'web/front.test.ts', 'STS-HTTP-0010'],
    ['0011', 'control character in a query value: 400', 'web/front.test.ts', 'STS-HTTP-0011'],
    ['0012', 'charset or encoding not read: 415', 'web/body.test.ts', 'STS-HTTP-0012'],
    ['0013', 'body truncated: 400', 'web/body.test.ts', 'STS-HTTP-0013'],
    ['0014', 'error before the router', 'web/front.test.ts', 'STS-HTTP-0014'],
    ['0015', 'form without a CSRF token', 'web/body.test.ts', 'STS-HTTP-0015'],
    ['0017', 'too many attempts for one identity or from one address'],
  ]),
  ...document('2, STS-CORE', [
    [
      '0001',
      'the configuration file cannot be loaded',
      'catalogue/settings.test.ts',
      'a configuration file that cannot be loaded stops the start',
    ],
    ['0002', 'a setting has no value', 'catalogue/settings.test.ts', 'a setting given null has no value'],
    ['0103', 'a development-only setting in product mode', 'catalogue/settings.test.ts', 'a development-only setting may not differ'],
    ['0105', 'a removed setting is named', 'catalogue/settings.test.ts', 'a setting that was removed on 2026-09-23'],
    ['0108', 'a configured value fails its check', 'catalogue/settings.test.ts', 'a value that fails its check stops the start'],
  ]),
  ...document('2, STS-CORE, realms', [
    ['0008', 'a stored setting that no longer passes its check is not applied', 'realms/realms.test.ts', 'STS-CORE-0008'],
    ['0120', 'removal finished with undelivered obligations within the time', 'realms/removal.test.ts', 'STS-CORE-0120'],
    ['0121', 'sign-in refused because the realm is being removed', 'web/realms.test.ts', 'STS-CORE-0121'],
  ]),
  ...document('2, STS-KEYS', [
    ['0002', 'key-encryption key empty or under 32 bytes', 'keys/digest.test.ts', 'STS-KEYS-0002'],
    ['0004', 'a stored hash that cannot be decoded is no match', 'keys/hasher.test.ts', 'STS-KEYS-0004'],
    ['0005', 'a stored hash that cannot be computed is no match', 'keys/hasher.test.ts', 'STS-KEYS-0005'],
    [
      '0043',
      'a secret file: unreadable, empty, wrong permissions',
      'catalogue/settings.test.ts',
      'a secret file that others than its owner may read',
    ],
  ]),
];

type Line = readonly [name: string, rule: string, file?: string, title?: string];

function document(section: string, lines: readonly Line[]): SpecRule[] {
  return lines.map(([name, rule, file, title]) => ({
    source: `document ${section}: ${name}`,
    rule,
    ...(file === undefined || title === undefined ? {} : { held: [file, title] as const }),
  }));
}
