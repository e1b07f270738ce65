import type { JobRow } from '#catalogue';

export const jobs = {
  'directory.expire': {
    everyS: 'ldap.dynamicSweepS',
    scope: 'realm',
    means: 'deletes dynamic entries that nobody refreshed in time',
  },
} as const satisfies Record<string, JobRow>;
