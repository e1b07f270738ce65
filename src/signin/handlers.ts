import { type Chance, type Clock, token } from '#base';
import { Refusal, refuse } from '#catalogue';
import { type AuthnPolicy, verifiesPasswords } from '#policy';
import { type Parked, type Sessions, sessionsErrors, type Visit } from '#sessions';
import { type Csrf, type Handler, type PageReply, type Reply, sessionCookie, type WebRealm, type WebRequest, webErrors } from '#web';
import { decide, type Next } from './decide.ts';
import { errors } from './errors.ts';
import { type Known, type PasswordDeps, provePassword } from './password.ts';
import type { routes } from './routes.ts';
import { type Fault, gonePage, passwordPage, refusedPage } from './screen.ts';

export interface SigninDeps extends PasswordDeps {
  readonly sessions: Pick<Sessions, 'parked' | 'takeParked' | 'begin' | 'end'>;
  /** A realm as it is now; `undefined` when it is gone. */
  readonly realmNow: (realm: WebRealm) => Promise<WebRealm | undefined>;
  /** The authentication policy in force in a realm, as it is now. */
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
  readonly csrf: Csrf;
  readonly clock: Clock;
  readonly chance: Chance;
}

/** Binds the screen to the browser that was shown it, before there is a session: nobody signs another's browser in as themselves. */
const browserCookie = 'sts_signin';
const browserOctets = 16;

export function createSigninHandlers(deps: SigninDeps): Readonly<Record<keyof typeof routes, Handler>> {
  const { sessions } = deps;
  return {
    loginPage: async (request) => {
      const id = request.query.get('authn') ?? '';
      const parked = await sessions.parked(request.realm.id, id);
      if (parked === undefined) return gone(deps, request);
      const next = decide([], await deps.policyOf(request.realm), false);
      return next.step === 'refuse' ? keptOut(deps, request, parked, next) : screen(deps, request, id, parked, {});
    },
    login: async (request) => {
      const { realm } = request;
      const idOf = (form: URLSearchParams) => form.get('authn') ?? request.query.get('authn') ?? '';
      const { form, refused } = await request.openForm((opened) => formSubject(realm.id, idOf(opened), browserOf(request)));
      const id = idOf(form);
      const parked = await sessions.parked(realm.id, id);
      if (parked === undefined) return gone(deps, request);
      const userName = (form.get('username') ?? '').trim();
      const password = form.get('password') ?? '';
      if (refused !== undefined) return { ...screen(deps, request, id, parked, { userName, fault: 'stale' }), status: 403, error: refused };
      if (userName === '') return screen(deps, request, id, parked, { fault: 'userNameMissing' });
      if (password === '') return screen(deps, request, id, parked, { userName, fault: 'passwordMissing' });
      const policy = await deps.policyOf(realm);
      const first = decide([], policy, false);
      if (first.step === 'refuse') return keptOut(deps, request, parked, first);
      const proved = await provePassword(deps, realm, { userName, password, secure: request.secure }, visitOf(request));
      if (proved.kind === 'busy') {
        return { ...screen(deps, request, id, parked, { userName, fault: 'busy' }), status: 503, error: errors.notJudged };
      }
      const reply = proved.kind === 'proven' ? await goOn(deps, request, id, parked, proved.person, policy) : undefined;
      return reply ?? { ...screen(deps, request, id, parked, { userName, fault: 'failed' }), error: errors.passwordRefused };
    },
  };
}

/** Acts on what `decide` says of a person whose password was accepted. */
async function goOn(
  deps: SigninDeps,
  request: WebRequest,
  id: string,
  parked: Parked,
  person: Known | undefined,
  policy: AuthnPolicy,
): Promise<Reply | undefined> {
  const { sessions, realmNow } = deps;
  const { realm } = request;
  const next = decide(['password'], policy, person?.isBuiltIn === true);
  if (next.step === 'refuse') return keptOut(deps, request, parked, next);
  if (next.step !== 'done') return undefined;
  const { amr, acr } = next;
  const begun = await unlessRefused(() =>
    sessions.begin(realm.id, request.cookies(sessionCookie), person, { amr, acr, door: 'web' }, visitOf(request)),
  );
  if (begun === undefined) return undefined;
  // A removal that began meanwhile has ended the sessions it found. This one was not there yet, or is looked at only now: one of the two ends it.
  if ((await realmNow(realm))?.removing !== false) {
    await sessions.end(realm.id, [begun.handle], visitOf(request));
    throw refuse(webErrors.realmRemoved);
  }
  // Whoever else answers the same request at this moment has signed in as well; both go where they were going.
  await sessions.takeParked(realm.id, id);
  return { kind: 'redirect', status: 303, to: parked.target, cookies: [{ name: sessionCookie, value: begun.handle, path: '/' }] };
}

/** The answer to whom the policy keeps out. */
function keptOut({ audit }: SigninDeps, request: WebRequest, parked: Parked, { why }: Next & { readonly step: 'refuse' }): Reply {
  const { realm } = request;
  const error = why === 'mechanism' ? errors.mechanismNotAccepted : errors.secondFactorImpossible;
  audit.record({
    realm: realm.id,
    subject: '',
    action: 'signin.policy',
    outcome: 'refused',
    error,
    summary: error.means,
    ...visitOf(request),
  });
  return { kind: 'page', status: 403, page: refusedPage(realm, parked, why), error };
}

/** An account disabled or deleted between its bind and its session is answered like a wrong password; the audit trail has the reason. */
async function unlessRefused<T>(begin: () => Promise<T>): Promise<T | undefined> {
  try {
    return await begin();
  } catch (thrown) {
    if (thrown instanceof Refusal && (thrown.row === sessionsErrors.noEntry || thrown.row === sessionsErrors.disabled)) return undefined;
    throw thrown;
  }
}

function screen(
  { csrf, clock, chance }: SigninDeps,
  request: WebRequest,
  id: string,
  parked: Parked,
  { userName, fault }: { readonly userName?: string; readonly fault?: Fault },
): PageReply {
  // Kept when there is one, so that another tab's screen stays good.
  const browser = browserOf(request) ?? token(chance, browserOctets);
  const { realm } = request;
  const page = passwordPage({
    realm,
    id,
    parked,
    nowMs: clock.nowMs(),
    csrfToken: csrf.issue(formSubject(realm.id, id, browser)),
    ...(userName === undefined ? {} : { userName }),
    fault,
    anyPassword: !verifiesPasswords(realm.mode),
  });
  // It lives as long as the browser: an end of its own, set by one tab's screen, would take the cookie from another that waits for longer.
  return { kind: 'page', page, cookies: [{ name: browserCookie, value: browser, path: '/authn' }] };
}

function gone({ audit }: SigninDeps, request: WebRequest): Reply {
  const { realm } = request;
  const error = sessionsErrors.parkedGone;
  audit.record({
    realm: realm.id,
    subject: '',
    action: 'signin.screen',
    outcome: 'refused',
    error,
    summary: error.means,
    ...visitOf(request),
  });
  return { kind: 'page', status: 400, page: gonePage(realm), error };
}

function browserOf(request: WebRequest): string | undefined {
  return request.cookies(browserCookie)[0];
}

function formSubject(realm: string, id: string, browser: string | undefined): string {
  return `signin\0${realm}\0${id}\0${browser ?? ''}`;
}

function visitOf({ door, address, correlationId }: WebRequest): Visit {
  return { door, address, correlationId };
}
