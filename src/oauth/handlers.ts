import type { Audit } from '#audit';
import { type ErrorRow, Refusal, refuse } from '#catalogue';
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
  /** Octets of a form. */
  readonly formOctetsMax: (realm: string) => number;
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
  const form = await openForm(deps, issuer, raw);
  if ('row' in form) return refuseForm(deps, endpoint, issuer, raw, form);
  const query = raw.target.slice(raw.path.length);
  const target = `${endpoints[endpoint].path}${query}`;
  switch (endpoint) {
    case 'authorize':
      return raw.method === 'POST' ? asQuery(deps, issuer, raw, form) : runLibrary(deps, issuer, raw, target, form);
    case 'jwks':
      return sendKeys(deps, issuer, raw);
    case 'logout':
      return deps.logout(issuer, raw, form);
    case 'introspect':
    case 'revoke':
      return runLibrary(deps, issuer, raw, target, rewriteStructured(form));
    case 'token':
    case 'userinfo':
    case 'par':
    case 'deviceAuthorization':
    case 'openidConfiguration':
    case 'serverMetadata':
      return runLibrary(deps, issuer, raw, target, form);
  }
}

interface Fault {
  readonly row: ErrorRow;
  readonly why: string;
}

/** The form of a request, or why it is none that is read here. */
async function openForm({ formOctetsMax }: HandlerDeps, { realm }: Issuer, raw: RawRequest): Promise<URLSearchParams | Fault> {
  // Node hands on the first of several: whoever stands before us may have read another.
  if ((raw.request.headersDistinct['authorization']?.length ?? 0) > 1)
    return { row: errors.sentTwice, why: 'the Authorization header must not be provided twice' };
  try {
    const form = await raw.form();
    if (form.size > 0 && form.toString().length > formOctetsMax(realm.id)) return { row: errors.bodyTooLong, why: 'the form is too long' };
    return form;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { row: thrown.row, why: 'the body is no application/x-www-form-urlencoded form in UTF-8 that can be read here' };
  }
}

/** RFC 6749 §5.2; RFC 9126 §2.3 for what is too long. */
function refuseForm({ audit }: HandlerDeps, endpoint: EndpointName, { realm }: Issuer, raw: RawRequest, { row, why }: Fault): Reply {
  noteRefusal(audit, realm, raw, row, row.means);
  const status = row.sees.http ?? 400;
  if (endpoint === 'authorize' || endpoint === 'logout')
    return { kind: 'page', status, page: errorPage('invalid_request', why, raw.correlationId), error: row };
  return { kind: 'json', status, body: { error: 'invalid_request', error_description: why }, error: row };
}

async function runLibrary(
  { servers, applications }: HandlerDeps,
  issuer: Issuer,
  raw: RawRequest,
  target: string,
  form: URLSearchParams,
): Promise<Reply | undefined> {
  const named = namedClient(raw, form);
  const known = named === undefined ? undefined : applications.find(issuer.realm, named);
  const built = await servers.of(issuer, await known);
  const { run } = await import('./provider/run.ts');
  return run(built, issuer, raw, { target, form, ...(named === undefined || known === undefined ? {} : { named, known }) });
}

/** Which client a request names itself as, in whatever way. */
function namedClient({ method, query, header }: RawRequest, form: URLSearchParams): string | undefined {
  const basic = /^basic +([\w+/=-]+)$/i.exec(header('authorization') ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString('utf8').split(':', 1)[0];
  return (method === 'POST' ? form : query).get('client_id') ?? undefined;
}

/**
 * An authorization request that came by POST goes on as a GET with the same parameters: the browser sends its cookie with that one, however far away the page
 * was that it came from (`SameSite=Lax`), and it can be come back to.
 *
 * @see OpenID Connect Core §3.1.2.1; specification document 1, "Redirect contract with the calling protocol", rule 2
 */
function asQuery({ lengthMax, audit }: HandlerDeps, { path, realm }: Issuer, raw: RawRequest, form: URLSearchParams): Reply {
  const joined = [raw.target.slice(raw.path.length + 1), form.toString()].filter((part) => part !== '').join('&');
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
