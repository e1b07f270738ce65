export {
  type AppPassword,
  type AppPasswordScope,
  appPasswordAttributes,
  appPasswordScopes,
  appPasswordsOf,
  isAppPassword,
  printAppPassword,
} from './app-password.ts';
export { type AuthenticatorApp, parseAuthenticatorApp, printAuthenticatorApp } from './authenticator-app.ts';
export { type EmailFactor, emailFactorOf, mailedAs } from './email-factor.ts';
export { type EntryValues, factorAttributes, type Holdings, holdingsOf } from './holdings.ts';
export { credentialIdOctetsMax, parseSecurityKey, printSecurityKey, type SecurityKey } from './security-key.ts';
export { type Bar, barOf, type Validity, validityAttributes, validityOf } from './validity.ts';
