import type { ErrorRow } from '#catalogue';

export const errors = {
  auditNotWritten: {
    code: 'STS-CORE-9010',
    means: 'audit rows could not be written and are lost; the log has their codes',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
