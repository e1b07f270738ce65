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
  signInGrants,
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
export { applicationRefusals, besideRefusals, type PolicyRefusal, refusals as policyRefusals } from './refusals.ts';
export { settings as policySettings } from './settings.ts';
export { decide, spokenNames } from './sign-in/decide.ts';
export {
  type ApplicationDemand,
  type Asked,
  type Demand,
  demandOfApplication,
  meetsDemand,
  readDemand,
  type Shown,
} from './sign-in/demand.ts';
export {
  type Enrollable,
  type Held,
  heldOf,
  holdsNothing,
  type Named,
  type Next,
  type Offer,
  type Offers,
  type Rules,
  type Situation,
} from './sign-in/situation.ts';
