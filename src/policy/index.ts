export { type AfterPassword, afterPassword, type Hindrance, type SecondStep, type SwitchedOff } from './after-password.ts';
export {
  type ClientAuthMethod,
  clientAuthMethodOf,
  faultOfApplication,
  faultOfClaim,
  faultOfRedirectUri,
  type GrantType,
  grantTypes,
  grantTypesOf,
  readKeySet,
} from './application.ts';
export { type AuthnPolicy, builtInAuthnPolicy, faultOfAuthnPolicy, type PolicyFault, readAuthnPolicy, takesEmail } from './authn-policy.ts';
export { type ClaimRow, claimRowOf } from './claim-row.ts';
export { type InForce, inForce, type Source } from './in-force.ts';
export { type Mechanism, mechanisms } from './mechanism.ts';
export {
  enforcesPasswords,
  type Mode,
  makesEntries,
  modeOf,
  protectsPasswords,
  refusesPasswordsToChange,
  reservedPassword,
  sealsSecrets,
  verifiesPasswords,
} from './mode.ts';
export { type PasswordAge, type PasswordTimes, passwordAge, passwordExpiryMs, passwordTooYoungS } from './password-age.ts';
export {
  builtInPasswordPolicy,
  faultOfPassword,
  faultOfPasswordPolicy,
  type PasswordFault,
  type PasswordPolicy,
  readPasswordPolicy,
} from './password-policy.ts';
export {
  type RealmSettings,
  readRealmSettings,
  readServiceSettings,
  type SettingFault,
  settingInForce,
  settingsInForce,
} from './realm-settings.ts';
export { type PolicyRefusal, refusals as policyRefusals } from './refusals.ts';
export { settings as policySettings } from './settings.ts';
