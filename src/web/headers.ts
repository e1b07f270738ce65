import { isAddressHost, isLoopbackHost } from './host.ts';

/** Two years would be kinder to preload lists; one lets an operator go back. */
const hstsMaxAgeS = 31_536_000;

const contentSecurityPolicy = (script: boolean) =>
  [
    "default-src 'none'",
    ...(script ? ["script-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

const [withoutScript, withScript] = [contentSecurityPolicy(false), contentSecurityPolicy(true)];

/**
 * Headers of every answer: no script but that of the page for security keys, no frame, nothing from or to another host, no guessing of types.
 *
 * @param secure  true on https
 * @param script  whether the page may run a script of this service
 * @see W3C CSP Level 3, RFC 6797 (HSTS)
 */
export function securityHeaders(secure: boolean, host: string, script = false): Readonly<Record<string, string>> {
  // HSTS counts for all ports of a name: on localhost it would take plain http away from every other program of this machine.
  const pinned = secure && host !== '' && !isLoopbackHost(host) && !isAddressHost(host);
  return {
    'Content-Security-Policy': script ? withScript : withoutScript,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(pinned ? { 'Strict-Transport-Security': `max-age=${hstsMaxAgeS}` } : {}),
  };
}
