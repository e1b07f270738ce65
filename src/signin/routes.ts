import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "Sign-in flow (browser)"';

export const routes = {
  loginPage: {
    method: 'GET',
    path: '/authn/login',
    purpose: 'the sign-in screen of a request that waits for a person',
    source,
    coverage: 'partial: the password; no second factor yet',
  },
  login: {
    method: 'POST',
    path: '/authn/login',
    purpose: 'judges what was typed on the sign-in screen and sends the browser back to the request that waits',
    source,
    coverage: 'partial: the password; no second factor yet',
  },
} as const satisfies Record<string, RouteRow>;
