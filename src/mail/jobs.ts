import type { JobRow } from '#catalogue';

export const jobs = {
  'mail.send': { everyS: 'mail.sendS', scope: 'service', means: 'hands over the mails whose time has come' },
} as const satisfies Record<string, JobRow>;
