import type { Audit } from '#audit';
import { type Chance, type Clock, token } from '#base';
import type { ErrorRow } from '#catalogue';
import type { Verification, Verified } from '#client';
import { sha256 } from '#keys';
import { type AuthnPolicy, decide, type Next, type Offers, type Situation } from '#policy';
import { noProgress, type Parked, type Progress, type Sessions } from '#sessions';
import type { Csrf, Handler, Limit, Reply, WebRealm, WebRequest } from '#web';
import { gone, keptOut, noteEnrolment, refusal, visitOf } from './answers.ts';
import { errors } from './errors.ts';
import { finish, goAnonymously } from './finish.ts';
import { expiredPage, gonePage } from './pages.ts';
import type { Known, Registry } from './password.ts';
import type { Risk } from './risk.ts';
import type { Fault, Reached, Step, StepCall } from './step.ts';
import { failed } from './steps/password.ts';
import { texts, whyTexts } from './texts.ts';
import {
  allows,
  asksElsewhere,
  firstScreenOf,
  hrefOf,
  isAsFar,
  pathOf,
  progressAfter,
  setupPath,
  situationOf,
  unaccepted,
  waysOf,
  withChange,
  withoutChoice,
} from './way.ts';

export interface FrameDeps {
  readonly registry: Registry;
  readonly sessions: Pick<Sessions, 'parked' | 'advance' | 'takeParked' | 'markAnswered' | 'begin' | 'beginAnonymous' | 'end'>;
  /** A realm as it is now; `undefined` when it is gone. */
  readonly realmNow: (realm: WebRealm) => Promise<WebRealm | undefined>;
  /** The authentication policy in force in a realm, as it is now. */
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
  /** Settings in force in a realm. */
  readonly settingsOf: (realm: string) => { readonly 'authn.mfaStepTtlS': number; readonly 'authn.unauthenticatedSessions': boolean };
  /** What can be done with each mechanism in a realm at this moment. */
  readonly offersOf: (realm: string) => Offers;
  readonly risk: Risk;
  readonly verify: (asked: Verification) => Promise<Verified>;
  readonly csrf: Csrf;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly audit: Pick<Audit, 'record'>;
  /** This process, as others of the same service know it, and whether another one may still be at work. */
  readonly mark: { readonly text: string; lives(text: string): boolean };
}

/** What leads through a sign-in: it finds the request that waits, calls the step, and asks the decider what is next. */
export interface Frame {
  /** Answers the GET of a step. */
  show(step: Step): Handler;
  /** Answers its POST. */
  take(step: Step): Handler;
}

/** Binds a sign-in to the browser in which it began, before there is a session: nobody signs another's browser in as themselves. */
const browserCookie = 'sts_signin';
const browserOctets = 16;
/** How often a page of the same browser may change while a factor is judged. */
const keptTriesMax = 5;

/** How long the session of a finished sign-in may take to begin. Until then no other request begins one, unless the process that does has died. */
const finishMs = 10_000;

/** A request for a step, with everything that the decision was made from. */
interface Standing {
  readonly call: StepCall;
  readonly next: Next;
  /** In force when the request came: what it changes counts from the next one on. */
  readonly policy: AuthnPolicy;
  /** The browser's mark, for the cookie. */
  readonly browser: string;
}

