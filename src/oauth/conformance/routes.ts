import type { RouteRow } from '#catalogue';

/** Documents that this service holds itself against, by the last part of their paths. */
const documents = {
  rfc9700: { purpose: 'each requirement of the Security BCP, and how this server enforces it', source: 'RFC 9700' },
  oauth21: { purpose: 'each requirement that OAuth 2.1 adds, and how this server enforces it', source: 'OAuth 2.1' },
  fapi: { purpose: 'the FAPI profile in force, and how each requirement of FAPI 1.0 Baseline is enforced', source: 'FAPI 1.0 Baseline' },
} as const;

export type DocumentName = keyof typeof documents;

const row = (name: DocumentName, prefix: string) =>
  ({ method: 'GET', path: `${prefix}/oauth2/${name}`, ...documents[name], coverage: 'full' }) as const satisfies RouteRow;

export const conformanceRoutes = {
  rfc9700: row('rfc9700', ''),
  oauth21: row('oauth21', ''),
  fapi: row('fapi', ''),
  serverRfc9700: row('rfc9700', '/:server'),
  serverOauth21: row('oauth21', '/:server'),
  serverFapi: row('fapi', '/:server'),
} as const satisfies Record<string, RouteRow>;
