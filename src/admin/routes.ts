import type { RouteRow } from '#catalogue';

/** Routes beside those that operations have themselves. */
export const routes = {
  openapi: {
    method: 'GET',
    path: '/admin-api/openapi.json',
    purpose: 'the management API as an OpenAPI document, generated from the table of operations',
    source: 'specification document 2, "Endpoints"; OpenAPI Specification 3.1.1',
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
