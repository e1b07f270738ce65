import type { ErrorRow } from '#catalogue';

export const errors = {
  notAdministrator: {
    code: 'STS-ADMIN-9000',
    means: 'somebody asked for the console whom no group of the roster gives Admin Read or Admin Write',
    sees: { http: 403 },
    state: 'live',
  },
  readOnly: {
    code: 'STS-ADMIN-9001',
    means: 'somebody with Admin Read alone asked the console to change something',
    sees: { http: 403 },
    state: 'live',
  },
  loginRequired: {
    code: 'STS-ADMIN-9004',
    means: 'the JSON form of a page of the console was asked for without a session',
    sees: { http: 401 },
    state: 'live',
  },
  thingAbsent: {
    code: 'STS-ADMIN-9002',
    means:
      'the console was asked for a person, group, entry or operation that is not there, or that the directory does not show to who asked',
    sees: { http: 404 },
    state: 'live',
  },
  formUnfit: {
    code: 'STS-ADMIN-9003',
    means: 'a form of the console does not fit the shape of its operation, or what it destroys was not confirmed',
    sees: { http: 422 },
    state: 'live',
  },
} as const satisfies Record<string, ErrorRow>;
