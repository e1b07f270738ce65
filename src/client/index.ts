export type { Actor, Found, FoundPage, PageOptions, SearchOptions, SessionOf, Subject } from './actor.ts';
export { asserting } from './actor.ts';
export type { AppPasswordAsked, AppPasswordMade } from './app-passwords.ts';
export type { PasswordChange, PasswordChanged } from './change-password.ts';
export { type ConnectOptions, connectDirectory, type DirectoryClient, type Judgement, type Presented } from './connect.ts';
export { attributesOf, type ClientEntry } from './entry.ts';
export { errors as clientErrors } from './errors.ts';
export {
  type AccessDecision,
  builtInRules,
  explainAccess,
  explainSignIn,
} from './explain.ts';
export { allOf, anyOf, equals, inChain, present } from './filters.ts';
export type { Limited } from './limited.ts';
export { connectOperators, type OperatorsClient, type OperatorsOptions, type Pipeline } from './operators.ts';
export { ClientRefusal } from './refusal.ts';
export { type Change, rehearse, watch } from './rehearse.ts';
export { settings as clientSettings } from './settings.ts';
export type { KeyRotated, OpenedKey, RotationAsked } from './signing-keys.ts';
export type { Update, UpdateRefused } from './together.ts';
export type { Verification, Verified } from './verify.ts';
