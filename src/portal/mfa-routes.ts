import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "User portal pages"';

export const mfaRoutes = {
  mfa: { method: 'GET', path: '/portal/mfa', purpose: 'the person’s second factors', source, coverage: 'full' },
  mfaAppPage: {
    method: 'GET',
    path: '/portal/mfa/app',
    purpose: 'shows the secret of an authenticator app that is being set up',
    source,
    coverage: 'full',
  },
  mfaApp: {
    method: 'POST',
    path: '/portal/mfa/app',
    purpose: 'draws a secret for an authenticator app, or takes the code that proves it',
    source,
    coverage: 'full',
  },
  mfaAppRemovePage: {
    method: 'GET',
    path: '/portal/mfa/app/remove',
    purpose: 'what stops working without the authenticator app',
    source,
    coverage: 'full',
  },
  mfaAppRemove: { method: 'POST', path: '/portal/mfa/app/remove', purpose: 'removes the authenticator app', source, coverage: 'full' },
  mfaCodesPage: {
    method: 'GET',
    path: '/portal/mfa/codes',
    purpose: 'shows recovery codes that are not confirmed yet',
    source,
    coverage: 'full',
  },
  mfaCodes: {
    method: 'POST',
    path: '/portal/mfa/codes',
    purpose: 'draws recovery codes, or stores those that the person says are saved',
    source,
    coverage: 'full',
  },
  mfaCodesRemovePage: {
    method: 'GET',
    path: '/portal/mfa/codes/remove',
    purpose: 'what stops working without the recovery codes',
    source,
    coverage: 'full',
  },
  mfaCodesRemove: { method: 'POST', path: '/portal/mfa/codes/remove', purpose: 'removes the recovery codes', source, coverage: 'full' },
} as const satisfies Record<string, RouteRow>;
