import type { RouteRow } from '#catalogue';
import { conformanceRoutes } from './conformance/routes.ts';
import { consentRoutes } from './consents/routes.ts';
import { deviceRoutes } from './device/routes.ts';
import { endpointRoutes } from './endpoints.ts';

/** Pages and documents beside the endpoints of the authorization servers. */
export const pages = {
  webfinger: {
    method: 'GET',
    path: '/.well-known/webfinger',
    purpose: 'the issuer for an account, a mail address, a host or an address of this service',
    source: 'RFC 7033; OpenID Connect Discovery 1.0 §2; specification document 2',
    coverage: 'full',
    cors: 'open',
  },
} as const satisfies Record<string, RouteRow>;

export const routes: Readonly<Record<string, RouteRow>> = {
  ...pages,
  ...consentRoutes,
  ...conformanceRoutes,
  ...deviceRoutes,
  ...endpointRoutes,
};
