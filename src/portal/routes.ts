import type { RouteRow } from '#catalogue';
import { appPasswordsRoutes } from './app-passwords-routes.ts';
import { consentsRoutes } from './consents-routes.ts';
import { delegateRoutes } from './delegate-routes.ts';
import { keysRoutes } from './keys-routes.ts';
import { linksRoutes } from './links/routes.ts';
import { mfaRoutes } from './mfa-routes.ts';
import { passwordRoutes } from './password-routes.ts';
import { sessionsRoutes } from './sessions-routes.ts';

const source = 'specification document 1, "User portal pages"';

export const routes = {
  ...keysRoutes,
  ...linksRoutes,
  ...mfaRoutes,
  ...appPasswordsRoutes,
  ...passwordRoutes,
  ...delegateRoutes,
  ...consentsRoutes,
  ...sessionsRoutes,
  root: { method: 'GET', path: '/', purpose: 'leads to the portal', source, coverage: 'full' },
  home: {
    method: 'GET',
    path: '/portal',
    purpose: 'who I am here, what I sign in with, what needs doing, where I am signed in',
    source,
    coverage: 'full',
  },
  signOut: { method: 'POST', path: '/portal/sign-out', purpose: 'ends the session of this browser', source, coverage: 'full' },
  signedOut: { method: 'GET', path: '/portal/signed-out', purpose: 'says that the session has ended', source, coverage: 'full' },
  emailPage: {
    method: 'GET',
    path: '/portal/mfa/email',
    purpose: 'which mail addresses are confirmed, and whether codes by mail are a second factor',
    source,
    coverage: 'full',
  },
  email: {
    method: 'POST',
    path: '/portal/mfa/email',
    purpose: 'mails a code to an address of the person, confirms it, and turns the emailed second factor on and off',
    source,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
