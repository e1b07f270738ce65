export { type Application, type Applications, openApplications, standingScopes, toClientMetadata } from './applications/index.ts';
