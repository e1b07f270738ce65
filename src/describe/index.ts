export { type Card, protocols, surfaces } from './cards.ts';
export { type CryptoFacts, type CryptoMetadata, describeCrypto } from './crypto.ts';
export { type ByHand, type Described, describeRoutes, type Metadata, type MountedRoute } from './metadata.ts';
export { specIdsIn, specifications } from './specs.ts';
