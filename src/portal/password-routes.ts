import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "User portal pages"';

export const passwordRoutes = {
  passwordPage: {
    method: 'GET',
    path: '/portal/password',
    purpose: 'what a new password has to be, and the form to change one’s own',
    source,
    coverage: 'full',
  },
  password: { method: 'POST', path: '/portal/password', purpose: 'changes the person’s own password', source, coverage: 'full' },
} as const satisfies Record<string, RouteRow>;
