import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "User portal pages"; OpenID Connect Core §3.1.2.4';

export const consentsRoutes = {
  consents: { method: 'GET', path: '/portal/consents', purpose: 'what applications may know of the person', source, coverage: 'full' },
  consentWithdraw: {
    method: 'POST',
    path: '/portal/consents',
    purpose: 'withdraws what an application was allowed',
    source,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
