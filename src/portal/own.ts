import type { Clock } from '#base';
import type { SessionOf } from '#client';
import { factorAddress } from '#factors';
import { actingSession, type Person } from '#people';
import type { AuthnPolicy, Demand } from '#policy';
import { type Session, type Sessions, type Visit, wayToSignIn } from '#sessions';
import { type Csrf, type Reply, sessionCookie, type WebRealm, type WebRequest } from '#web';
import { takesEmail } from './email-pages.ts';
import { texts } from './texts.ts';

export interface OwnDeps {
  readonly sessions: Pick<Sessions, 'find' | 'park' | 'endAll'>;
  /** The person of a session, as the directory has them now. */
  readonly personOf: (realm: WebRealm, entryUuid: string) => Promise<Person | undefined>;
  /** The authentication policy in force in a realm, as it is now. */
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
  readonly csrf: Csrf;
  readonly clock: Clock;
}

/** Somebody before what is their own. */
export interface Own {
  readonly session: Session;
  readonly person: Person;
  readonly csrfToken: string;
  /** Of the form token. */
  readonly subject: string;
  /** What the directory is told of the session when something is written in their name. */
  readonly acting: { readonly dn: string; readonly session: SessionOf };
  readonly visit: Visit;
}

export type Found = { readonly kind: 'own'; readonly own: Own } | { readonly kind: 'reply'; readonly reply: Reply };

/** As the built-in rule of access says it: who has authenticated so lately writes what they sign in with. */
const freshMs = 300_000;
const twoFactorsClass = 'mfa';

/**
 * Finds who asks for a page of their own.
 *
 * @param fresh  they change what they sign in with: an authentication that is older than five minutes is asked for again
 * @param back   where that, or Cancel of it, leads
 */
export async function findOwn(deps: OwnDeps, request: WebRequest, { fresh, back }: { fresh: boolean; back: string }): Promise<Found> {
  const { sessions, personOf, csrf, clock } = deps;
  const { realm } = request;
  const session = await sessions.find(realm.id, request.cookies(sessionCookie));
  if (session === undefined) return { kind: 'reply', reply: await ask(deps, request, '/portal', {}) };
  const person = await personOf(realm, session.entryUuid);
  if (person === undefined || person.disabled) {
    // Whoever has no entry any more, or is disabled, has no session either, in no browser.
    await sessions.endAll(realm.id, session.entryUuid, visitOf(request));
    return { kind: 'reply', reply: await ask(deps, request, '/portal', {}) };
  }
  const last = session.events.at(-1);
  if (fresh && (last === undefined || clock.nowMs() - last.whenMs > freshMs))
    return { kind: 'reply', reply: await ask(deps, request, back, { demand: { reauthenticate: true } }) };
  // Nobody changes a second factor with less than it takes to sign in with it: a key that signs in alone is one factor.
  if (fresh && last?.acr !== twoFactorsClass && heldSecond(person, await deps.policyOf(realm), last?.whenMs))
    return { kind: 'reply', reply: await ask(deps, request, back, { demand: { reauthenticate: true, factors: 'two' } }) };
  const subject = `session\0${realm.id}\0${session.sid}`;
  const strength = actingSession(session.events, request);
  if (strength === undefined) return { kind: 'reply', reply: await ask(deps, request, '/portal', {}) };
  const acting = { dn: person.dn, session: strength };
  return { kind: 'own', own: { session, person, subject, csrfToken: csrf.issue(subject), acting, visit: visitOf(request) } };
}

/** Whether there was a second factor when they authenticated. One that came since was there for them to add; since when a mailed one is wanted nobody knows. */
function heldSecond(person: Person, policy: AuthnPolicy, sinceMs = 0): boolean {
  if (takesEmail(policy) && factorAddress(person, 'second', policy) !== undefined) return true;
  const { keys, app } = person.holdings;
  const all = [...keys.filter(({ role }) => role === 'mfa'), ...(app === undefined ? [] : [app])];
  return all.some(({ addedMs }) => addedMs < sinceMs);
}

/** What was posted is not kept: the page it came from is shown again. */
async function ask({ sessions }: OwnDeps, request: WebRequest, back: string, more: { readonly demand?: Demand }): Promise<Reply> {
  const { realm, method, target } = request;
  const rows = [{ label: texts.askerLabel, value: texts.application }];
  const to = method === 'GET' && !/[?&]authn_error=/.test(target) ? target : back;
  const parked = { realm: realm.id, method: 'GET', target: to, cancelTarget: back, rows, ...more } as const;
  return { kind: 'redirect', status: 303, to: await wayToSignIn(sessions, request, parked) };
}

function visitOf({ door, address, correlationId }: WebRequest): Visit {
  return { door, address, correlationId };
}
