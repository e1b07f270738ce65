export { createSigninHandlers, type SigninDeps } from './handlers.ts';
export type { Judge, Known, Registry } from './password.ts';
export { openRisk } from './risk.ts';
export { routes as signinRoutes } from './routes.ts';
