import { Refusal } from '#catalogue';
import { ClientRefusal, type Verification, type Verified } from '#client';
import { type AppEnrolments, appParts, type Changing, type PendingApp, type Recovery } from '#factors';
import { resultCodes } from '#ldap';
import type { AuthnPolicy } from '#policy';
import { fillText, type Handler, type Reply, type WebRealm, type WebRequest } from '#web';
import { takesEmail } from './email-pages.ts';
import { ownHandler, userNameOf } from './frame.ts';
import { appPage, codesPage, type Done, doneOf, mfaPage, removeAppPage, removeCodesPage } from './mfa-pages.ts';
import type { mfaRoutes } from './mfa-routes.ts';
import { mfaTexts as texts } from './mfa-texts.ts';
import type { Own, OwnDeps } from './own.ts';
import { stalePage } from './pages.ts';

export interface MfaDeps extends OwnDeps {
  readonly recovery: Recovery;
  readonly apps: AppEnrolments;
  /** Takes a person's authenticator app away. @throws Refusal `factorNotWritten` */
  readonly removeApp: (changing: Changing) => Promise<void>;
  /** Lets the directory judge the code that proves an app, and write the app. @throws ClientRefusal when nothing was judged */
  readonly verify: (asked: Verification) => Promise<Verified>;
  readonly policyOf: (realm: WebRealm) => Promise<AuthnPolicy>;
  readonly settingsOf: (realm: string) => {
    readonly 'totp.enabled': boolean;
    readonly 'totp.issuer': string;
    readonly 'totp.window': number;
  };
}

const home = '/portal/mfa';
const [appPath, codesPath] = ['/portal/mfa/app', '/portal/mfa/codes'];

/** The pages on which people see, set up and remove their second factors. */
export function createMfaHandlers(deps: MfaDeps): Readonly<Record<keyof typeof mfaRoutes, Handler>> {
  /** `back`: the page that is shown again after a fresh sign-in, which keeps nothing that was posted. */
  const own = (fresh: boolean, act: (request: WebRequest, own: Own) => Promise<Reply>, back = home): Handler =>
    ownHandler(deps, { fresh, back }, act);
  const posted = (act: (request: WebRequest, own: Own, form: URLSearchParams) => Promise<Reply>): Handler =>
    own(true, async (request, mine) => {
      const { form, refused } = await request.openForm(() => mine.subject);
      if (refused !== undefined) return { kind: 'page', status: 403, page: stalePage(request.realm), error: refused };
      try {
        return await act(request, mine, form);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        const shown = await list(deps, request, mine, thrown.says);
        return { ...shown, status: thrown.row.sees.http ?? 400, error: thrown.row };
      }
    });

  return {
    mfa: own(false, (request, mine) => list(deps, request, mine)),
    mfaAppPage: own(true, async (request, mine) => {
      const pending = await deps.apps.find(enrolling(request, mine), request.query.get('app') ?? '');
      return pending === undefined ? to(home) : showApp(deps, request, mine, pending);
    }),
    mfaApp: posted((request, mine, form) => proveApp(deps, request, mine, form)),
    mfaAppRemovePage: own(true, async ({ realm }, { person, csrfToken }) =>
      person.holdings.app === undefined ? to(home) : { kind: 'page', page: removeAppPage(realm, person.holdings, csrfToken) },
    ),
    mfaAppRemove: posted(async (request, mine) => {
      await deps.removeApp(changing(request, mine));
      return to(home, 'app-removed');
    }),
    mfaCodesPage: own(true, (request, mine) => showCodes(deps, request, mine, request.query.get('set') ?? '')),
    mfaCodes: posted((request, mine, form) => storeCodes(deps, request, mine, form)),
    mfaCodesRemovePage: own(true, async ({ realm }, { person, csrfToken }) =>
      person.holdings.recoveryCodesLeft === undefined ? to(home) : { kind: 'page', page: removeCodesPage(realm, csrfToken) },
    ),
    mfaCodesRemove: posted(async (request, mine) => {
      await deps.recovery.remove(changing(request, mine));
      return to(home, 'codes-removed');
    }),
  };
}

async function offeredIn({ policyOf, settingsOf }: MfaDeps, realm: WebRealm) {
  return offeredBy(await policyOf(realm), settingsOf(realm.id));
}

/** What may be set up under a policy at this moment. What is held stays, whatever this says. */
export function offeredBy(
  { firstFactors, secondFactors, totpEnrolment, recoveryCodeEnrolment }: AuthnPolicy,
  settings: { readonly 'totp.enabled': boolean },
) {
  return {
    app: settings['totp.enabled'] && totpEnrolment && secondFactors.includes('authenticator-app'),
    codes: recoveryCodeEnrolment && secondFactors.includes('recovery-code'),
    email: [...firstFactors, ...secondFactors].some((each) => each === 'email-code' || each === 'email-link'),
  };
}

