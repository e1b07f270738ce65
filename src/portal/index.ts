export { createPortalHandlers, type PortalDeps } from './handlers.ts';
export type { OwnEntry } from './pages.ts';
export { openParties } from './parties.ts';
export { routes as portalRoutes } from './routes.ts';
