export { createPortalHandlers, type PortalDeps } from './handlers.ts';
export { timeOf as linkTimeOf } from './links/pages.ts';
export type { OwnEntry } from './pages.ts';
export { openParties } from './parties.ts';
export { routes as portalRoutes } from './routes.ts';
