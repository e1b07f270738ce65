import type { Audit } from '#audit';
import type { Clock } from '#base';
import type { ErrorRow } from '#catalogue';
import type { Actor, DirectoryClient, SessionOf } from '#client';
import { actingSession, type Person } from '#people';
import { type Demand, verifiesPasswords } from '#policy';
import { type Session, type Sessions, type Visit, wayToSignIn } from '#sessions';
import { type Csrf, type Reply, sessionCookie, type WebRealm, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { holdsRole } from '../operations/roles.ts';
import { refusedPage } from './parts.ts';
import type { Place } from './places.ts';
import { texts } from './texts.ts';

/** What a group of the roster lets its members do: see, or change, too. */
type ConsoleRole = 'read' | 'write';

export interface GateDeps {
  readonly sessions: Pick<Sessions, 'find' | 'park' | 'endAll'>;
  /** The person of a session, as the directory has them now. */
  readonly personOf: (realm: WebRealm, entryUuid: string) => Promise<Person | undefined>;
  readonly client: Pick<DirectoryClient, 'as'>;
  readonly csrf: Csrf;
  readonly clock: Clock;
  readonly audit: Pick<Audit, 'record'>;
  /** What the groups at the left lead to. */
  readonly places: readonly Place[];
  /** Where programs reach the directory; `undefined` where they do not. */
  readonly ldapUrl: () => string | undefined;
}

/** Somebody before the console. */
export interface Admin {
  readonly session: Session;
  readonly person: Person;
  readonly role: ConsoleRole;
  /** What they are called. */
  readonly name: string;
  readonly csrfToken: string;
  /** Of the form token. */
  readonly subject: string;
  /** Whose authority it is that everything is done under. */
  readonly acting: { readonly dn: string; readonly session: SessionOf };
  readonly actor: Actor;
  readonly visit: Visit;
  readonly nowMs: number;
  readonly ldapUrl: string | undefined;
}

export interface Needs {
  readonly needs: ConsoleRole;
  /** What changes factors, keys or rules of access takes an authentication that has just been made. */
  readonly fresh?: boolean;
  /** Where the sign-in for that leads, since nothing that was posted is kept; the page itself for a GET. */
  readonly back?: string;
}

export type Found = { readonly kind: 'admin'; readonly admin: Admin } | { readonly kind: 'reply'; readonly reply: Reply };

/** As the portal has it for what people sign in with. */
const freshMs = 300_000;
const twoFactorsClass = 'mfa';

/**
 * Finds who asks for a page of the console: a session, its person, and what the roster's groups let them do.
 *
 * @see specification document 2, "Authentication": 302 to the sign-in screen, 401 `login_required` for the JSON form; Admin Read sees, Admin Write changes
 */
export async function findAdmin(deps: GateDeps, request: WebRequest, needs: Needs): Promise<Found> {
  const { sessions, personOf, csrf, clock, client } = deps;
  const { realm } = request;
  const nowMs = clock.nowMs();
  const session = await sessions.find(realm.id, request.cookies(sessionCookie));
  if (session === undefined) return reply(await askToSignIn(deps, request, needs, {}));
  const person = await personOf(realm, session.entryUuid);
  const strength = actingSession(session.events, request);
  if (person === undefined || person.disabled || strength === undefined) {
    // Whoever has no entry any more, or is disabled, has no session either.
    await sessions.endAll(realm.id, session.entryUuid, visitOf(request));
    return reply(await askToSignIn(deps, request, needs, {}));
  }
  const role = await roleIn(client, realm, person);
  if (role === undefined) return reply(refusal(request, 403, 'access_denied', errors.notAdministrator, texts.notAdministrator));
  if (needs.needs === 'write' && role !== 'write') return reply(refusal(request, 403, 'access_denied', errors.readOnly, texts.readOnly));
  const demand = needs.fresh === true ? freshDemand(session, person, nowMs) : undefined;
  if (demand !== undefined) return reply(await askToSignIn(deps, request, needs, demand));
  const subject = `session\0${realm.id}\0${session.sid}`;
  const acting = { dn: person.dn, session: strength };
  return {
    kind: 'admin',
    admin: {
      ...{ session, person, role, subject, acting, nowMs },
      name: nameOf(person.dn),
      csrfToken: csrf.issue(subject),
      actor: client.as(acting),
      visit: visitOf(request),
      ldapUrl: deps.ldapUrl(),
    },
  };
}

/** In development mode any user name signs in to the console; what the directory lets them see and do is all they have there. */
async function roleIn(client: GateDeps['client'], realm: WebRealm, { dn, isBuiltIn }: Person): Promise<ConsoleRole | undefined> {
  if (isBuiltIn || (await holdsRole(client, realm, dn, 'admin:write'))) return 'write';
  if (await holdsRole(client, realm, dn, 'admin:read')) return 'read';
  return verifiesPasswords(realm.mode) ? undefined : 'write';
}

/** Nobody changes what people sign in with, or what they may, by a session of long ago, nor by less than they hold themselves. */
function freshDemand({ events }: Session, { holdings: { keys, app } }: Person, nowMs: number): Demand | undefined {
  const last = events.at(-1);
  if (last === undefined || nowMs - last.whenMs > freshMs) return { reauthenticate: true };
  const isHeld = app !== undefined || keys.some(({ role }) => role === 'mfa');
  return isHeld && last.acr !== twoFactorsClass ? { reauthenticate: true, factors: 'two' } : undefined;
}

async function askToSignIn({ sessions }: GateDeps, request: WebRequest, { back }: Needs, demand: Demand): Promise<Reply> {
  const { realm, method, target } = request;
  if (wantsJson(request)) return { ...json(401, { error: 'login_required' }), error: errors.loginRequired };
  const home = back ?? '/admin';
  const to = method === 'GET' && !/[?&]authn_error=/.test(target) ? target : home;
  const rows = [{ label: texts.askerLabel, value: texts.application }];
  const isDemanding = Object.keys(demand).length > 0;
  const way = await wayToSignIn(sessions, request, {
    ...{ realm: realm.id, method: 'GET', target: to, rows },
    ...(isDemanding ? { cancelTarget: home, demand } : { cancelTarget: '/portal' }),
  });
  return { kind: 'redirect', status: 302, to: way };
}

/** Leaves an audit row of what the console refused. */
export function recordRefusal({ audit }: GateDeps, request: WebRequest, subject: string, error: ErrorRow): void {
  const { realm, method, path } = request;
  const summary = `${method} ${path}: ${error.means}`;
  audit.record({ realm: realm.id, ...visitOf(request), subject, action: 'console.request', outcome: 'refused', error, summary });
}

/** What the door of the console says to whom it does not let in. */
function refusal(
  request: WebRequest,
  status: number,
  error: string,
  row: ErrorRow,
  words: readonly [title: string, advice: string],
): Reply {
  if (wantsJson(request)) return { ...json(status, { error }), error: row };
  return { kind: 'page', status, page: refusedPage(request.realm, words), error: row };
}

/** Whether the JSON form of a page is asked for. */
export function wantsJson({ query }: Pick<WebRequest, 'query'>): boolean {
  return query.get('format') === 'json';
}

export function json(status: number, body: unknown): Reply & { kind: 'json' } {
  return { kind: 'json', status, body };
}

function reply(given: Reply): Found {
  return { kind: 'reply', reply: given };
}

function visitOf({ door, address, correlationId }: WebRequest): Visit {
  return { door, address, correlationId };
}

/** What people call the entry of a DN: the value of its first RDN. */
export function nameOf(dn: string): string {
  return /^[^=]+=((?:\\.|[^,+\\])*)/.exec(dn)?.[1]?.replace(/\\([^0-9a-fA-F])/g, '$1') ?? dn;
}
