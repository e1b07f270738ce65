import { token } from '#base';
import type { Kept } from '#state';
import type { Application } from '../applications/index.ts';
import { sinceWhen } from '../consents/consents.ts';
import type { Issuer } from '../issuer.ts';
import type { SetRecord } from '../tokens/records.ts';
import { artifactKey, structuredModel } from './adapter.ts';
import { applicationOf } from './application.ts';
import { subOf, uuidOf } from './claims.ts';
import type { ProviderDeps } from './deps.ts';
import type { AdapterPayload, KoaContextWithOIDC } from './library.ts';
import type { Passing } from './passing.ts';
import { askedAt, askedOf, scopesAt } from './resources.ts';
import { eventFor } from './session.ts';

type Ctx = KoaContextWithOIDC;

/** A token that is given out as a JWT, as the library has it before it is signed. */
interface Structured {
  readonly kind: 'AccessToken' | 'ClientCredentials';
  readonly jti: string;
  readonly iat?: number;
  readonly exp?: number;
  readonly clientId: string;
  readonly accountId?: string;
  readonly grantId?: string;
  readonly aud?: string;
  readonly scope?: string;
  readonly jkt?: string;
  readonly gty?: string;
  readonly extra?: object;
}

/** Token sets as the library meets them: each authorization begins one, and it is the library's grant. */
export interface Sets {
  /** The grant of an authorization that is being asked for: what the person and the application's entry allow of it. Nothing of it is kept yet. */
  grantFor(passing: Passing, ctx: Ctx): Promise<unknown>;
  /** Keeps it, just before its code is. */
  begin(
    passing: Passing,
    ctx: Ctx,
    source: { readonly scope?: string | undefined; readonly resource?: string | string[] | undefined },
  ): Promise<void>;
  /** The grant of a set that is good at this moment; `undefined` for any other. */
  grantOf(setId: string): Promise<AdapterPayload | undefined>;
  /** Begins the set of an application's own token. */
  beginOwn(passing: Passing, id: string, payload: AdapterPayload, untilMs: number): Promise<void>;
  /** Somebody, for the tokens of a request; `undefined` when nobody may be here as them. */
  account(
    passing: Passing,
    ctx: Ctx,
    sub: string,
  ): Promise<{ accountId: string; claims(use: string, scope: string): Promise<{ sub: string }> } | undefined>;
  /** What access tokens of a person say beside the rest. */
  extraClaims(token: { readonly accountId?: string }): Promise<Record<string, unknown> | undefined>;
  /** Remembers a token that is given out as a JWT, and says in it what it stands on (RFC 9068 §2.2). */
  keepStructured(passing: Passing, token: Structured, jwt: { payload: Record<string, unknown> }): Promise<void>;
}

const idOctets = 16;

