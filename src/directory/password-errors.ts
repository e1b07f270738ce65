import type { ErrorRow } from '#catalogue';
import { row } from './error-row.ts';

/** Refusals by the password policy of a realm. The password policy control says the same in a form that programs read (`controls/password-policy.ts`). */
export const passwordErrors = {
  passwordExpired: {
    code: 'STS-AUTHN-9440',
    means: 'the password is right and has expired (pwdMaxAge), and no grace sign-in is left; it can be changed at the sign-in page',
    says: 'invalid credentials',
    sees: { ldap: 49 },
    state: 'live',
  },
  passwordWeak: row(9392, 19, 'a password that does not keep the password policy of its realm', 'userPassword: {why}'),
  passwordUsed: row(
    9393,
    19,
    'a password that is set to one of the last that its owner had',
    'userPassword: it is one of the last {count} passwords',
  ),
  passwordYoung: row(
    9420,
    19,
    'one’s own password, changed sooner than pwdMinAge allows',
    'userPassword: it may be changed again in {wait}',
  ),
  passwordFixed: row(9422, 50, 'the identity may not change this password', 'userPassword may not be changed'),
  passwordCommon: row(
    9421,
    19,
    'a password that security.commonPasswordsFile names',
    'userPassword: it is one that many people have, and the first to be tried',
  ),
} as const satisfies Record<string, ErrorRow>;
