import type { ErrorRow } from '#catalogue';
import { policyRefusals } from '#policy';

export const errors = {
  ...policyRefusals,
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
  codeNotJudged: {
    code: 'STS-AUTHN-9316',
    means: 'the directory did not judge a code of an authenticator app or a recovery code, or could not spend it; its row says why',
    sees: { http: 503 },
    state: 'live',
  },
  ignoreRefused: {
    code: 'STS-AUTHN-0270',
    means: 'Ignore was posted on an enrolment that is required',
    sees: { http: 403 },
    state: 'live',
  },
  passwordNotChanged: {
    code: 'STS-AUTHN-9336',
    means: 'the directory did not change a password that must be changed',
    sees: { http: 503 },
    state: 'live',
  },
  signInNotNoted: {
    code: 'STS-AUTHN-9337',
    means: 'the directory did not note a sign-in at the entry of its person: {why}',
    sees: {},
    state: 'live',
  },
  offeredAtRisk: {
    code: 'STS-RISK-0039',
    means: 'enrolling a second factor was offered, or asked for, at elevated risk',
    sees: {},
    state: 'live',
  },
  stepExpired: {
    code: 'STS-AUTHN-9333',
    means: 'a step of a sign-in waited longer than authn.mfaStepTtlS',
    sees: { http: 403 },
    state: 'live',
  },
  otherBrowser: {
    code: 'STS-AUTHN-9334',
    means: 'a sign-in was to go on in another browser than the one in which it began',
    sees: { http: 403 },
    state: 'live',
  },
  attemptsLimited: {
    code: 'STS-AUTHN-9320',
    means: 'too many failed attempts for a name or from an address: now STS-HTTP-0017 and STS-HTTP-0018',
    sees: { http: 429 },
    state: 'retired',
  },
} as const satisfies Record<string, ErrorRow>;
