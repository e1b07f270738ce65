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
  noService: {
    code: 'STS-CORE-9400',
    means: 'no service runs on the folder {folder}: a web process runs beside one, and shares what it knows',
    sees: {},
    state: 'live',
  },
  handoverUnfit: {
    code: 'STS-CORE-9401',
    means: 'what the service wrote for a web process beside it cannot be used: {why}',
    sees: {},
    state: 'live',
  },
  otherSettings: {
    code: 'STS-CORE-9402',
    means: 'startup refused: settings of this web process are not those of the service that it runs beside: {names}',
    sees: {},
    state: 'live',
  },
  serviceEnded: {
    code: 'STS-CORE-9403',
    means: 'the service that this web process runs beside has ended or begun anew; the web process ends, to be started again',
    sees: {},
    state: 'live',
  },
  stateNotShared: {
    code: 'STS-CORE-9404',
    means: 'startup refused: a web process shares files with the service, so persistence.mode cannot be memory',
    sees: {},
    state: 'live',
  },
  notHandedOver: {
    code: 'STS-CORE-9405',
    means: 'no web process can run beside this service: what it would need could not be written: {why}',
    sees: {},
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
