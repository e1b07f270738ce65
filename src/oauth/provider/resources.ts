import type { SigningAlgorithm } from '#keys';
import { type Application, standingScopes } from '../applications/index.ts';
import type { Issuer } from '../issuer.ts';
import type { Provider } from './library.ts';

/** Names the management API of a realm, wherever the service is reached, in the entry of an application. */
export const managementApi = 'urn:atrium:admin-api';
const managementScopes = ['admin:read', 'admin:write'];

/**
 * A resource that an application may have access tokens for; `undefined` for any other.
 *
 * @see RFC 8707; RFC 9068 for the tokens
 */
export function resourceOf(issuer: Issuer, application: Application, resource: string, ttlS: number, alg: SigningAlgorithm) {
  const scopes = scopesAt(issuer, application, resource);
  const common = { audience: resource, accessTokenTTL: ttlS, accessTokenFormat: 'jwt', jwt: { sign: { alg } } } as const;
  return scopes && { ...common, scope: scopes.join(' ') };
}

/** Why a request gets no token for a resource, in the words of the protocol. */
export interface RefusedTarget {
  readonly error: 'invalid_target' | 'invalid_scope';
  readonly says: string;
}

/**
 * Whether a request that names a resource asks for something there. A token for the management API is good for nothing without one of its scopes: each operation
 * takes one (specification document 2), and to give it without would be to ignore all that was asked for without a word. Other interfaces may have no scopes.
 *
 * @param asked  the scopes of the request
 * @see RFC 8707 §2 for `invalid_target`; RFC 6749 §3.3 and §5.2 for `invalid_scope`
 */
export function refusedTarget(
  issuer: Issuer,
  application: Pick<Application, 'resources' | 'scopes'> | undefined,
  resource: string,
  asked: Iterable<string>,
): RefusedTarget | undefined {
  const own = `${issuer.url}/admin-api`;
  if (resource === managementApi) {
    const says =
      issuer.server === '' ? `its address is ${own}` : 'no named authorization server gives tokens for it, ask that of its realm';
    return { error: 'invalid_target', says: `${managementApi} stands for the management API in the entry of an application: ${says}` };
  }
  const there = application && scopesAt(issuer, application, resource);
  if (there === undefined) return { error: 'invalid_target', says: 'the client may have no tokens for this resource' };
  if (!isManagementApi(issuer, resource) || [...asked].some((scope) => there.includes(scope))) return undefined;
  const may = there.length === 0 ? 'may have none of them' : `may ask for ${there.join(' and ')}`;
  return { error: 'invalid_scope', says: `tokens for this resource take one of ${managementScopes.join(' and ')}; the client ${may}` };
}

/** The scopes that an application may have at a resource; `undefined` where it may have no tokens for it. */
export function scopesAt(
  issuer: Issuer,
  { resources, scopes }: Pick<Application, 'resources' | 'scopes'>,
  resource: string,
): readonly string[] | undefined {
  if (isManagementApi(issuer, resource)) {
    if (!resources.includes(resource) && !resources.includes(managementApi)) return undefined;
    // Who says which scopes an application may ask for has said so of these, too.
    return scopes === standingScopes ? managementScopes : managementScopes.filter((scope) => scopes.includes(scope));
  }
  // As a resource of a request it would be the audience of tokens that the management API refuses.
  if (resource === managementApi) return undefined;
  return resources.includes(resource) ? scopes.filter((scope) => !standingScopes.includes(scope)) : undefined;
}

/** What is asked for at one place: at a resource, or, where that is empty, at the server itself. */
export interface AskedAt {
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** Scopes and resources that a request names. */
export function askedOf(params: { readonly scope?: unknown; readonly resource?: unknown }) {
  const scopes = typeof params.scope === 'string' ? params.scope.split(' ').filter((each) => each !== '') : [];
  return { scopes, resources: [params.resource ?? []].flat().map(String) };
}

/** A request, place by place: to whom each scope would be told. What no named resource has is asked of the server itself. */
export function askedAt(
  issuer: Issuer,
  application: Pick<Application, 'resources' | 'scopes'>,
  { scopes, resources }: { readonly scopes: readonly string[]; readonly resources: readonly string[] },
): readonly AskedAt[] {
  const elsewhere = [...new Set(resources)].flatMap((resource) => {
    const there = scopesAt(issuer, application, resource);
    return there === undefined ? [] : { resource, scopes: scopes.filter((each) => there.includes(each)) };
  });
  const own = scopes.filter((each) => !elsewhere.some((place) => place.scopes.includes(each)));
  return own.length === 0 && elsewhere.length > 0 ? elsewhere : [{ resource: '', scopes: own }, ...elsewhere];
}

/** The management API is its realm's own: no named server gives tokens for it. */
export function isManagementApi({ url, server }: Issuer, resource: string): boolean {
  return server === '' && resource === `${url}/admin-api`;
}

/**
 * Has a token for which nobody named a resource be one for the server itself, whose userinfo it opens: every access token says by whom it was issued and for whom.
 *
 * @see RFC 9068 §3, specification document 2, named servers: "its tokens carry the name in `iss` and `aud`"
 */
export function tokensForTheServer(provider: Provider, issuer: Issuer, alg: SigningAlgorithm): void {
  const itself = { identifier: () => issuer.url, audience: issuer.url, accessTokenFormat: 'jwt', jwt: { sign: { alg } } };
  for (const model of [provider.AccessToken, provider.ClientCredentials]) {
    const prototype = model.prototype as unknown as Model;
    const inherited = { draw: prototype.generateTokenId, save: prototype.save };
    // The library settles here what a token looks like.
    prototype.generateTokenId = function generateTokenId() {
      this.resourceServer ??= itself;
      return inherited.draw.call(this);
    };
    prototype.save = async function save() {
      const token = await inherited.save.call(this);
      // OpenID Connect Core §5.4: what scopes tell is at userinfo. Beside a token with an audience, which opens none, the library has the ID token say it.
      if (this.resourceServer === itself) this.aud = undefined;
      return token;
    };
  }
}

/** What is used of a token of the library. */
interface Model {
  resourceServer?: object;
  aud?: string | undefined;
  generateTokenId(): string;
  save(): Promise<string>;
}
