import type { ErrorRow } from '#catalogue';

export const errors = {
  runFailed: { code: 'STS-SCHED-0001', means: 'a run of a job failed', sees: {}, state: 'live' },
} as const satisfies Record<string, ErrorRow>;
