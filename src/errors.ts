import type { ErrorRow } from '#catalogue';

/** What can go wrong while the service is put together. */
export const errors = {
  versionMalformed: {
    code: 'STS-CORE-0039',
    means: 'the version file does not hold M.N; it is ignored',
    sees: {},
    state: 'live',
  },
  versionMissing: { code: 'STS-CORE-0040', means: 'the version file is missing; the version is 0.0', sees: {}, state: 'live' },
} as const satisfies Record<string, ErrorRow>;
