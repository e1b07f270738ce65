import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "Password-only doors and app passwords"';

export const appPasswordsRoutes = {
  appPasswords: { method: 'GET', path: '/portal/app-passwords', purpose: 'the person’s app passwords', source, coverage: 'full' },
  appPasswordMake: {
    method: 'POST',
    path: '/portal/app-passwords',
    purpose: 'makes an app password, and shows it once with the settings of its program',
    source,
    coverage: 'full',
  },
  appPasswordRevoking: {
    method: 'GET',
    path: '/portal/app-passwords/revoke',
    purpose: 'what stops working without one app password, or without all of them',
    source,
    coverage: 'full',
  },
  appPasswordRevoke: {
    method: 'POST',
    path: '/portal/app-passwords/revoke',
    purpose: 'revokes one app password, or all of them',
    source,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
