import { isAddressHost, isLoopbackHost } from './host.ts';

/** Two years would be kinder to preload lists; one lets an operator go back. */
const hstsMaxAgeS = 31_536_000;

const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/**
 * Headers of every answer: no script, no frame, nothing from or to another host, no guessing of types.
 *
 * @param secure  true on https
 * @see W3C CSP Level 3, RFC 6797 (HSTS)
 */
export function securityHeaders(secure: boolean, host: string): Readonly<Record<string, string>> {
  // HSTS counts for all ports of a name: on localhost it would take plain http away from every other program of this machine.
  const pinned = secure && host !== '' && !isLoopbackHost(host) && !isAddressHost(host);
  return {
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(pinned ? { 'Strict-Transport-Security': `max-age=${hstsMaxAgeS}` } : {}),
  };
}
