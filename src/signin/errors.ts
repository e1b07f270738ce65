import type { ErrorRow } from '#catalogue';

export const errors = {
  secondFactorImpossible: {
    code: 'STS-AUTHN-0172',
    means: 'a second factor is required (stsRequireSecondFactor) and no mechanism is there to give one',
    sees: { http: 403 },
    state: 'live',
  },
  mechanismNotAccepted: {
    code: 'STS-AUTHN-0268',
    means: 'the policy does not accept a password as a first factor (stsFirstFactor)',
    sees: { http: 403 },
    state: 'live',
  },
  passwordRefused: {
    code: 'STS-AUTHN-9300',
    means: 'the sign-in screen refused a password or a name; the row of the bind says why',
    says: 'Authentication failed',
    sees: { http: 200 },
    state: 'live',
  },
  notJudged: {
    code: 'STS-AUTHN-9301',
    means: 'the directory did not judge a password: {why}',
    says: 'The service is busy. Try again in a moment.',
    sees: { http: 503 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
