import type { ErrorRow } from '#catalogue';

/** What every refused password is told, whatever the reason: wrong, absent, disabled and unknown differ in the audit row alone. */
const says = 'invalid credentials';

export const errors = {
  passwordToChange: {
    code: 'STS-AUTHN-0142',
    means: 'product mode: this door refuses an account whose pwdReset is TRUE',
    says,
    sees: { ldap: 49 },
    state: 'live',
  },
  accountDisabled: { code: 'STS-AUTHN-0200', means: 'password refused: account disabled', says, sees: { ldap: 49 }, state: 'live' },
  accountEarly: {
    code: 'STS-AUTHN-9420',
    means: 'password refused: the account is not valid yet (stsValidFrom)',
    says,
    sees: { ldap: 49 },
    state: 'live',
  },
  accountLate: {
    code: 'STS-AUTHN-9421',
    means: 'password refused: the account is valid no longer (stsValidUntil)',
    says,
    sees: { ldap: 49 },
    state: 'live',
  },
  passwordAlone: {
    code: 'STS-AUTHN-0213',
    means: 'password refused: a door that takes nothing else refuses the own password of a person who holds or must have a second factor',
    says,
    sees: { ldap: 49 },
    state: 'live',
  },
  appPasswordElsewhere: {
    code: 'STS-AUTHN-0214',
    means: 'app password refused: the door is not in its scopes, or is a browser sign-in',
    says,
    sees: { ldap: 49 },
    state: 'live',
  },
  appPasswordExpired: {
    code: 'STS-AUTHN-9400',
    means: 'app password refused: its time is over',
    says,
    sees: { ldap: 49 },
    state: 'live',
  },
  appPasswordFromElsewhere: {
    code: 'STS-AUTHN-9401',
    means: 'app password refused: it may not come from this address',
    says,
    sees: { ldap: 49 },
    state: 'live',
  },
  passwordWrong: { code: 'STS-AUTHN-9041', means: 'password refused: it is wrong', says, sees: { ldap: 49 }, state: 'live' },
  nameUnknown: { code: 'STS-AUTHN-9042', means: 'password refused: no entry has the name', says, sees: { ldap: 49 }, state: 'live' },
  passwordAbsent: { code: 'STS-AUTHN-9043', means: 'password refused: the entry has none', says, sees: { ldap: 49 }, state: 'live' },
  hashNotAccepted: {
    code: 'STS-AUTHN-9044',
    means: 'a password given as a hash that is not one of ours, or by someone who may not bring hashes',
    says: 'userPassword: {why}',
    sees: { ldap: 19 },
    state: 'live',
  },
  codeWrong: {
    code: 'STS-AUTHN-9310',
    means: 'a code is refused: it is wrong',
    says: 'the code is not right',
    sees: { ldap: 49, http: 401 },
    state: 'live',
  },
  codeReplayed: {
    code: 'STS-AUTHN-9311',
    means: 'a code of an authenticator app is refused: it, or a later one, was used before',
    says: 'the code was used before',
    sees: { ldap: 49, http: 401 },
    state: 'live',
  },
  factorHeld: {
    code: 'STS-AUTHN-9490',
    means: 'an authenticator app is not enrolled in a sign-in: its person holds a second factor by now',
    says: 'there is a second factor already',
    sees: { ldap: 49, http: 401 },
    state: 'live',
  },
  factorAbsent: {
    code: 'STS-AUTHN-9312',
    means: 'a code is refused: the entry has no such factor',
    says: 'there is no such factor',
    sees: { ldap: 49, http: 401 },
    state: 'live',
  },
  holderUnknown: {
    code: 'STS-AUTHN-9313',
    means: 'a code is refused: no entry has the name, or nobody may sign in as it from there',
    says: 'the code is not right',
    sees: { ldap: 49, http: 401 },
    state: 'live',
  },
  holderDisabled: {
    code: 'STS-AUTHN-9314',
    means: 'a code is refused: account disabled, or not valid at this time',
    says: 'the code is not right',
    sees: { ldap: 49, http: 401 },
    state: 'live',
  },
  factorUnreadable: {
    code: 'STS-AUTHN-9315',
    means:
      'the secret of an authenticator app cannot be opened: neither keys.kek nor keys.previousKek is the key that it lies under, or it is damaged',
    says: 'the secret of this authenticator app cannot be opened here',
    sees: { ldap: 52, http: 503 },
    state: 'live',
  },
  passwordUnfit: {
    code: 'STS-AUTHN-9045',
    means: 'a password that holds a NUL octet: it could not be told from one without',
    says: 'userPassword: a password may hold no NUL octet',
    sees: { ldap: 19 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
