export { canonicalAttributes, isWanted, type Wanted } from './canonical.ts';
export type { Difference } from './desk.ts';
export { differences } from './differences.ts';
export { errors as transferErrors } from './errors.ts';
export { createMapping, type Mapping } from './mapping.ts';
export { createNaming, faultOf, type NamedEntry, namedEntry } from './named.ts';
export { createPlacing, type Destination, type Placing } from './placing.ts';
export { type Allowed, createProtection, isFactor, type LeftAlone } from './protection.ts';
export { keyOfName, notContent } from './realms.ts';
export {
  type LeftOut,
  opened,
  tellLeftOut,
  transferKey,
  transferPlace,
} from './sealing.ts';
export { sorted } from './sorted.ts';
export { type OpenedRealm, type RealmEntries, realmText } from './text.ts';
export { whole } from './whole.ts';
