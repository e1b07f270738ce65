import { refuse } from '#catalogue';
import type { RawHandler, WebRealm, WebRequest } from '#web';
import { errors } from './errors.ts';

/** Whose issuer may be asked for. */
export interface WebfingerRealms {
  readonly standing: WebRealm;
  find(id: string): Promise<WebRealm | undefined>;
  ofDomain(domain: string): Promise<WebRealm | undefined>;
}

/** The relation by which the issuer of somebody is found (OpenID Connect Discovery §2). */
const issuerRel = 'http://openid.net/specs/connect/1.0/issuer';
const resourceLengthMax = 1024;

/**
 * `GET /.well-known/webfinger?resource=…`: the issuer for an `acct:` or mail address, a host or an address of this service. It says nothing of whether
 * there is such a person.
 *
 * @see RFC 7033 §4, OpenID Connect Discovery 1.0 §2
 */
export function webfinger(realms: WebfingerRealms): RawHandler {
  return async (request) => {
    const [resource, ...others] = request.query.getAll('resource');
    if (resource === undefined || others.length > 0 || resource === '' || resource.length > resourceLengthMax)
      throw refuse(errors.webfingerMalformed);
    const realm = await realmOf(realms, request, resource);
    if (realm === undefined || realm.removing) throw refuse(errors.webfingerUnknown);
    const rels = request.query.getAll('rel');
    const links = rels.length === 0 || rels.includes(issuerRel) ? [{ rel: issuerRel, href: request.origin + realm.prefix }] : [];
    const { response } = request;
    response.writeHead(200, { 'Content-Type': 'application/jrd+json', 'Access-Control-Allow-Origin': '*' });
    response.end(JSON.stringify({ subject: resource, links }));
    return undefined;
  };
}

/** Under the path of a realm only that one is answered for. */
async function realmOf(realms: WebfingerRealms, { realm, origin }: WebRequestOf, resource: string): Promise<WebRealm | undefined> {
  const named = readResource(resource);
  if (named === undefined) return undefined;
  const own = new URL(origin);
  const found = isSelf(named, own) ? await ofPath(realms, realm, named.path) : await realms.ofDomain(named.hostname);
  return realm.id === realms.standing.id || found?.id === realm.id ? found : undefined;
}

type WebRequestOf = Pick<WebRequest, 'realm' | 'origin'>;

interface Named {
  readonly hostname: string;
  /** With the port, as it was written. */
  readonly host: string;
  /** Of an address; empty for anything else. */
  readonly path: string;
}

/** OpenID Connect Discovery §2.1.2: what has no scheme is an account where it has an `@`, and an https address otherwise. */
function readResource(resource: string): Named | undefined {
  const isAccount = /^(?:acct|mailto):/i.test(resource) || (!/^[a-z][a-z0-9+.-]*:\/\//i.test(resource) && resource.includes('@'));
  const text = isAccount ? `https://${resource.slice(resource.lastIndexOf('@') + 1)}` : withScheme(resource);
  if (isAccount && !resource.includes('@')) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (isAccount && url.pathname !== '/') return undefined;
  return { hostname: url.hostname, host: url.host, path: url.pathname };
}

function withScheme(resource: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(resource) ? resource : `https://${resource}`;
}

function isSelf({ host, hostname }: Named, own: URL): boolean {
  return host === own.host || hostname === own.hostname;
}

/** Of an address of this service itself: the realm whose path it is. */
async function ofPath(realms: WebfingerRealms, asked: WebRealm, path: string): Promise<WebRealm | undefined> {
  const [, id] = /^\/realm\/([a-z0-9-]{1,31})(?:\/|$)/.exec(path) ?? [];
  if (id !== undefined) return id === asked.id ? asked : realms.find(id);
  if (path === '/') return asked;
  return /^\/realm(?:\/|$)/.test(path) ? undefined : realms.standing;
}
