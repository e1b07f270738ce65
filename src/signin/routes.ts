import type { RouteRow } from '#catalogue';

const source = 'specification document 1, "Sign-in flow (browser)"';
const emailed = 'specification document 1, "Emailed code or link"';

export const routes = {
  loginPage: {
    method: 'GET',
    path: '/authn/login',
    purpose: 'the sign-in screen of a request that waits for a person',
    source,
    coverage: 'full',
  },
  login: {
    method: 'POST',
    path: '/authn/login',
    purpose: 'judges what was typed on the sign-in screen and sends the browser back to the request that waits',
    source,
    coverage: 'full',
  },
  setupPage: {
    method: 'GET',
    path: '/authn/mfa-setup',
    purpose: 'where somebody without a second factor chooses one to enrol, when it is required or offered',
    source,
    coverage: 'full',
  },
  setup: { method: 'POST', path: '/authn/mfa-setup', purpose: 'takes what was chosen, or that it is ignored', source, coverage: 'full' },
  passwordChangePage: {
    method: 'GET',
    path: '/authn/password-change',
    purpose: 'where somebody whose password must be changed changes it before their sign-in goes on',
    source,
    coverage: 'full',
  },
  totpPage: {
    method: 'GET',
    path: '/authn/totp',
    purpose: 'asks for a code of the authenticator app; for who enrols one, shows its secret',
    source,
    coverage: 'full',
  },
  totp: { method: 'POST', path: '/authn/totp', purpose: 'takes the code', source, coverage: 'full' },
  passwordChange: { method: 'POST', path: '/authn/password-change', purpose: 'takes the new password', source, coverage: 'full' },
  backupCodePage: {
    method: 'GET',
    path: '/authn/backup-code',
    purpose: 'where a recovery code is typed in the place of a code or a key',
    source,
    coverage: 'full',
  },
  backupCode: { method: 'POST', path: '/authn/backup-code', purpose: 'judges a recovery code and spends it', source, coverage: 'full' },
  webauthnPage: {
    method: 'GET',
    path: '/authn/webauthn',
    purpose: 'asks for a security key, in the role that the waiting request says; first use enrols',
    source,
    coverage: 'full',
  },
  webauthn: {
    method: 'POST',
    path: '/authn/webauthn',
    purpose: 'judges what the browser answered for a security key and goes on with the sign-in',
    source,
    coverage: 'full',
  },
  webauthnScript: {
    method: 'GET',
    path: '/authn/webauthn.js',
    purpose: 'the ceremony script, for the only pages that may run one',
    source,
    coverage: 'full',
  },
  emailCodePage: {
    method: 'GET',
    path: '/authn/email-code',
    purpose: 'offers to mail a code, and asks for it once it was mailed',
    source: emailed,
    coverage: 'full',
  },
  emailCode: {
    method: 'POST',
    path: '/authn/email-code',
    purpose: 'mails a code, and judges the one that was typed',
    source: emailed,
    coverage: 'full',
  },
  emailLinkPage: {
    method: 'GET',
    path: '/authn/email-link',
    purpose: 'offers to mail a link; opened by that link, asks to continue and spends nothing',
    source: emailed,
    coverage: 'full',
  },
  emailLink: {
    method: 'POST',
    path: '/authn/email-link',
    purpose: 'mails a link, and finishes with it',
    source: emailed,
    coverage: 'full',
  },
} as const satisfies Record<string, RouteRow>;
