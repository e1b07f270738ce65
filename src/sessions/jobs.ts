import type { JobRow } from '#catalogue';

export const jobs = {
  'sessions.sweep': {
    everyS: 'authn.sessionSweepS',
    scope: 'service',
    means: 'removes sessions and interrupted requests that have expired',
  },
} as const satisfies Record<string, JobRow>;
