/** A cookie to set (RFC 6265 §4.1). Every cookie of ours is HttpOnly and SameSite=Lax, and lives as long as the browser; `Secure` follows the connection. */
export interface Cookie {
  readonly name: string;
  /** Empty removes the cookie. */
  readonly value: string;
  /** A path of the realm: `/` is sent with all requests of it. */
  readonly path: string;
}

/** Carries the handle of a session. */
export const sessionCookie = 'sts_session';

const cookiesMax = 100;

/**
 * Every value that a name has in a Cookie header, in the order in which they came.
 * Cookies of one name on nested paths arrive together, and none says which path it belongs to, so a caller looks each up.
 *
 * @see RFC 6265 §5.4
 */
export function readCookies(header: string | undefined, name: string): readonly string[] {
  const values: string[] = [];
  for (const pair of (header ?? '').split(';', cookiesMax)) {
    const at = pair.indexOf('=');
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair.slice(at + 1).trim();
    // RFC 6265 §4.1.1: cookie-octet. What we set never holds anything else.
    if (/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(value)) values.push(value);
  }
  return values;
}

/**
 * The value of a Set-Cookie header.
 *
 * @param prefix  the realm's: its cookies go to no other realm below `/realm/`. Those of the default realm do arrive there (RFC 6265 §5.1.4),
 *                so that a handle counts in its own realm alone
 */
export function formatCookie({ name, value, path }: Cookie, prefix: string, secure: boolean): string {
  return [
    `${name}=${value}`,
    `Path=${prefix !== '' && path === '/' ? prefix : prefix + path}`,
    ...(value === '' ? ['Max-Age=0'] : []),
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}
