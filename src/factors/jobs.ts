import type { JobRow } from '#catalogue';

export const jobs = {
  'factors.metadata': {
    everyS: 'risk.mdsRefreshS',
    scope: 'service',
    means: 'downloads authenticator metadata from risk.mdsUrl and installs them',
  },
} as const satisfies Record<string, JobRow>;
