import type { WebRealm } from '#web';

/** An authorization server: a realm's own, or one that a path component of the realm names. */
export interface Issuer {
  readonly realm: WebRealm;
  /** Empty for the realm's own. */
  readonly server: string;
  /** Its identifier (RFC 8414 §2), without a slash at its end. */
  readonly url: string;
  /** What stands before the paths of its endpoints, behind the realm's prefix: empty, or `/name`. */
  readonly path: string;
}

/** First components of paths that mean something else, or will. */
const taken: ReadonlySet<string> = new Set([
  ...['realm', 'realms', 'authn', 'portal', 'admin', 'admin-api', 'assets', 'oauth2', 'federation', 'tls', 'scim', 'spiffe', 'krb5'],
  ...['gnap', 'oidfed', 'ssf', 'saml', 'wsfed', 'wstrust', 'acme', 'est', 'pki', 'enroll', 'xacml', 'did', 'vc', 'well-known', 'api'],
]);

/** Whether a path component may name an authorization server: nothing that this service has for itself, and nothing that some proxy reads as something else. */
export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name) && !taken.has(name.toLowerCase());
}

/** @param origin  of this service, as the caller reached it @param server  a name, or empty for the realm's own */
export function issuerOf(realm: WebRealm, origin: string, server = ''): Issuer {
  const path = server === '' ? '' : `/${server}`;
  return { realm, server, path, url: `${origin}${realm.prefix}${path}` };
}
