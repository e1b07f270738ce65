import type { Clock } from '#base';
import { appPasswordsOf } from '#holdings';
import type { Browser, Person } from '#people';
import type { Demand } from '#policy';
import { type Session, type Sessions, type Visit, wayToSignIn } from '#sessions';
import { type Csrf, type Handler, type Reply, sessionCookie, type WebRealm, type WebRequest } from '#web';
import { type AppPasswordsDeps, createAppPasswordsHandlers } from './app-passwords.ts';
import { type ConsentsDeps, createConsentsHandlers } from './consents.ts';
import { createDelegateHandlers, type DelegateDeps } from './delegate.ts';
import { demandOf } from './demand.ts';
import { createEmailHandlers, type EmailPageDeps } from './email.ts';
import { errors } from './errors.ts';
import { framed, userNameOf } from './frame.ts';
import { homePage, shownAttributes } from './home-pages.ts';
import { createKeysHandlers, type KeysDeps } from './keys.ts';
import { createLinkHandlers, type LinksDeps } from './links/handlers.ts';
import { createMfaHandlers, type MfaDeps, offeredBy } from './mfa.ts';
import { anonymousPage, cancelledPage, type OwnEntry, signedOutPage, stalePage } from './pages.ts';
import { createPasswordHandlers, type PasswordDeps } from './password.ts';
import type { routes } from './routes.ts';
import { createSessionsHandlers, type SessionsPageDeps } from './sessions.ts';
import { texts } from './texts.ts';
import { type Todo, todoOf } from './todo.ts';

export type PortalDeps = HomeDeps &
  KeysDeps &
  MfaDeps &
  EmailPageDeps &
  AppPasswordsDeps &
  LinksDeps &
  PasswordDeps &
  DelegateDeps &
  ConsentsDeps &
  SessionsPageDeps;

interface HomeDeps {
  readonly sessions: Pick<Sessions, 'find' | 'findAny' | 'park' | 'list' | 'end' | 'endOne' | 'endAll' | 'uses'>;
  /** Reads the entry of a session's person by a search on their behalf; `undefined` when there is none that they may see. */
  readonly readOwn: (realm: WebRealm, session: Session, attributes: readonly string[], browser: Browser) => Promise<OwnEntry | undefined>;
  readonly csrf: Csrf;
  readonly clock: Clock;
  readonly ldapUrl: () => string | undefined;
}

/** Sessions in other browsers that the page shows: the last used. */
const othersMax = 3;

type Handlers = Readonly<Record<keyof typeof routes, Handler>>;

/** Whatever a page could not do has a code, its own or that of them all. */
export function createPortalHandlers(deps: PortalDeps): Handlers {
  const classified = Object.entries(handlersOf(deps)).map(([name, handle]): [string, Handler] => [
    name,
    async (request) => {
      const reply = await handle(request);
      const lacksCode = reply.kind === 'page' && (reply.status ?? 200) >= 400 && reply.error === undefined;
      const error = lacksCode ? errors.notDone : reply.error;
      // What has a code of its own was recorded where it was found, but for these two.
      if (error !== errors.notDone && error !== errors.forgotOff) return reply;
      const summary = `${request.method} ${request.path}: ${error.means}`;
      const event = { ...visitOf(request), realm: request.realm.id, subject: '', action: 'portal.request', outcome: 'refused' } as const;
      deps.audit.record({ ...event, error, summary });
      return { ...reply, error };
    },
  ]);
  return Object.fromEntries(classified) as Handlers;
}

