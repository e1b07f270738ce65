export { type Application, type Applications, openApplications, standingScopes, toClientMetadata } from './applications/index.ts';
export { type Claims, claimsOfScopes, openClaims } from './claims/claims.ts';
export { type Consent, type Consents, openConsents } from './consents/consents.ts';
export { scopeText } from './consents/texts.ts';
export { openSigningKeys, type RealmKeys, type SigningKeys } from './keys/keys.ts';
export { createOauth, type Oauth } from './oauth.ts';
export { proofAlgorithms } from './proof.ts';
export { clientAlgorithms } from './provider/configuration.ts';
export { type WebfingerRealms, webfinger } from './webfinger.ts';
