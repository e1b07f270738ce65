import type { RouteRow } from '#catalogue';

export const routes = {
  webfinger: {
    method: 'GET',
    path: '/.well-known/webfinger',
    purpose: 'the issuer for an account, a mail address, a host or an address of this service',
    source: 'RFC 7033; OpenID Connect Discovery 1.0 §2; specification document 2',
    coverage: 'full',
    cors: 'open',
  },
} as const satisfies Record<string, RouteRow>;
