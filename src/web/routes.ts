import type { RouteRow } from '#catalogue';

export const routes = {
  asset: {
    method: 'GET',
    path: '/assets/:name',
    purpose: 'the style sheets and the mark that pages link to',
    source: 'RFC 9111 and RFC 8246: kept for ever under a name that changes with the content',
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
