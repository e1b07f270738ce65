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
  workersWithoutFile: {
    code: 'STS-WORKER-9000',
    means:
      'startup refused: with ldap.workers the entries must be in a file that other threads can read, so persistence.mode cannot be memory',
    sees: {},
    state: 'live',
  },
  workerEnded: {
    code: 'STS-WORKER-9001',
    means: 'a thread that serves LDAP has died; its connections are gone, and another takes its place',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
