import type { Audit } from '#audit';
import { text } from '#base';
import { refuse } from '#catalogue';
import { type RawHandler, type RawRequest, type Reply, type WebRealm, type WebRealms, webErrors } from '#web';
import type { Applications } from './applications/index.ts';
import { type EndpointName, endpointRows, endpoints } from './endpoints.ts';
import { errors } from './errors.ts';
import { type Issuer, isServerName, issuerOf } from './issuer.ts';
import type { LogoutHandler } from './logout/logout.ts';
import { noteRefusal } from './note.ts';
import { errorPage } from './pages.ts';
import type { Servers } from './servers.ts';
import { rewriteStructured } from './structured.ts';
import type { KeptTokens } from './tokens/kept.ts';

export interface HandlerDeps {
  readonly realms: WebRealms;
  readonly servers: Servers;
  readonly applications: Pick<Applications, 'find'>;
  readonly kept: KeptTokens;
  readonly logout: LogoutHandler;
  /** What is published of a realm's keys. */
  readonly publicJwks: (realm: WebRealm) => Promise<{ readonly keys: readonly object[] }>;
  /** Characters of a request that can be come back to. */
  readonly lengthMax: () => number;
  readonly audit: Pick<Audit, 'record'>;
}

/** The endpoints of every authorization server, by the names of their routes. */
export function createOauthHandlers(deps: HandlerDeps): Readonly<Record<string, RawHandler>> {
  return Object.fromEntries(
    Object.entries(endpointRows).map(([name, { endpoint }]) => [
      name,
      async (raw: RawRequest) => answer(deps, endpoint, await issuerIn(deps, raw), raw),
    ]),
  );
}

/** Whose endpoint a path is: the realm's own, or the server's that it names; of metadata also by the path behind. */
async function issuerIn({ realms }: HandlerDeps, raw: RawRequest): Promise<Issuer> {
  const { server = '', id } = raw.params;
  if (server !== '' && !isServerName(server)) throw refuse(errors.serverNameRefused);
  if (id === undefined) return issuerOf(raw.realm, raw.origin, server);
  // Under a realm there is no other.
  const realm = raw.realm.id === realms.standing.id ? await realms.find(id) : undefined;
  if (realm === undefined) throw refuse(webErrors.realmUnknown);
  if (realm.removing) throw refuse(webErrors.realmRemoved);
  return issuerOf(realm, raw.origin, server);
}

async function answer(deps: HandlerDeps, endpoint: EndpointName, issuer: Issuer, raw: RawRequest): Promise<Reply | undefined> {
  const body = await raw.body();
  const query = raw.target.slice(raw.path.length);
  const target = `${endpoints[endpoint].path}${query}`;
  switch (endpoint) {
    case 'authorize':
      return raw.method === 'POST' ? asQuery(deps, issuer, raw, body) : runLibrary(deps, issuer, raw, target, body);
    case 'jwks':
      return sendKeys(deps, issuer, raw);
    case 'logout':
      return deps.logout(issuer, raw, body);
    case 'introspect':
    case 'revoke':
      return runLibrary(deps, issuer, raw, target, rewriteStructured(body));
    case 'token':
    case 'userinfo':
    case 'par':
    case 'deviceAuthorization':
    case 'openidConfiguration':
    case 'serverMetadata':
      return runLibrary(deps, issuer, raw, target, body);
  }
}

async function runLibrary(
  { servers, applications }: HandlerDeps,
  issuer: Issuer,
  raw: RawRequest,
  target: string,
  body: Uint8Array,
): Promise<Reply | undefined> {
  const named = namedClient(raw, body);
  const known = named === undefined ? undefined : applications.find(issuer.realm, named);
  const built = await servers.of(issuer, await known);
  const { run } = await import('./provider/run.ts');
  return run(built, issuer, raw, { target, body, ...(named === undefined || known === undefined ? {} : { named, known }) });
}

/** Which client a request names itself as, in whatever way. */
function namedClient({ method, query, header }: RawRequest, body: Uint8Array): string | undefined {
  const basic = /^basic +([\w+/=-]+)$/i.exec(header('authorization') ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8').split(':', 1)[0];
  const form = method === 'POST' ? new URLSearchParams(text(body) ?? '') : query;
  return form.get('client_id') ?? undefined;
}

/**
 * An authorization request that came by POST goes on as a GET with the same parameters: the browser sends its cookie with that one, however far away the page
 * was that it came from (`SameSite=Lax`), and it can be come back to.
 *
 * @see OpenID Connect Core §3.1.2.1; specification document 1, "Redirect contract with the calling protocol", rule 2
 */
function asQuery({ lengthMax, audit }: HandlerDeps, { path, realm }: Issuer, raw: RawRequest, body: Uint8Array): Reply {
  const form = new URLSearchParams(Buffer.from(body).toString('utf8')).toString();
  const joined = [raw.target.slice(raw.path.length + 1), form].filter((part) => part !== '').join('&');
  const to = `${path}${endpoints.authorize.path}?${joined}`;
  if (to.length > lengthMax()) {
    noteRefusal(audit, realm, raw, errors.tooLong, errors.tooLong.means);
    const page = errorPage('invalid_request', 'the request is too long: push it in advance (RFC 9126)', raw.correlationId);
    return { kind: 'page', status: 400, page, error: errors.tooLong };
  }
  return { kind: 'redirect', status: 303, to };
}

/** RFC 7517 §5. Clients keep it for a while: a key is published before it signs. */
async function sendKeys({ publicJwks }: HandlerDeps, { realm }: Issuer, { response }: RawRequest): Promise<undefined> {
  const body = JSON.stringify(await publicJwks(realm));
  response.writeHead(200, {
    'Content-Type': 'application/jwk-set+json',
    'Cache-Control': 'public, max-age=300',
    'Access-Control-Allow-Origin': '*',
  });
  response.end(body);
}
