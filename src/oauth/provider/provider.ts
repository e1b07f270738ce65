import { type SigningAlgorithm, sha256 } from '#keys';
import type { Session } from '#sessions';
import { limitRow, sessionCookie } from '#web';
import { toClientMetadata } from '../applications/index.ts';
import { errors } from '../errors.ts';
import type { Issuer } from '../issuer.ts';
import { claimsOfJwt } from '../jwt.ts';
import { noteRefusal } from '../note.ts';
import { mayUseServer } from '../tokens/standings.ts';
import { type AdapterDeps, createAdapter } from './adapter.ts';
import { applicationOf } from './application.ts';
import { standingClaims } from './claims.ts';
import { features, fixed, ttlOf } from './configuration.ts';
import type { ProviderDeps } from './deps.ts';
import { parkFor } from './interaction.ts';
import type { AdapterPayload, Configuration, KoaContextWithOIDC, OidcLibrary, Provider } from './library.ts';
import { listen } from './listen.ts';
import { type Passing, passingOf } from './passing.ts';
import { interactionPolicy } from './policy.ts';
import { refusedTarget, resourceOf, tokensForTheServer } from './resources.ts';
import { edge, showError } from './run.ts';
import { outsideSession } from './session.ts';
import { createSets, type Sets } from './sets.ts';

type Ctx = KoaContextWithOIDC;

/** What stands in the place of a secret in the library: it is never compared with anything. */
const standIn = 'the directory judges secrets';

export interface Built {
  readonly provider: Provider;
  readonly callback: ReturnType<Provider['callback']>;
}

/**
 * Puts an authorization server together: oidc-provider over this service's sessions, applications, keys and kept tokens.
 *
 * @param keys  private keys by which it signs, the first of each algorithm the current one
 */
export function buildProvider(
  library: OidcLibrary,
  deps: ProviderDeps,
  issuer: Issuer,
  keys: { readonly keys: readonly object[] },
  algorithm: SigningAlgorithm,
): Built {
  const sets = createSets(deps, issuer);
  const provider = new library.Provider(issuer.url, configurationOf(library, deps, issuer, keys, algorithm, sets));
  Object.assign(provider, { silent: true });
  outsideSession(provider, (ctx) => sessionFor(deps, passingOf(ctx)));
  replaceReplays(library, provider, deps, issuer);
  tokensForTheServer(provider, issuer, algorithm);
  const client = provider.Client.prototype as unknown as Record<string, unknown>;
  Object.assign(client, {
    compareClientSecret: (given: string) => judgeSecret(library, deps, given),
    // An ID token carries the session's sid, whoever it is for.
    includeSid: () => true,
    responseTypeAllowed(this: { responseTypes: readonly string[] }, type: string) {
      keepAskedScope(library);
      return this.responseTypes.includes(type);
    },
  });
  edge(provider, deps);
  listen(provider, deps, issuer);
  return { provider, callback: provider.callback() };
}

/** The session of the browser, when it is one of somebody who may be here. */
async function sessionFor(deps: ProviderDeps, passing: Passing): Promise<Session | undefined> {
  const { raw, issuer } = passing;
  const found = await deps.sessions.find(issuer.realm.id, raw.cookies(sessionCookie));
  // Whoever has no entry any more, or is disabled, has no session either.
  passing.session = found === undefined || (await deps.people.isBarred(issuer.realm, found.entryUuid)) ? undefined : found;
  return passing.session;
}

async function judgeSecret(library: OidcLibrary, deps: ProviderDeps, secret: string): Promise<boolean> {
  const ctx = library.Provider.ctx as Ctx;
  const passing = passingOf(ctx);
  const application = await applicationOf(deps, passing, ctx.oidc.client?.clientId ?? '');
  if (application === undefined) return false;
  const { address, secure } = passing.raw;
  const judged = await deps.applications.judgeSecret(application, { secret, address, isProtected: secure });
  if (judged.kind === 'limited') {
    const error = limitRow(judged);
    noteRefusal(deps.audit, passing.issuer.realm, passing.raw, error, error.means);
  }
  return judged.kind === 'accepted';
}

const textParameters = [
  'state',
  'nonce',
  'acr_values',
  'login_hint',
  'dpop_jkt',
  'response_type',
  'response_mode',
  'code_challenge',
  'id_token_hint',
  'scope',
  'prompt',
  'display',
  'ui_locales',
];

/** RFC 6749 §3.1: parameters are text. In a signed request they may be anything that JSON can say, which the library would turn into text. */
function judgeMembers(library: OidcLibrary, claims: Readonly<Record<string, unknown>>): void {
  const odd = textParameters.find((name) => claims[name] !== undefined && claims[name] !== null && typeof claims[name] !== 'string');
  if (odd !== undefined) throw new library.errors.InvalidRequestObject(`${odd} is no string`);
}

