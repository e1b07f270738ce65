export { type Application, standingScopes } from './application.ts';
export { type Applications, openApplications } from './applications.ts';
export { toClientMetadata } from './metadata.ts';
