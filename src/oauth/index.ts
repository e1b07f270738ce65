export { type Application, type Applications, openApplications, standingScopes, toClientMetadata } from './applications/index.ts';
export { errors as oauthErrors } from './errors.ts';
export { routes as oauthRoutes } from './routes.ts';
export { type WebfingerRealms, webfinger } from './webfinger.ts';
