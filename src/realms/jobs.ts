import type { JobRow } from '#catalogue';

export const jobs = {
  'realms.removal': {
    everyS: 'realms.removalCheckS',
    scope: 'service',
    means: 'ends the sessions of realms that are being removed, and hands over what they owe',
  },
} as const satisfies Record<string, JobRow>;
