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
  passwordUnfit: {
    code: 'STS-AUTHN-9045',
    means: 'a password that holds a NUL octet: it could not be told from one without',
    says: 'userPassword: a password may hold no NUL octet',
    sees: { ldap: 19 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
