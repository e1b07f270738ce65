import type { ErrorRow } from '#catalogue';

export const errors = {
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
