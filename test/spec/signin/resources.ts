import { open, type SpecRule, section } from '../rule.ts';

export const resourcesRules: readonly SpecRule[] = [
  ...section('1, security key', [
    ['role', 'mfa or primary', 'flows/keys.test.ts', 'a key alone signs in'],
    [
      'role, mfa',
      'asked for after the password',
      'flows/keys.test.ts',
      'a key is added on /portal/keys as a second factor, and asked for after the password from then on',
    ],
    [
      'public key',
      'COSE; thirteen algorithms, ML-DSA among them',
      'factors/webauthn.test.ts',
      'webauthn.algorithms is the list of thirteen, ML-DSA first',
    ],
    [
      'public key, curve',
      'a key whose type or curve is not that of its algorithm is not enrolled',
      'factors/webauthn.test.ts',
      'a key whose type or curve is not that of its algorithm is not enrolled',
    ],
    [
      'credential id',
      'at most 1023 bytes, registered once across a cluster',
      'flows/keys-refused.test.ts',
      'a credential is one person’s over all',
    ],
    ['signature counter', 'strictly increases but for zero', 'factors/webauthn.test.ts', 'the signature counter must strictly increase'],
    [
      'backup state',
      'only where eligible; a changed eligibility is refused',
      'factors/webauthn.test.ts',
      'a changed eligibility is refused',
    ],
    [
      'attestation result',
      'recorded: trusted, untrusted or claimed',
      'factors/attestation/service.test.ts',
      'what the statement of a key proved is kept with the key: trusted, untrusted or claimed',
    ],
    [
      'attachment, discoverable',
      'recorded from what the browser reported',
      'factors/webauthn.test.ts',
      'what the browser reports is recorded: attachment, transports, discoverability',
    ],
  ]),
  ...section('1, authenticator app secret', [
    [
      'stsTotpCredential',
      'on the entry; nobody reads it or finds anybody by it',
      'directory/sealed.test.ts',
      'no door reads an authenticator secret or a recovery code',
    ],
    [
      'one per person',
      'enrolling again replaces it; another secret begins with no last step',
      'directory/sealed.test.ts',
      'another secret begins with no last step',
    ],
    [
      'parameters',
      'algorithm, digits, period and length are fixed at enrolment',
      'directory/verify.test.ts',
      'digest, digits and period are those of the app, whatever new ones would have',
    ],
    ['product mode', 'sealed under the key-encryption key, bound to its entry', 'directory/sealed.test.ts', 'bound to its entry'],
    ['development mode', 'base32', 'directory/sealed.test.ts', 'development mode: an authenticator secret is kept as it is'],
  ]),
  ...section('1, recovery code set', [
    [
      'alphabet',
      '32 characters without confusable pairs',
      'factors/recovery/codes.test.ts',
      'recovery codes: a 32-character alphabet without confusable pairs',
    ],
    ['defaults', 'ten codes of ten, groups of five', 'catalogue/rows.test.ts', "a setting of the specification's tables is a row"],
    [
      'groups',
      'printed in groups; 0 prints unbroken',
      'factors/recovery/codes.test.ts',
      'backupCodes.groupSize: groups of that size with dashes between; 0 prints a code unbroken',
    ],
    ['hashes', 'one scrypt hash a code', 'directory/verify.test.ts', 'a set of recovery codes has one salt and is replaced as a whole'],
    ['typed', 'dashes and spaces are ignored', 'directory/verify.test.ts', 'dashes, spaces and case are ignored'],
    ['replaced', 'generating a set replaces the whole previous set', 'flows/recovery.test.ts', 'generating replaces the previous set'],
  ]),
  ...section('1, app password', [
    [
      'value',
      'generated, 24 characters in six groups of four, shown once, a scrypt hash',
      'directory/app-passwords.test.ts',
      'an app password has 24 characters in six groups of four, is shown once, and binds; dashes, spaces and case are ignored',
    ],
    [
      'name',
      'a label',
      'directory/app-passwords.test.ts',
      'an app password has 24 characters in six groups of four, is shown once, and binds; dashes, spaces and case are ignored',
    ],
    [
      'scopes',
      'ldap, wstrust, scim, ssf, est',
      'directory/app-passwords.test.ts',
      'STS-AUTHN-0214: an app password is taken at the doors of its scopes and nowhere else, at no browser',
    ],
    [
      'last use',
      'recorded',
      'directory/app-passwords.test.ts',
      'when it was last used is written at most once in appPasswords.lastUseGranularityS, however many use it at once',
    ],
  ]),
  ...section('1, directory entry attributes', [
    [
      'pwdReset',
      'TRUE: the password must be changed before use',
      'flows/password-change.test.ts',
      'pwdReset: a page is drawn in place of a session',
    ],
    [
      'pwdAccountLockedTime',
      'set when the account is disabled',
      'flows/signin.test.ts',
      'someone disabled or deleted over LDAP is out at their next request',
    ],
    [
      'stsMfaRequired',
      'a second factor is required of this person',
      'flows/second-factor.test.ts',
      'stsMfaRequired, holds none: /authn/mfa-setup',
    ],
    [
      'stsTotpCredential',
      'the authenticator app secret',
      'directory/sealed.test.ts',
      'an authenticator secret is sealed under the key-encryption key whichever door it comes through',
    ],
    [
      'userPassword',
      'scrypt hash of the password',
      'credentials/stored.test.ts',
      'a password in clear is kept as a scrypt hash with its parameters and salt',
    ],
  ]),
  ...section('1, password policy', [
    [
      'entry',
      'an entry per realm that follows the default realm’s',
      'directory/realm-settings.test.ts',
      "a realm with no password policy of its own follows the default realm's",
    ],
    ['read', 'read from its entry', 'policy/realm-settings.test.ts', 'a password policy is read from its entry'],
    [
      'defaults',
      'length 12, a symbol, an uppercase letter, a digit',
      'policy/password-policy.test.ts',
      'Password policy: the defaults are 12 characters, 1 symbol, an upper-case letter, a digit, none of the last five',
    ],
    [
      'history',
      'none of the last five passwords',
      'directory/password-policy.test.ts',
      'none of the last five passwords: whoever sets their own is refused, by whichever door',
    ],
    [
      'enforced',
      'in product mode wherever a password is set',
      'directory/password-policy.test.ts',
      'product mode: add, modify and Password Modify refuse by 19 a password that does not keep the policy',
    ],
    ['generated', 'shapes generated passwords', 'directory/password-policy.test.ts', 'a generated password keeps the policy in force'],
    ['/admin/policies', 'edited under Directory, Policies', open('there is no admin console yet; the entry is edited over LDAP')],
  ]),
];