export function createFrame(deps: FrameDeps, steps: readonly Step[]): Frame {
  const { sessions, registry, clock, csrf, chance } = deps;

  /** Kept by the one request that begins the session. */
  const finishing = (progress: Progress): Progress => ({ ...progress, finishesByMs: clock.nowMs() + finishMs, finishesIn: deps.mark.text });
  const isFinishing = ({ progress: { finishesByMs = 0, finishesIn } }: Parked) =>
    clock.nowMs() < finishesByMs && finishesIn !== undefined && deps.mark.lives(finishesIn);
  const personOf = async (realm: WebRealm, { entryUuid }: Progress) =>
    entryUuid === undefined ? undefined : registry.byUuid(realm, entryUuid);
  const situationIn = async (
    { realm, address }: WebRequest,
    parked: Parked,
    progress: Progress,
    person: Known | undefined,
    policy: AuthnPolicy,
  ): Promise<Situation> => {
    const risk = progress.proven.length > 0 && person !== undefined ? await deps.risk.of(realm.id, person.entryUuid, address) : 'none';
    return situationOf(realm, parked, progress, person, policy, deps.offersOf(realm.id), risk, clock.nowMs());
  };

  /** What a step is called with. Of a step that begins, with nothing that was reached before. */
  const standing = async (request: WebRequest, step: Step, id: string, parked: Parked): Promise<Standing> => {
    const { realm } = request;
    const progress = step.begins ? noProgress : step.path === setupPath ? withoutChoice(parked.progress) : parked.progress;
    const [person, policy] = await Promise.all([personOf(realm, progress), deps.policyOf(realm)]);
    const situation = await situationIn(request, parked, progress, person, policy);
    const next = decide(situation);
    // Kept when there is one, so that another tab's screen stays good.
    const browser = browserOf(request) ?? token(chance, browserOctets);
    const asked = next.step === 'ask' ? next : undefined;
    const enrol = next.step === 'enrol' ? next : undefined;
    const call: StepCall = {
      request,
      realm,
      id,
      parked,
      progress,
      person,
      role: asked?.role ?? 'second',
      enrols: asked?.enrols ?? false,
      choices: enrol?.choices ?? [],
      required: enrol?.required ?? false,
      mayBeStuck: asked?.role === 'second' && !asked.enrols,
      first: firstScreenOf(situation, next, deps.settingsOf(realm.id)['authn.unauthenticatedSessions']),
      ways: asked === undefined ? [] : waysOf(steps, step, asked, progress, realm, id),
      nowMs: clock.nowMs(),
      waitsUntilMs: progress.waitsUntilMs ?? parked.expiresAtMs,
      csrfToken: csrf.issue(formSubject(realm.id, id, browser)),
      action: hrefOf(step, realm, id),
      note: (action, error) =>
        deps.audit.record({
          realm: realm.id,
          subject: person?.dn ?? '',
          action,
          outcome: 'refused',
          error,
          summary: error.means,
          ...visitOf(request),
        }),
    };
    return { call, next, policy, browser };
  };

  /** The page of a step. A change that it begins is kept first; when something else changed meanwhile the browser asks again. */
  const draw = async (
    step: Step,
    at: Standing,
    fault?: Fault,
    more: { readonly status?: number; readonly limited?: Limit; readonly error?: ErrorRow } = {},
  ): Promise<Reply> => {
    const { call, browser } = at;
    const { page, change } = await step.show(call, fault);
    if (change !== undefined && (await sessions.advance(call.parked, bound(withChange(call.progress, change), browser))) === undefined)
      return to(step.path, call.id);
    // It lives as long as the browser: an end of its own, set by one tab's screen, would take the cookie from another that waits for longer.
    return {
      kind: 'page',
      page: { ...page, leadsTo: call.parked.leadsTo },
      ...more,
      cookies: [{ name: browserCookie, value: browser, path: '/authn' }],
    };
  };

  /** Goes where the decider says from what was reached and kept. */
  const goOn = async (
    step: Step,
    at: Standing,
    parked: Parked,
    progress: Progress,
    next: Next,
    person: Known | undefined,
  ): Promise<Reply> => {
    if (next.step === 'refuse') return keptOut(deps, at.call.request, at.call.id, parked, next);
    if (next.step !== 'done')
      return to(allows(step, next, progress) && !step.begins ? step.path : pathOf(steps, next, progress), at.call.id);
    const kept = await sessions.advance(parked, finishing(progress));
    return kept === undefined ? to(step.path, at.call.id) : end(at, kept, progress, next, person);
  };
  /** Begins the session of a sign-in that was kept as `finishing`, which of several requests one has done. */
  const end = async (at: Standing, kept: Parked, progress: Progress, next: Next & { readonly step: 'done' }, person: Known | undefined) => {
    let reply: Reply | undefined;
    try {
      reply = await finish(deps, at.call.request, at.call.id, kept, next, person);
    } catch (thrown) {
      await sessions.advance(kept, progress);
      throw thrown;
    }
    return reply ?? loginAgain(at, (await sessions.advance(kept, progress)) ?? kept, progress);
  };
  /** Somebody disabled or deleted meanwhile is answered like a wrong password. */
  const loginAgain = async ({ call }: Standing, parked: Parked, { userName = '' }: Progress): Promise<Reply> => {
    const login = steps.find(({ begins }) => begins);
    if (login === undefined) throw new Error('no step begins a sign-in');
    const { fault, error } = failed({ username: userName });
    return draw(login, await standing(call.request, login, call.id, parked), fault, error === undefined ? {} : { error });
  };

  const reached = async (step: Step, at: Standing, outcome: Reached): Promise<Reply> => {
    const { call, browser } = at;
    const { parked, realm } = call;
    const ttlMs = deps.settingsOf(realm.id)['authn.mfaStepTtlS'] * 1000;
    const progress = bound(progressAfter(step, call, outcome, clock.nowMs(), ttlMs), browser);
    // Read again: the step may have changed what the entry says.
    const person = outcome.person ?? (await personOf(realm, progress));
    const situation = await situationIn(call.request, parked, progress, person, at.policy);
    const next = decide(situation);
    // Whom the policy keeps out is where they were, and may try something else.
    if (next.step === 'refuse') {
      const page = keptOut(deps, call.request, call.id, parked, next);
      if (!step.begins || outcome.kind !== 'moved') return page;
      const again = { words: whyTexts[next.why], kept: { username: progress.userName ?? '' } };
      return draw(step, at, again, { status: 403, error: errors[next.why] });
    }
    // In one write with what was reached: no other request finds a sign-in that is done, and begins a session of its own.
    const kept = await keep(call, outcome, next.step === 'done' ? finishing(progress) : progress);
    if (kept === undefined) return follow(step, at, person);
    noteEnrolment(deps, call.request, person, outcome, next, situation.risk);
    if (next.step === 'done') return end(at, kept, progress, next, person);
    return goOn(step, at, kept, progress, next, person);
  };
  /** Keeps what was reached. Where the page alone has changed meanwhile it counts all the same: whoever has shown a factor shows it once. */
  const keep = async ({ parked, realm, id }: StepCall, outcome: Reached, progress: Progress): Promise<Parked | undefined> => {
    for (let [from, tries] = [parked, 1]; ; tries++) {
      const kept = await sessions.advance(from, progress);
      if (kept !== undefined || outcome.kind !== 'proven' || tries === keptTriesMax) return kept;
      const now = await sessions.parked(realm.id, id);
      if (now === undefined || !isAsFar(now.progress, parked.progress)) return undefined;
      from = now;
    }
  };
  /** Something else was faster. What the same person has reached in the same browser is where this one goes on, too. */
  const follow = async (step: Step, at: Standing, person: Known | undefined): Promise<Reply> => {
    const { request, realm, id } = at.call;
    const now = await sessions.parked(realm.id, id);
    const isTheirs = person !== undefined && now?.progress.entryUuid === person.entryUuid && now.progress.browser === markOf(at.browser);
    if (now === undefined || !isTheirs || now.progress.proven.length === 0) return to(step.path, id);
    const next = decide(await situationIn(request, now, now.progress, person, at.policy));
    // The session is that one's, which was faster: two would be one too many.
    return next.step === 'done' ? to(step.path, id) : goOn(step, at, now, now.progress, next, person);
  };

  return {
    show: (step) => async (request) => {
      const id = request.query.get('authn') ?? '';
      const parked = await sessions.parked(request.realm.id, id);
      const closed = parked === undefined || isFinishing(parked) ? gone(deps, request) : shut(deps, step, request, id, parked);
      if (parked === undefined || closed !== undefined) return closed as Reply;
      const at = await standing(request, step, id, parked);
      if (at.next.step !== 'refuse' && (allows(step, at.next, at.call.progress) || (step.begins && !asksElsewhere(at.next))))
        return draw(step, at);
      return goOn(step, at, parked, at.call.progress, at.next, at.call.person);
    },
    take: (step) => async (request) => {
      const { realm } = request;
      const idOf = (form: URLSearchParams) => form.get('authn') ?? request.query.get('authn') ?? '';
      const { form, refused } = await request.openForm((opened) => formSubject(realm.id, idOf(opened), browserOf(request)));
      const id = idOf(form);
      const parked = await sessions.parked(realm.id, id);
      const closed = parked === undefined || isFinishing(parked) ? gone(deps, request) : shut(deps, step, request, id, parked);
      if (parked === undefined || closed !== undefined) return closed as Reply;
      const at = await standing(request, step, id, parked);
      if (at.next.step === 'refuse' || !(allows(step, at.next, at.call.progress) || step.begins)) {
        const because = unaccepted(step, at.call, at.policy);
        if (because !== undefined) return keptOut(deps, request, id, parked, because);
        return goOn(step, at, parked, at.call.progress, at.next, at.call.person);
      }
      if (refused !== undefined) {
        const fault = { words: step.begins ? texts.stale : texts.staleStep, kept: { username: (form.get('username') ?? '').trim() } };
        return draw(step, at, fault, { status: 403, error: refused });
      }
      const outcome = await step.take(at.call, form);
      if (outcome.kind === 'anonymous') {
        const kept = at.call.first.anonymous ? await sessions.advance(parked, finishing(parked.progress)) : undefined;
        return kept === undefined ? to(step.path, id) : goAnonymously(deps, request, id, kept);
      }
      if (outcome.kind !== 'fault') return reached(step, at, outcome);
      const { kind: _, fault, change, ...more } = outcome;
      const changed = withChange(at.call.progress, change);
      const kept = change === undefined ? parked : await sessions.advance(parked, bound(changed, at.browser));
      if (kept === undefined) return to(step.path, id);
      return draw(step, { ...at, call: { ...at.call, parked: kept, progress: changed } }, fault, more);
    },
  };
}

