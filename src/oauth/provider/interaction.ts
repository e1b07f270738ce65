import { refuse } from '#catalogue';
import { pathIn } from '#web';
import { errors } from '../errors.ts';
import { texts } from '../texts.ts';
import { applicationOf } from './application.ts';
import { demandsOf } from './demands.ts';
import type { ProviderDeps } from './deps.ts';
import type { KoaContextWithOIDC } from './library.ts';
import type { Passing } from './passing.ts';
import { keepPushed } from './pushed.ts';
import { askedOf } from './resources.ts';

type Ctx = KoaContextWithOIDC;

/** Where a person is asked for what an application wants to know. */
export const consentPath = '/oauth2/consent';

/**
 * Parks a request that needs the person, and says where the browser goes: to the sign-in, or to the page that asks for their consent.
 *
 * @returns an address of this service
 * @see specification document 1, "Redirect contract with the calling protocol"
 */
export async function parkFor(deps: ProviderDeps, passing: Passing, ctx: Ctx, prompt: string): Promise<string> {
  const { raw, issuer } = passing;
  const { oidc } = ctx;
  const params = oidc.params ?? {};
  const application = await applicationOf(deps, passing, oidc.client?.clientId ?? '');
  if (application === undefined) throw refuse(errors.invalidClient);
  // A pushed request is over long before anybody has signed in.
  await keepPushed(deps, passing, ctx);
  const redirectUri = String(params['redirect_uri'] ?? '');
  const asked = askedOf(params);
  const isConsent = prompt === 'consent';
  const demands = demandsOf(params, application);
  const hint = typeof params['login_hint'] === 'string' ? { hint: params['login_hint'] } : {};
  const id = await deps.sessions.park({
    realm: issuer.realm.id,
    method: 'GET',
    target: raw.target,
    rows: [
      { label: texts.application, value: application.name },
      { label: texts.asksFor, value: asked.scopes.join(', ') },
      { label: texts.leadsBackTo, value: redirectUri },
    ],
    // Whoever asks for a person asks for one who signs in: nobody goes on without.
    demand: { ...demands.demand, reauthenticate: true },
    ...hint,
    marks: true,
    leadsTo: leadsTo(redirectUri),
    about: isConsent ? { consent: true, clientId: application.clientId, server: issuer.server, ...asked } : { signIn: true },
  });
  return pathIn(issuer.realm, `${isConsent ? consentPath : '/authn/login'}?authn=${encodeURIComponent(id)}`);
}

/** Browsers hold the whole way that a form leads against the page it was on. */
function leadsTo(redirectUri: string): readonly string[] {
  const url = URL.parse(redirectUri);
  if (url === null) return [];
  return [/^https?:$/.test(url.protocol) ? url.origin : url.protocol];
}
