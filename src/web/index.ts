export { type Cookie, sessionCookie } from './cookies.ts';
export { isOrigin } from './cors.ts';
export { type Csrf, createCsrf, csrfField } from './csrf.ts';
export { errors as webErrors } from './errors.ts';
export {
  bindRawRoutes,
  bindRoutes,
  type Handler,
  type JsonReply,
  type MayAsk,
  type PageReply,
  type RawHandler,
  type RawRequest,
  type RedirectReply,
  type Reply,
  type StreamReply,
  type WebRequest,
  type WebRoute,
} from './exchange.ts';
export { type Admitted, securityHeaders } from './headers.ts';
export { isLoopbackHost } from './host.ts';
export { html, type Piece, type SafeHtml } from './html.ts';
export { type Limit, limitRow } from './limited.ts';
export { facts, notice, type Page, type ThingRow, things } from './page.ts';
export { pathIn, realmSegment, type WebRealm, type WebRealms } from './realm.ts';
export { settings as webSettings } from './settings.ts';
export { startWeb, type Web, type WebOptions } from './start.ts';
export { fillText } from './texts.ts';
export { readTime, relative, timeHtml } from './times.ts';
