import type { ErrorRow } from '#catalogue';

export const errors = {
  unreachable: {
    code: 'STS-CORE-9100',
    means: 'the directory cannot be reached over its socket: {why}',
    says: 'The service cannot answer at this moment.',
    sees: { http: 503 },
    state: 'live',
  },
  unanswered: {
    code: 'STS-CORE-9101',
    means: 'the directory did not answer within {ms} ms',
    says: 'The service cannot answer at this moment.',
    sees: { http: 503 },
    state: 'live',
  },
  tooMany: {
    code: 'STS-CORE-9102',
    means: 'too many requests wait for the directory already ({waiting})',
    says: 'The service is busy. Try again in a moment.',
    sees: { http: 503 },
    state: 'live',
  },
  notTrusted: {
    code: 'STS-CORE-9103',
    means: 'the directory did not take the secret of the web layer (result {code})',
    says: 'The service cannot answer at this moment.',
    sees: { http: 503 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
