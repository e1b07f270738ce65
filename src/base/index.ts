export { base32Of, fromBase32 } from './base32.ts';
export { type BoundedMap, createBoundedMap } from './bounded.ts';
export type { Brand } from './brand.ts';
export { compareBytes, concat, empty, equalBytes, hex, text, utf8 } from './bytes.ts';
export { type Chance, systemChance, token, typedToken, uuid4 } from './chance.ts';
export { type Clock, systemClock } from './clock.ts';
export { addressOctets, isInNetwork, type Network, readNetwork } from './networks.ts';
export { createSlab, type Slab } from './slab.ts';
export { drawTypable, printedInGroups, typableAlphabet, withoutGroups } from './typable.ts';
