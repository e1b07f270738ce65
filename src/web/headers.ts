import { isAddressHost, isLoopbackHost } from './host.ts';

/** Two years would be kinder to preload lists; one lets an operator go back. */
const hstsMaxAgeS = 31_536_000;

const contentSecurityPolicy = ({ script = false, leadsTo = [] }: Admitted) =>
  [
    "default-src 'none'",
    ...(script ? ["script-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self' data:",
    ["form-action 'self'", ...leadsTo.filter(isSource)].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');

/** What a page may do that others may not. */
export interface Admitted {
  /** Run a script of this service. */
  readonly script?: boolean;
  /** Have a form's answer lead on: browsers hold redirects against `form-action`, too. */
  readonly leadsTo?: readonly string[];
}

/** An origin, or a scheme of an app with its colon: nothing that could end the directive and begin another. */
function isSource(text: string): boolean {
  return /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text) || /^[a-z][a-z0-9+.-]*:$/i.test(text);
}

/**
 * Headers of every answer: no script but that of the page for security keys, no frame, nothing from or to another host, no guessing of types.
 *
 * @param secure  true on https
 * @param admitted  what this page may do
 * @see W3C CSP Level 3, RFC 6797 (HSTS)
 */
export function securityHeaders(secure: boolean, host: string, admitted: Admitted = {}): Readonly<Record<string, string>> {
  // HSTS counts for all ports of a name: on localhost it would take plain http away from every other program of this machine.
  const pinned = secure && host !== '' && !isLoopbackHost(host) && !isAddressHost(host);
  return {
    'Content-Security-Policy': contentSecurityPolicy(admitted),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(pinned ? { 'Strict-Transport-Security': `max-age=${hstsMaxAgeS}` } : {}),
  };
}
