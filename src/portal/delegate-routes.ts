import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "User portal pages"';

export const delegateRoutes = {
  delegatePage: { method: 'GET', path: '/portal/delegate', purpose: 'who may act for the person', source, coverage: 'full' },
  delegateConfirm: {
    method: 'GET',
    path: '/portal/delegate/confirm',
    purpose: 'who is about to be named, and what they may do',
    source,
    coverage: 'full',
  },
  delegate: {
    method: 'POST',
    path: '/portal/delegate',
    purpose: 'finds the one to name, names it, or takes it back',
    source,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
