import type { ErrorRow } from '#catalogue';

/** What the authentication policy refuses at the sign-in page, whose rows they are: they stand here for those, too, who explain a sign-in below the LDAP interface. */
export const refusals = {
  secondFactorImpossible: {
    code: 'STS-AUTHN-0172',
    means: 'a second factor is required, and every mechanism to give one is off: {names}',
    sees: { http: 403 },
    state: 'live',
  },
  mechanismNotAccepted: {
    code: 'STS-AUTHN-0268',
    means: 'the policy does not accept a mechanism as a first factor (stsFirstFactor): {names}',
    sees: { http: 403 },
    state: 'live',
  },
  secondNotAccepted: {
    code: 'STS-AUTHN-0269',
    means: 'the policy does not accept a mechanism as a second factor (stsSecondFactor): {names}',
    sees: { http: 403 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;

export type PolicyRefusal = keyof typeof refusals;
