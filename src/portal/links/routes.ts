import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "User portal pages"';

export const linksRoutes = {
  activatePage: {
    method: 'GET',
    path: '/portal/activate',
    purpose: 'what an activation link opens: how the person may sign in. Looking at it spends nothing',
    source,
    coverage: 'full',
  },
  activate: {
    method: 'POST',
    path: '/portal/activate',
    purpose: 'sets the password of an activation link’s person',
    source,
    coverage: 'full',
  },
  activateAppPage: {
    method: 'GET',
    path: '/portal/activate/app',
    purpose: 'shows the secret of an authenticator app that is being set up by an activation link',
    source,
    coverage: 'full',
  },
  activateApp: {
    method: 'POST',
    path: '/portal/activate/app',
    purpose: 'draws a secret for an authenticator app by an activation link, or takes the code that proves it',
    source,
    coverage: 'full',
  },
  activateKeyPage: {
    method: 'GET',
    path: '/portal/activate/key',
    purpose: 'asks for a security key to add by an activation link, in either role',
    source,
    coverage: 'full',
  },
  activateKey: {
    method: 'POST',
    path: '/portal/activate/key',
    purpose: 'judges what the browser answered and adds the key of an activation link’s person',
    source,
    coverage: 'full',
  },
  resetPage: {
    method: 'GET',
    path: '/portal/reset-password',
    purpose: 'what a reset link opens: the form for a new password. Looking at it spends nothing',
    source,
    coverage: 'full',
  },
  reset: {
    method: 'POST',
    path: '/portal/reset-password',
    purpose: 'sets the password of a reset link’s person',
    source,
    coverage: 'full',
  },
  resetAppPasswords: {
    method: 'POST',
    path: '/portal/reset-password/app-passwords',
    purpose: 'revokes all app passwords of a reset link’s person; the link stays good',
    source,
    coverage: 'full',
  },
  forgotPage: {
    method: 'GET',
    path: '/portal/forgot-password',
    purpose: 'asks for whom a reset link is to be mailed, where mail is set up and passwords are checked',
    source,
    coverage: 'full',
  },
  forgot: {
    method: 'POST',
    path: '/portal/forgot-password',
    purpose: 'mails a reset link to the address on the entry; the answer is the same whether or not there is an account',
    source,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
