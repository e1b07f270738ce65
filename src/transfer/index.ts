export { canonicalAttributes, isWanted, type Wanted } from './canonical.ts';
export type { Difference } from './desk.ts';
export { differences } from './differences.ts';
export { errors as transferErrors } from './errors.ts';
export { createMapping, type Mapping } from './mapping.ts';
export { createNaming, type NamedEntry, namedEntry } from './named.ts';
export { type Allowed, createProtection, isFactor, type LeftAlone } from './protection.ts';
export { keyOfName, notContent, placeOfRealm, placeOfTasks, suffixOfRealm } from './realms.ts';
export { sorted } from './sorted.ts';