/** The scope as it was asked for, before the library takes anything out of it, and after it has read a request that was pushed or signed. */
function keepAskedScope(library: OidcLibrary): void {
  const ctx = library.Provider.ctx as Ctx | undefined;
  const scope = ctx?.oidc.params?.['scope'];
  if (ctx !== undefined && typeof scope === 'string') passingOf(ctx).askedScope = scope;
}

/** Assertions that are good for longer would fill the store of what was used. */
const usedOnceAheadMaxS = 3600;

/**
 * What may be used once is noted in one step: of two who come at once one is first.
 *
 * @see RFC 7523 §3: one whose end is unreasonably far ahead may be refused
 */
function replaceReplays(library: OidcLibrary, provider: Provider, { kept, clock }: ProviderDeps, { realm, server }: Issuer): void {
  const unique = (owner: string, id: string, untilS: number) => {
    if (untilS * 1000 > clock.nowMs() + usedOnceAheadMaxS * 1000)
      throw new library.errors.InvalidClientAuth(`exp is more than ${usedOnceAheadMaxS} seconds ahead`);
    return kept.useOnce(realm.id, `${server}/${owner}/${Buffer.from(sha256(id)).toString('base64url')}`, untilS * 1000);
  };
  Object.defineProperty(provider, 'ReplayDetection', { value: { unique } });
}

function adapterDeps(deps: ProviderDeps, library: OidcLibrary, issuer: Issuer, algorithm: SigningAlgorithm, sets: Sets): AdapterDeps {
  const ctxNow = () => library.Provider.ctx as Ctx | undefined;
  const staticScopes = new Set(Object.keys(standingClaims(deps)));
  return {
    kept: deps.kept,
    clock: deps.clock,
    realm: issuer.realm.id,
    server: issuer.server,
    audience: issuer.url,
    clientOf: async (clientId) => {
      const ctx = ctxNow();
      const found =
        ctx === undefined ? await deps.applications.find(issuer.realm, clientId) : await applicationOf(deps, passingOf(ctx), clientId);
      if (found === undefined || found.disabled || !mayUseServer(found.servers, issuer.server)) return undefined;
      const scope = found.scopes.filter((each) => staticScopes.has(each)).join(' ');
      // Without one the library holds it against nothing; what is granted is held against the entry all the same.
      return { ...toClientMetadata(found, { standIn, algorithm }), ...(scope === '' ? {} : { scope }) } as unknown as AdapterPayload;
    },
    grantOf: sets.grantOf,
    madeFor: async () => {
      const ctx = ctxNow();
      const clientId = ctx?.oidc.client?.clientId;
      const found = ctx && clientId !== undefined ? await applicationOf(deps, passingOf(ctx), clientId) : undefined;
      return found && { clientId: found.clientId, holder: found.holder };
    },
    isHeld: async ({ clientId, holder }) => {
      const ctx = ctxNow();
      return ctx !== undefined && (await applicationOf(deps, passingOf(ctx), clientId))?.holder === holder;
    },
    usedTwice: async (model, setId) => {
      const ctx = ctxNow();
      if (ctx !== undefined) passingOf(ctx).because = errors.reused;
      if (setId !== '') await deps.kept.revoke(issuer.realm.id, setId, 'reused');
      if (model === 'PushedAuthorizationRequest') throw new library.errors.InvalidRequestUri('request_uri was already used');
      throw new library.errors.InvalidGrant('it was already used');
    },
    revoke: async (setId) => {
      const ctx = ctxNow();
      const isReuse = ctx?.oidc.route === 'token';
      if (ctx !== undefined && isReuse) passingOf(ctx).because = errors.reused;
      await deps.kept.revoke(issuer.realm.id, setId, isReuse ? 'reused' : 'revoked');
    },
    beginOwn: (id, payload, untilMs) => sets.beginOwn(passingOf(ctxNow() as Ctx), id, payload, untilMs),
    jtiOf: async (jwt) => {
      const claims = await claimsOfJwt(await deps.publishedOf(issuer.realm), jwt, issuer.url, { nowMs: deps.clock.nowMs() });
      return typeof claims === 'string' ? undefined : String(claims['jti']);
    },
  };
}

interface Asking {
  readonly clientId: string;
  readonly clientAuthMethod?: string;
}

interface Asked {
  readonly clientId: string;
  readonly aud?: string;
}

/**
 * Judges the target of a refresh as the library will, which does so when it has spent the token already: a resource that is refused costs nobody theirs.
 *
 * @see RFC 8707 §2.2; the library asks for this where it decides whether to spend
 */
async function checkTarget(library: OidcLibrary, ctx: Ctx, infoOf: (ctx: Ctx, resource: string) => Promise<unknown>): Promise<void> {
  const { params = {}, entities, requestParamScopes } = ctx.oidc;
  const { resource, scopes, resourceIndicators } = entities.RefreshToken as unknown as Refreshing;
  const isForUserinfo = (params['scope'] ? requestParamScopes : scopes).has('openid');
  const target = params['resource'] ?? (isForUserinfo ? undefined : resource);
  if (Array.isArray(target) ? target.length === 0 : target === undefined) return;
  if (typeof target !== 'string' || !resourceIndicators.has(target)) throw new library.errors.InvalidTarget();
  await infoOf(ctx, target);
}

