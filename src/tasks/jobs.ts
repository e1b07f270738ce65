import type { JobRow } from '#catalogue';

export const jobs = {
  'tasks.sweep': {
    everyS: 'tasks.sweepS',
    scope: 'service',
    means: 'removes what uploads of LDIF that broke off have left in the folder exchange',
  },
} as const satisfies Record<string, JobRow>;
