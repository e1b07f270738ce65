export { type Application, type Applications, openApplications, standingScopes, toClientMetadata } from './applications/index.ts';
export { errors as oauthErrors } from './errors.ts';
export { openSigningKeys, type RealmKeys, type SigningKeys } from './keys/keys.ts';
export { routes as oauthRoutes } from './routes.ts';
export { type WebfingerRealms, webfinger } from './webfinger.ts';
