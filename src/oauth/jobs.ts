import type { JobRow } from '#catalogue';

export const jobs = {
  'oauth.logout': {
    everyS: 'oauth.logoutRetryS',
    scope: 'service',
    means: 'tells applications that somebody signed out, and those again that did not answer',
  },
} as const satisfies Record<string, JobRow>;