/** Why a sign-in cannot go on here: it belongs to another browser, or the step waited too long. */
function shut(deps: FrameDeps, step: Step, request: WebRequest, id: string, parked: Parked): Reply | undefined {
  const { browser, proven, waitsUntilMs = Number.POSITIVE_INFINITY } = parked.progress;
  if (step.begins) return undefined;
  if (browser !== undefined && browser !== markOf(browserOf(request) ?? ''))
    return refusal(deps, request, errors.otherBrowser, step.elsewhere?.(request.realm) ?? gonePage(request.realm));
  if (proven.length > 0 && deps.clock.nowMs() >= waitsUntilMs)
    return refusal(deps, request, errors.stepExpired, expiredPage(request.realm, id, parked));
  return undefined;
}

function to(path: string, id: string): Reply {
  return { kind: 'redirect', status: 303, to: `${path}?authn=${encodeURIComponent(id)}` };
}

function bound(progress: Progress, browser: string): Progress {
  return { ...progress, browser: markOf(browser) };
}

function markOf(browser: string): string {
  return Buffer.from(sha256(browser)).toString('base64url');
}

function browserOf(request: WebRequest): string | undefined {
  return request.cookies(browserCookie)[0];
}

function formSubject(realm: string, id: string, browser: string | undefined): string {
  return `signin\0${realm}\0${id}\0${browser ?? ''}`;
}
