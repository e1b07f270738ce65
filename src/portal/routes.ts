import type { RouteRow } from '#catalogue';
import { keysRoutes } from './keys-routes.ts';

const source = 'specification document 1, "User portal pages"';

export const routes = {
  ...keysRoutes,
  root: { method: 'GET', path: '/', purpose: 'leads to the portal', source, coverage: 'full' },
  home: {
    method: 'GET',
    path: '/portal',
    purpose: 'who I am here, how I sign in, where I am signed in',
    source,
    coverage: 'partial: of what one signs in with, security keys can be changed',
  },
  signOut: { method: 'POST', path: '/portal/sign-out', purpose: 'ends the session of this browser', source, coverage: 'full' },
  signOutElsewhere: {
    method: 'POST',
    path: '/portal/sign-out-elsewhere',
    purpose: 'ends the person’s sessions in other browsers',
    source,
    coverage: 'full',
  },
  signedOut: { method: 'GET', path: '/portal/signed-out', purpose: 'says that the session has ended', source, coverage: 'full' },
} as const satisfies Record<string, RouteRow>;