function handlersOf(deps: PortalDeps): Handlers {
  const { sessions, readOwn, csrf, clock, ldapUrl } = deps;
  const sessionOf = (request: WebRequest) => sessions.find(request.realm.id, request.cookies(sessionCookie));

  return {
    ...createKeysHandlers(deps),
    ...createEmailHandlers(deps),
    ...createLinkHandlers(deps),
    ...createMfaHandlers(deps),
    ...createAppPasswordsHandlers(deps),
    ...createPasswordHandlers(deps),
    ...createDelegateHandlers(deps),
    ...createConsentsHandlers(deps),
    ...createSessionsHandlers(deps),
    root: () => ({ kind: 'redirect', status: 303, to: '/portal' }),
    home: async (request) => {
      const { realm } = request;
      const session = await sessionOf(request);
      const cancelled = request.query.get('authn_error') !== null;
      const demand = cancelled ? undefined : demandOf(request.query, session, clock.nowMs());
      if (session === undefined) {
        if (cancelled) return { kind: 'page', page: cancelledPage(realm) };
        const isAnonymous =
          request.query.get('prompt') === null && (await sessions.findAny(realm.id, request.cookies(sessionCookie))) !== undefined;
        return isAnonymous ? { kind: 'page', page: anonymousPage(realm) } : askToSignIn(deps, request, demand);
      }
      if (demand !== undefined) return askToSignIn(deps, request, demand);
      const [entry, person] = [await readOwn(realm, session, shownAttributes, request), await deps.personOf(realm, session.entryUuid)];
      if (entry === undefined || person === undefined) {
        // Whoever has no entry any more, or is disabled, has no session either, in no browser.
        await sessions.endAll(realm.id, session.entryUuid, visitOf(request));
        return askToSignIn(deps, request, demand);
      }
      // Their own one, and one to know whether there are more than are shown.
      const others = (await sessions.list(realm.id, session.entryUuid, othersMax + 2)).filter(({ sid }) => sid !== session.sid);
      const csrfToken = csrf.issue(formSubject(session));
      const page = homePage({
        realm,
        entry,
        holdings: person.holdings,
        appPasswords: appPasswordsOf(entry),
        uses: await sessions.uses(realm.id, session.entryUuid),
        passwordExpiresMs: person.passwordExpiresMs,
        todo: await todoIn(deps, realm, person),
        session,
        others: others.slice(0, othersMax),
        moreOthers: others.length > othersMax,
        nowMs: clock.nowMs(),
        csrfToken,
        ldapUrl: ldapUrl(),
      });
      return framed(request, { name: userNameOf(person), csrfToken }, { kind: 'page', page });
    },
    signOut: async (request) => {
      const session = await sessionOf(request);
      if (session !== undefined) {
        const { refused } = await request.openForm(() => formSubject(session));
        if (refused !== undefined) return { kind: 'page', status: 403, page: stalePage(request.realm), error: refused };
        await sessions.end(request.realm.id, request.cookies(sessionCookie), visitOf(request));
      }
      return { kind: 'redirect', status: 303, to: '/portal/signed-out', cookies: [{ name: sessionCookie, value: '', path: '/' }] };
    },
    signedOut: async (request) =>
      (await sessionOf(request)) === undefined
        ? { kind: 'page', page: signedOutPage(request.realm) }
        : { kind: 'redirect', status: 303, to: '/portal' },
  };
}

/** What somebody had better do at this moment, by what their realm offers. */
async function todoIn(deps: PortalDeps, realm: WebRealm, { holdings, passwordExpiresMs }: Person): Promise<readonly Todo[]> {
  const policy = await deps.policyOf(realm);
  const { app, codes } = offeredBy(policy, deps.settingsOf(realm.id));
  const key = policy.secondFactors.includes('security-key') && deps.webauthn.offTo(realm, 'mfa') === undefined;
  const isRequired = holdings.mfaRequired || policy.requireSecondFactor === 'always';
  const { emailFailureLimit } = policy;
  return todoOf({
    holdings,
    isRequired,
    offered: { app, key, codes },
    canMail: deps.canMail(realm.id),
    emailFailureLimit,
    passwordExpiresMs,
    nowMs: deps.clock.nowMs(),
  });
}

/** Rule 1 of the redirect contract, with the portal as the calling protocol. */
async function askToSignIn({ sessions }: Pick<PortalDeps, 'sessions'>, request: WebRequest, demand: Demand = {}): Promise<Reply> {
  const { realm, method, target } = request;
  const rows = [{ label: texts.askerLabel, value: texts.application }];
  const asked = Object.keys(demand).length === 0 ? {} : { demand };
  const parked = { realm: realm.id, method: method === 'POST' ? 'POST' : 'GET', target, rows, ...asked } as const;
  return { kind: 'redirect', status: 303, to: await wayToSignIn(sessions, request, parked) };
}

function formSubject({ realm, sid }: Session): string {
  return `session\0${realm}\0${sid}`;
}

function visitOf({ door, address, correlationId }: WebRequest): Visit {
  return { door, address, correlationId };
}
