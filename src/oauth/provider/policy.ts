import { meetsDemand } from '#policy';
import type { Session } from '#sessions';
import { sessionCookie } from '#web';
import { isAllowed } from '../consents/consents.ts';
import { errors } from '../errors.ts';
import { applicationOf } from './application.ts';
import { demandsOf } from './demands.ts';
import type { ProviderDeps } from './deps.ts';
import type { KoaContextWithOIDC, OidcLibrary } from './library.ts';
import { type Passing, passingOf } from './passing.ts';
import { askedAt, askedOf } from './resources.ts';
import { eventFor } from './session.ts';

type Ctx = KoaContextWithOIDC;

/** Which class an error has when nobody can meet what was asked (OpenID Connect Core Unmet Authentication Requirements 1.0). */
const unmetError = 'unmet_authentication_requirements';

/**
 * What stands between a request and its answer: a sign-in that is what the request and its application ask for, and the person's consent where it is needed.
 * It takes the place of the library's own, which knows neither this service's screen nor its sessions.
 */
export function interactionPolicy(library: OidcLibrary, deps: ProviderDeps) {
  const { Prompt, Check } = library.interactionPolicy;
  const login = new Prompt(
    { name: 'login', requestable: true },
    new Check('sign_in', 'a sign-in is needed', 'login_required', (ctx) => needsSignIn(library, deps, ctx)),
  );
  // The library's own check would ask for ever: what stands inside a pushed or signed request nobody can take out.
  login.checks.remove('login_prompt');
  const select = new Prompt({ name: 'select_account', requestable: true });
  select.checks.remove('select_account_prompt');
  const consent = new Prompt(
    { name: 'consent', requestable: true },
    new Check('consent', 'the person must be asked', 'consent_required', (ctx) => needsConsent(deps, ctx)),
  );
  consent.checks.remove('consent_prompt');
  return [login, select, consent];
}

async function needsSignIn(library: OidcLibrary, deps: ProviderDeps, ctx: Ctx): Promise<boolean> {
  const passing = passingOf(ctx);
  const { oidc } = ctx;
  if (passing.raw.query.get('authn_error') === 'access_denied') throw new library.errors.AccessDenied('the person did not sign in');
  keepOfflineAccess(passing, ctx);
  const application = await applicationOf(deps, passing, oidc.client?.clientId ?? '');
  if (application === undefined) throw new library.errors.InvalidClient('client is invalid', 'client not found');
  const { session } = passing;
  const demands = demandsOf(oidc.params ?? {}, application);
  const answered = await answeredOf(deps, passing);
  if (session === undefined) {
    // Somebody who went on without signing in has answered, too.
    if (answered !== undefined) throw new library.errors.LoginRequired('the person did not sign in');
    return true;
  }
  const hinted = oidc.entities.IdTokenHint?.payload['sub'];
  const isOther = hinted !== undefined && hinted !== session.subject;
  const event = eventFor(session, answered === undefined ? demands : { ...demands, maxAgeS: Number.POSITIVE_INFINITY }, deps.clock.nowMs());
  const isEnough = meetsDemand(event, demands.demand);
  if (answered === undefined) {
    const isOld = demands.maxAgeS !== undefined && deps.clock.nowMs() - event.whenMs > demands.maxAgeS * 1000;
    if (demands.again || isOld || isOther || !isEnough) return true;
  } else if (!isEnough) {
    passing.because = errors.unmet;
    throw new library.errors.CustomOIDCProviderError(unmetError, 'the sign-in is not of the class that was asked for');
  } else if (isOther) {
    throw new library.errors.LoginRequired('another person signed in');
  }
  stand(ctx, session, event);
  if (!(await deps.applications.mayUse(passing.issuer.realm, application, session))) {
    passing.because = errors.notInGroup;
    throw new library.errors.AccessDenied('the person may not use this application');
  }
  return false;
}

/** The tokens of this request say what of the session it stands on. */
function stand({ oidc }: Ctx, { subject }: Session, { whenMs, acr, amr }: Session['events'][number]): void {
  const session = oidc.session as unknown as { loginAccount(details: object): void };
  session.loginAccount({ accountId: subject, loginTs: Math.floor(whenMs / 1000), acr, amr: [...amr] });
}

/** The library takes it out where no consent is asked for by name; here it is the application's entry that says who may have it. */
function keepOfflineAccess({ askedScope }: Passing, { oidc }: Ctx): void {
  const params = oidc.params as { scope?: string | undefined } | undefined;
  const asked = askedScope?.split(' ') ?? [];
  const has = params?.scope?.split(' ') ?? [];
  const mayHave =
    oidc.client?.grantTypeAllowed('refresh_token') === true && oidc.client.scope?.split(' ').includes('offline_access') === true;
  if (params !== undefined && mayHave && asked.includes('offline_access') && !has.includes('offline_access'))
    params.scope = [...has, 'offline_access'].join(' ');
}

/** What was noted of this request when the person came back from a screen. It is there once. */
export async function answeredOf(deps: ProviderDeps, passing: Passing): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (passing.answered === undefined) {
    const { realm } = passing.issuer;
    // Somebody may have gone on without signing in.
    const session = passing.session ?? (await deps.sessions.findAny(realm.id, passing.raw.cookies(sessionCookie)));
    passing.answered = (session && (await deps.sessions.takeAnswered(session, passing.raw.target))) ?? null;
  }
  return passing.answered ?? undefined;
}

/** Whether the person must be asked: where the application's entry says so, for what they have not allowed yet, and where the request asks for it by name. */
async function needsConsent({ consents, ...deps }: ProviderDeps, ctx: Ctx): Promise<boolean> {
  const passing = passingOf(ctx);
  const { oidc } = ctx;
  const application = await applicationOf(deps, passing, oidc.client?.clientId ?? '');
  if (consents === undefined || application === undefined || passing.session === undefined) return false;
  const answered = (await answeredOf({ consents, ...deps }, passing))?.['consent'] === true;
  const prompts = String(oidc.params?.['prompt'] ?? '').split(' ');
  if (prompts.includes('consent') && !answered) return true;
  if (!application.consentRequired) return false;
  const held = await consents.of(passing.issuer.realm, passing.session.entryUuid, application);
  return !isAllowed(askedAt(passing.issuer, application, askedOf(oidc.params ?? {})), held);
}
