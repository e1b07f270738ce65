import { open, type SpecRule, section } from '../rule.ts';

export const eventsRules: readonly SpecRule[] = [
  ...section('1, events', [
    ['authn.mfa.enrolment.offered', 'an audit row', 'flows/second-factor.test.ts', 'offer: an administrator is shown the page with Ignore'],
    [
      'authn.mfa.enrolment.declined',
      'an audit row',
      'flows/second-factor.test.ts',
      'signs in with the password alone, and is offered it again',
    ],
    ['authn.mfa.enrolment.at-risk', 'an audit row', 'flows/risk.test.ts', 'told under STS-RISK-0039'],
    [
      'app passwords',
      'each made or revoked leaves its credential-change event in the outbox; CAEP delivers it when it is there',
      'flows/links-kill.test.ts',
      'what was answered is in the outbox after kill -9',
    ],
    [
      'back-channel',
      'applications are told of a session that ended by back-channel logout',
      'oauth/families.test.ts',
      'an application that does not take the news of a sign-out is told again until it does',
    ],
    ['CAEP', 'disabling and global sign-out cause CAEP events', open('no CAEP event is sent')],
    ['sweep', 'ends expired sessions and reports them', 'sessions/sessions.test.ts', 'the sweep ends what has expired, says how many'],
    [
      'errorCode',
      'failures are rows with an errorCode and the code at the front of the summary',
      'audit/audit.test.ts',
      'and a summary that begins with the code',
    ],
  ]),
  ...section('1, errors', [
    ['never sent', 'a code is never sent to a client', 'web/front.test.ts', 'the answer says neither path nor code'],
    [
      '0142',
      'pwdReset at another password door',
      'directory/bind.test.ts',
      'product mode: an account whose password must be changed is refused at the LDAP doors',
    ],
    ['0171', 'passwordless refused where a second factor is required', 'flows/second-factor.test.ts', 'STS-AUTHN-0171'],
    ['0172', 'a second factor is required and both mechanisms are off', 'flows/second-factor.test.ts', 'STS-AUTHN-0172'],
    ['0180', 'no directory entry', 'sessions/sessions.test.ts', 'STS-AUTHN-0180'],
    ['0200', 'password refused: disabled', 'directory/bind.test.ts', 'told apart in the audit trail'],
    ['0201', 'new session refused: disabled', 'sessions/sessions.test.ts', 'STS-AUTHN-0201'],
    ['0204', 'a hardware-key demand refuses the code step', 'flows/second-factor.test.ts', 'STS-AUTHN-0204'],
    ['0204, recovery codes', 'and the recovery-code step', 'policy/decide.test.ts', 'and a recovery code'],
    [
      '0206',
      'the passwordless box of a person with no primary key',
      'flows/keys-refused.test.ts',
      'STS-AUTHN-0206: in product mode the passwordless box',
    ],
    [
      '0213',
      'own password at a password-only door',
      'directory/app-passwords.test.ts',
      'STS-AUTHN-0213: in product mode a door that takes nothing else refuses the own password of who holds a second factor, like a wrong one',
    ],
    [
      '0214',
      'app password outside its scopes',
      'directory/app-passwords.test.ts',
      'STS-AUTHN-0214: an app password is taken at the doors of its scopes and nowhere else, at no browser',
    ],
    ['0244', 'an emailed factor with no mail transport', 'directory/policy-entries.test.ts', 'STS-AUTHN-0244'],
    ['0268', 'not accepted as a first factor', 'flows/policies.test.ts', 'STS-AUTHN-0268'],
    ['0269', 'not accepted as a second factor', 'flows/second-factor.test.ts', 'STS-AUTHN-0269'],
    ['0270', 'Ignore posted on a required step', 'flows/second-factor.test.ts', 'STS-AUTHN-0270'],
  ]),
];