async function list(deps: MfaDeps, { realm, query }: WebRequest, { person, csrfToken }: Own, fault?: string) {
  const offered = await offeredIn(deps, realm);
  const done = doneOf(query.get('done'));
  const policy = await deps.policyOf(realm);
  const email = { person, rules: policy, isSecond: takesEmail(policy) };
  const page = mfaPage({ realm, holdings: person.holdings, email, offered, done, fault, csrfToken, nowMs: deps.clock.nowMs() });
  return { kind: 'page', page } as const;
}

/** Draws a set, or stores the one that was shown. */
async function storeCodes(deps: MfaDeps, request: WebRequest, mine: Own, form: URLSearchParams): Promise<Reply> {
  const { recovery } = deps;
  const handle = form.get('set');
  if (!(await offeredIn(deps, request.realm)).codes) return list(deps, request, mine, texts.codesOff);
  if (handle === null) {
    const set = await recovery.begin(enrolling(request, mine));
    return { kind: 'redirect', status: 303, to: `${codesPath}?set=${encodeURIComponent(set.handle)}` };
  }
  if (form.get('saved') !== 'yes') return showCodes(deps, request, mine, handle, texts.setSavedMissing);
  if (!(await recovery.confirm(changing(request, mine), handle))) return list(deps, request, mine, texts.setGone);
  return to(home, 'codes');
}

async function showCodes(deps: MfaDeps, request: WebRequest, mine: Own, handle: string, fault?: string): Promise<Reply> {
  const { realm } = request;
  const { person, csrfToken } = mine;
  const set = await deps.recovery.find(enrolling(request, mine), handle);
  if (set === undefined) return list(deps, request, mine, texts.setGone);
  const { codes, untilMs } = set;
  const replaces = (person.holdings.recoveryCodesLeft ?? 0) > 0;
  const page = codesPage({
    ...{ realm, name: userNameOf(mine.person), codes, handle, untilMs, replaces, csrfToken, fault },
    nowMs: deps.clock.nowMs(),
  });
  return { kind: 'page', page };
}

/** Draws a secret, or takes the code that proves the one that was shown. */
async function proveApp(deps: MfaDeps, request: WebRequest, mine: Own, form: URLSearchParams): Promise<Reply> {
  const { apps, settingsOf } = deps;
  const { realm, address, secure } = request;
  const who = enrolling(request, mine);
  if (!(await offeredIn(deps, realm)).app) return list(deps, request, mine, texts.appOff);
  const handle = form.get('app');
  if (handle === null) {
    const { handle: fresh } = await apps.begin(who);
    return { kind: 'redirect', status: 303, to: `${appPath}?app=${encodeURIComponent(fresh)}` };
  }
  const pending = await apps.find(who, handle);
  if (pending === undefined) return list(deps, request, mine, texts.appGone);
  const code = (form.get('code') ?? '').replace(/\s/g, '');
  if (code === '') return showApp(deps, request, mine, pending, texts.appCodeMissing);
  const secret = { kind: 'enrolTotp', credential: pending.credential, code, window: settingsOf(realm.id)['totp.window'] } as const;
  const { dn, session } = mine.acting;
  try {
    const judged = await deps.verify({ dn, secret, session, door: 'portal', address, isProtected: secure });
    if (judged.kind === 'accepted') {
      await apps.end(who, pending.handle);
      return to(home, 'app');
    }
    if (judged.kind !== 'limited') return showApp(deps, request, mine, pending, texts.appCodeWrong);
    const again = await showApp(deps, request, mine, pending, fillText(texts.limited, { count: judged.waitS }));
    return { ...again, limited: judged };
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    const isForbidden = thrown.code === resultCodes.insufficientAccessRights;
    const again = await showApp(deps, request, mine, pending, isForbidden ? texts.appForbidden : texts.appNotJudged);
    return { ...again, status: isForbidden ? 403 : 503 };
  }
}

async function showApp({ settingsOf, clock }: MfaDeps, request: WebRequest, mine: Own, pending: PendingApp, fault?: string) {
  const { realm, origin } = request;
  const issuer = settingsOf(realm.id)['totp.issuer'] || new URL(origin).hostname;
  const parts = await appParts(pending, issuer, userNameOf(mine.person));
  const { handle, untilMs } = pending;
  const { csrfToken, person } = mine;
  const replaces = person.holdings.app !== undefined;
  const page = appPage({ realm, parts, handle, untilMs, nowMs: clock.nowMs(), replaces, csrfToken, fault });
  return { kind: 'page', page } as const;
}

function enrolling({ realm }: WebRequest, { person }: Own) {
  return { realm: realm.id, entryUuid: person.entryUuid };
}

function changing(request: WebRequest, own: Own): Changing {
  return { ...enrolling(request, own), ...own.acting, visit: own.visit };
}

function to(path: string, done?: Done): Reply {
  return { kind: 'redirect', status: 303, to: done === undefined ? path : `${path}?done=${done}` };
}
