import type { ErrorRow } from '#catalogue';

/** Refusals by the password policy of a realm. The password policy control says the same in a form that programs read (`controls/password-policy.ts`). */
export const passwordErrors = {
  passwordExpired: {
    code: 'STS-AUTHN-9440',
    means: 'the password is right and has expired (pwdMaxAge), and no grace sign-in is left; it can be changed at the sign-in page',
    says: 'invalid credentials',
    sees: { ldap: 49 },
    state: 'live',
  },
  passwordWeak: row(9392, 'a password that does not keep the password policy of its realm', 'userPassword: {why}'),
  passwordUsed: row(9393, 'one’s own password, set to one of the last', 'userPassword: it is one of your last {count} passwords'),
  passwordYoung: row(9420, 'one’s own password, changed sooner than pwdMinAge allows', 'userPassword: it may be changed again in {wait}'),
  passwordFixed: {
    code: 'STS-LDAP-9422',
    means: 'the identity may not change this password',
    says: 'userPassword may not be changed',
    sees: { ldap: 50 },
    state: 'live',
  },
  passwordCommon: row(
    9421,
    'a password that security.commonPasswordsFile names',
    'userPassword: it is one that many people have, and the first to be tried',
  ),
} as const satisfies Record<string, ErrorRow>;

function row(number: number, means: string, says: string) {
  return { code: `STS-LDAP-${number}`, means, says, sees: { ldap: 19 }, state: 'live' } as const;
}
