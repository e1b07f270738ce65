export type { Actor, Found, SearchOptions, SessionOf, Subject } from './actor.ts';
export { type ConnectOptions, connectDirectory, type DirectoryClient, type Judgement, type Presented } from './connect.ts';
export { attributesOf, type ClientEntry } from './entry.ts';
export { errors as clientErrors } from './errors.ts';
export { allOf, anyOf, equals, inChain, present } from './filters.ts';
export { connectOperators, type OperatorsClient, type OperatorsOptions, type Pipeline } from './operators.ts';
export { ClientRefusal } from './refusal.ts';
export { settings as clientSettings } from './settings.ts';
export type { Verification, Verified } from './verify.ts';
