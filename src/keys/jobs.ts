import type { JobRow } from '#catalogue';

export const jobs = {
  'tls.renew': {
    everyS: 'tls.checkS',
    scope: 'process',
    means:
      'has the listeners show the certificate that was put in the place of theirs, and signs the one that Atrium makes anew before it ends',
  },
} as const satisfies Record<string, JobRow>;