export function createSets(deps: ProviderDeps, issuer: Issuer): Sets {
  const { kept, clock, standing, settingsOf } = deps;
  const { realm, server } = issuer;
  const goodSet = async (setId: string): Promise<Kept<SetRecord> | undefined> => {
    const found = await kept.set(realm.id, setId);
    return found === undefined || found.value.server !== server || (await standing.of(realm, found)) !== undefined ? undefined : found;
  };

  const sets: Sets = {
    grantFor: async (passing, ctx) => {
      const { oidc } = ctx;
      const application = await applicationOf(deps, passing, oidc.client?.clientId ?? '');
      const { session } = passing;
      if (application === undefined || session === undefined) return undefined;
      const asked = scopesOf(oidc.params?.['scope']);
      const nowS = Math.floor(clock.nowMs() / 1000);
      const jti = token(deps.chance, idOctets);
      const grant = new oidc.provider.Grant({
        ...{ jti, kind: 'Grant', iat: nowS, exp: nowS + settingsOf(realm.id)['oauth.grantTtlS'] },
        ...{ accountId: session.subject, clientId: application.clientId },
      } as object);
      const places = askedAt(issuer, application, { ...askedOf(oidc.params ?? {}), scopes: asked });
      // What is asked for at a resource is granted there and nowhere else.
      const own = places.find(({ resource }) => resource === '')?.scopes ?? [];
      const mine = own.filter((scope) => application.scopes.includes(scope));
      // What the library takes out and this service puts back is granted, too.
      if (scopesOf(passing.askedScope).includes('offline_access') && application.scopes.includes('offline_access'))
        mine.push('offline_access');
      if (mine.length > 0) grant.addOIDCScope(mine.join(' '));
      for (const [resource, { scope }] of Object.entries(oidc.resourceServers ?? {})) {
        const granted = asked.filter((each) => scopesOf(scope).includes(each));
        if (granted.length > 0) grant.addResourceScope(resource, granted.join(' '));
      }
      passing.begins = { setId: jti };
      return grant;
    },
    begin: async (passing, { oidc }, source) => {
      const { begins, session } = passing;
      if (begins === undefined || session === undefined || oidc.grant === undefined) return;
      const application = await applicationOf(deps, passing, oidc.client?.clientId ?? '');
      const person = await standing.person(realm, session.entryUuid);
      const nowMs = clock.nowMs();
      const event =
        session.events.find(({ whenMs }) => Math.floor(whenMs / 1000) === oidc.session?.loginTs) ??
        eventFor(session, { demand: {}, again: false }, nowMs);
      const scope = source.scope ?? '';
      const asks = application?.consentRequired === true ? deps.consents : undefined;
      const held = application && (await asks?.of(realm, session.entryUuid, application));
      const consented = application && held && { consented: sinceWhen(askedAt(issuer, application, askedOf(oidc.params ?? {})), held) };
      const set: SetRecord = {
        id: begins.setId,
        server,
        issuer: issuer.url,
        clientId: oidc.client?.clientId ?? '',
        holder: application?.holder ?? '',
        entryUuid: session.entryUuid,
        grant: 'authorization_code',
        scope,
        audience: [source.resource ?? []].flat(),
        sid: session.sid,
        bound: !scopesOf(scope).includes('offline_access'),
        authenticatedMs: event.whenMs,
        acr: event.acr,
        amr: event.amr,
        ...(event.mechanisms === undefined ? {} : { mechanisms: event.mechanisms }),
        password: person?.password ?? '',
        ...consented,
        ...(application?.backchannelLogoutUri === undefined ? {} : { tells: true }),
        issuedAtMs: nowMs,
        payload: payloadOf(oidc.grant as unknown as Record<string, unknown>),
      };
      await kept.beginSet(realm.id, set, nowMs + settingsOf(realm.id)['oauth.grantTtlS'] * 1000);
    },
    grantOf: async (setId) => {
      const found = await goodSet(setId);
      const application = found && (await deps.applications.find(realm, found.value.clientId));
      if (found === undefined || application === undefined) return undefined;
      return { ...narrowed(issuer, application, found.value.payload), jti: setId } as AdapterPayload;
    },
    beginOwn: async (passing, id, { clientId = '', scope = '', aud }, untilMs) => {
      const holder = (await applicationOf(deps, passing, clientId))?.holder ?? '';
      const own = { clientId, holder, scope, audience: [aud ?? []].flat(), issuedAtMs: clock.nowMs() };
      await kept.beginSet(realm.id, ownSet(issuer, id, own, untilMs), untilMs);
    },
    account: async (passing, ctx, sub) => {
      const entryUuid = uuidOf(sub);
      if (entryUuid === undefined || (await deps.people.isBarred(realm, entryUuid))) return undefined;
      return {
        accountId: sub,
        claims: async (_use, scope) => {
          const application = await applicationOf(deps, passing, ctx.oidc.client?.clientId ?? '');
          const mine = scopesOf(scope).filter((each) => application?.scopes.includes(each) === true);
          const told = application === undefined ? {} : await deps.claimsOf(realm, application, entryUuid, mine);
          return { ...told, sub };
        },
      };
    },
    extraClaims: async ({ accountId }) => {
      const entryUuid = uuidOf(accountId ?? '');
      const delegate = entryUuid === undefined ? undefined : await deps.delegateOf(realm, entryUuid);
      return delegate === undefined ? undefined : { may_act: { sub: subOf(delegate) } };
    },
    keepStructured: async (passing, token, jwt) => {
      const nowMs = clock.nowMs();
      const { jti, aud, scope, clientId, kind } = token;
      const untilMs = Number(jwt.payload['exp']) * 1000;
      if (kind === 'ClientCredentials') await sets.beginOwn(passing, jti, { clientId, scope, aud } as AdapterPayload, untilMs);
      const setId = kind === 'ClientCredentials' ? jti : (token.grantId ?? '');
      const found = kind === 'ClientCredentials' ? undefined : await kept.set(realm.id, setId);
      const { acr, amr, authenticatedMs, sid } = found?.value ?? {};
      Object.assign(jwt.payload, {
        ...(acr === undefined ? {} : { acr }),
        ...(amr === undefined ? {} : { amr }),
        ...(authenticatedMs === undefined ? {} : { auth_time: Math.floor(authenticatedMs / 1000) }),
        ...(sid === undefined ? {} : { sid }),
      });
      const { accountId, jkt, extra, gty } = token;
      const payload = {
        kind,
        iat: jwt.payload['iat'],
        exp: jwt.payload['exp'],
        clientId,
        accountId,
        grantId: token.grantId,
        aud,
        scope,
        sid,
        jkt,
        extra,
        gty,
      };
      await kept.put(realm.id, artifactKey(server, structuredModel, jti), { model: kind, server, setId, payload, atMs: nowMs }, untilMs);
    },
  };
  return sets;
}

/** The set of an application's own token: it is all there is in it. */
function ownSet(
  { server, url }: Issuer,
  id: string,
  own: Pick<SetRecord, 'clientId' | 'holder' | 'scope' | 'audience' | 'issuedAtMs'>,
  untilMs: number,
): SetRecord {
  const payload = { clientId: own.clientId, kind: 'Grant', exp: Math.ceil(untilMs / 1000) };
  return { id, server, issuer: url, ...own, grant: 'client_credentials', entryUuid: '', bound: false, password: '', payload };
}

/** What is left of a grant that was given when the application's entry allowed more. */
function narrowed(issuer: Issuer, application: Application, payload: SetRecord['payload']): SetRecord['payload'] {
  const { openid, resources } = payload as { openid?: { scope?: string }; resources?: Readonly<Record<string, string>> };
  const within = (scope: string | undefined, allowed: readonly string[]) =>
    scopesOf(scope)
      .filter((each) => allowed.includes(each))
      .join(' ');
  const left = Object.entries(resources ?? {}).map(([resource, scope]) => [
    resource,
    within(scope, scopesAt(issuer, application, resource) ?? []),
  ]);
  return {
    ...payload,
    ...(openid === undefined ? {} : { openid: { ...openid, scope: within(openid.scope, application.scopes) } }),
    ...(resources === undefined ? {} : { resources: Object.fromEntries(left) }),
  };
}

/** What the library keeps of a grant. */
function payloadOf(grant: Record<string, unknown>): Readonly<Record<string, unknown>> {
  const names = ['accountId', 'clientId', 'resources', 'openid', 'rejected', 'iat', 'exp', 'kind'];
  return Object.fromEntries(names.flatMap((name) => (grant[name] === undefined ? [] : [[name, grant[name]]])));
}

function scopesOf(scope: unknown): readonly string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((each) => each !== '') : [];
}