/** What is used of a refresh token of the library. */
interface Refreshing {
  readonly resource?: string | readonly string[];
  readonly scopes: ReadonlySet<string>;
  readonly resourceIndicators: ReadonlySet<string>;
}

/** What a request asks for: what it says, or, where it goes on with what was granted before, what that has. */
function scopesAskedFor({ oidc }: Ctx): Iterable<string> {
  const { params = {}, entities } = oidc;
  if (typeof params['scope'] === 'string') return params['scope'].split(' ');
  const { AuthorizationCode, DeviceCode, RefreshToken } = entities as Readonly<Record<string, { readonly scopes?: ReadonlySet<string> }>>;
  return (AuthorizationCode ?? DeviceCode ?? RefreshToken)?.scopes ?? [];
}

/** A client may ask about its own tokens, and whoever is a resource about those that are for it (RFC 7662 §4). */
async function mayAsk(deps: ProviderDeps, ctx: Ctx, { clientId, clientAuthMethod }: Asking, token: Asked): Promise<boolean> {
  if (clientId === token.clientId) return true;
  if (clientAuthMethod === 'none' || token.aud === undefined) return false;
  return (await applicationOf(deps, passingOf(ctx), clientId))?.resources.includes(token.aud) === true;
}

function configurationOf(
  library: OidcLibrary,
  deps: ProviderDeps,
  issuer: Issuer,
  keys: { readonly keys: readonly object[] },
  algorithm: SigningAlgorithm,
  sets: Sets,
): Configuration {
  const own = adapterDeps(deps, library, issuer, algorithm, sets);
  const claims = standingClaims(deps);
  const resources = {
    enabled: true,
    defaultResource: async (_ctx: unknown, _client: unknown, oneOf?: string | string[]) => oneOf as string,
    useGrantedResource: async () => false,
    getResourceServerInfo: async (ctx: Ctx, resource: string) => {
      const application = await applicationOf(deps, passingOf(ctx), ctx.oidc.client?.clientId ?? '');
      const ttlS = deps.settingsOf(issuer.realm.id)['oauth.accessTokenTtlS'];
      const found = application && resourceOf(issuer, application, resource, ttlS, algorithm);
      const asked = [...scopesAskedFor(ctx)];
      const refused = refusedTarget(issuer, application, resource, asked);
      if (refused?.error === 'invalid_scope') throw new library.errors.InvalidScope(refused.says, asked.join(' '));
      if (found === undefined) throw new library.errors.InvalidTarget(refused?.says);
      return found;
    },
  };
  return {
    ...fixed(issuer, algorithm),
    adapter: (model: string) => createAdapter(own, model),
    jwks: keys as Configuration['jwks'],
    scopes: Object.keys(claims),
    claims,
    features: {
      ...features,
      requestObjects: {
        ...features.requestObjects,
        assertJwtClaimsAndHeader: async (_ctx: Ctx, claims: object) => judgeMembers(library, { ...claims }),
      },
      resourceIndicators: resources,
      introspection: { enabled: true, allowedPolicy: async (ctx: Ctx, client: Asking, token: Asked) => mayAsk(deps, ctx, client, token) },
      revocation: { enabled: true, allowedPolicy: async (_ctx: Ctx, client: Asking, token: Asked) => client.clientId === token.clientId },
    },
    findAccount: async (ctx: Ctx, sub: string) => sets.account(passingOf(ctx), ctx, sub),
    loadExistingGrant: async (ctx: Ctx) => sets.grantFor(passingOf(ctx), ctx),
    expiresWithSession: async (ctx: Ctx, source: { resource?: string | string[]; scope?: string }) => {
      await sets.begin(passingOf(ctx), ctx, source);
      return false;
    },
    issueRefreshToken: async (_ctx: Ctx, client: { grantTypeAllowed(type: string): boolean }) => client.grantTypeAllowed('refresh_token'),
    // Asked just before the token is spent: one whose target is refused is not.
    rotateRefreshToken: async (ctx: Ctx) => {
      await checkTarget(library, ctx, resources.getResourceServerInfo);
      return fixed(issuer, algorithm).rotateRefreshToken;
    },
    extraTokenClaims: async (_ctx: Ctx | undefined, token: object) => sets.extraClaims(token as { accountId?: string }),
    formats: {
      customizers: {
        jwt: async (ctx: Ctx, token: object, jwt: object) => sets.keepStructured(passingOf(ctx), token as never, jwt as never),
      },
    },
    ttl: ttlOf(() => deps.settingsOf(issuer.realm.id)),
    interactions: {
      policy: interactionPolicy(library, deps) as never,
      url: (ctx: Ctx, interaction: { prompt: { name: string } }) => parkFor(deps, passingOf(ctx), ctx, interaction.prompt.name),
    },
    renderError: showError,
  } as unknown as Configuration;
}
