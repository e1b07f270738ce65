import type { RouteRow } from '#catalogue';

const source = 'OpenID Connect Core §3.1.2.4';

export const consentRoutes = {
  consentPage: {
    method: 'GET',
    path: '/oauth2/consent',
    purpose: 'what an application asks to know of the person',
    source,
    coverage: 'full',
  },
  consent: {
    method: 'POST',
    path: '/oauth2/consent',
    purpose: 'allows an application what it asks for, or cancels',
    source,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
