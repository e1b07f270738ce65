import type { ErrorRow } from '#catalogue';
import { besideRefusals } from '#policy';

/** The sign-in screen shows the same words for each refusal; which one it was stands in the audit row. */
const says = 'Authentication failed';

export const errors = {
  noEntry: { code: 'STS-AUTHN-0180', means: 'a sign-in whose person has no directory entry', says, sees: { http: 401 }, state: 'live' },
  disabled: besideRefusals.sessionDisabled,
  parkedGone: {
    code: 'STS-AUTHN-9200',
    means: 'a sign-in without a parked request: it was answered, has expired or never was',
    says: 'This sign-in has expired or was finished already. Go back to where you came from and start again.',
    sees: { http: 400 },
    state: 'live',
  },
  targetRefused: {
    code: 'STS-AUTHN-9201',
    means: 'a request was not parked: its return target is not a path on this service',
    says: 'This address cannot be returned to.',
    sees: { http: 400 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
