import { ClientRefusal, type PasswordChange, type PasswordChanged } from '#client';
import { resultCodes } from '#ldap';
import type { Browser } from '#people';
import { enforcesPasswords, type PasswordPolicy, verifiesPasswords } from '#policy';
import type { Session, Sessions } from '#sessions';
import { fillText, type Handler, type Limit, type PageReply, type Reply, readTime, type WebRealm, type WebRequest } from '#web';
import { ownForm, ownHandler, userNameOf } from './frame.ts';
import type { Own, OwnDeps } from './own.ts';
import { hasPassword, type OwnEntry } from './pages.ts';
import { type PasswordPage, passwordDoneOf, passwordPage } from './password-pages.ts';
import type { passwordRoutes } from './password-routes.ts';
import { passwordTexts as texts } from './password-texts.ts';

export interface PasswordDeps extends OwnDeps {
  readonly sessions: Pick<Sessions, 'find' | 'park' | 'endAll'>;
  readonly readOwn: (realm: WebRealm, session: Session, attributes: readonly string[], browser: Browser) => Promise<OwnEntry | undefined>;
  readonly passwordPolicyOf: (realm: WebRealm) => Promise<PasswordPolicy>;
  /** Lets the directory judge the old password and take the new one, in the person's own name. @throws ClientRefusal when nothing was judged */
  readonly changePassword: (asked: PasswordChange) => Promise<PasswordChanged>;
}

const home = '/portal/password';
/** Longer ones are refused here; the directory has limits of its own. */
const passwordLengthMax = 1024;

/** The page on which people change their own password: as LDAP's Password Modify, and judged as it. */
export function createPasswordHandlers(deps: PasswordDeps): Readonly<Record<keyof typeof passwordRoutes, Handler>> {
  return {
    passwordPage: ownHandler(deps, { fresh: false, back: home }, (request, own) =>
      show(deps, request, own, { done: passwordDoneOf(request.query.get('done')) }),
    ),
    password: ownForm(deps, { fresh: true, back: home }, (request, own, form) => change(deps, request, own, form)),
  };
}

type Shown = Partial<Pick<PasswordPage, 'done' | 'fault' | 'others'>> & { readonly status?: number; readonly limited?: Limit };

async function show(deps: PasswordDeps, request: WebRequest, own: Own, more: Shown): Promise<PageReply> {
  const { status = 200, limited, done, fault, others = true } = more;
  const { realm } = request;
  const { person, session, csrfToken } = own;
  const entry = await deps.readOwn(realm, session, ['stsHasPassword', 'pwdChangedTime'], request);
  const page = passwordPage({
    realm,
    userName: userNameOf(person),
    policy: enforcesPasswords(realm.mode) ? await deps.passwordPolicyOf(realm) : undefined,
    isChecked: verifiesPasswords(realm.mode),
    has: hasPassword(entry),
    changedMs: readTime(entry?.all('pwdChangedTime')[0]),
    expiresMs: person.passwordExpiresMs,
    done,
    fault,
    others,
    csrfToken,
    nowMs: deps.clock.nowMs(),
  });
  return { kind: 'page', status, page, ...(limited === undefined ? {} : { limited }) };
}

async function change(deps: PasswordDeps, request: WebRequest, own: Own, form: URLSearchParams): Promise<Reply> {
  const { realm } = request;
  const { session, visit, acting } = own;
  const others = form.get('others') === 'yes';
  const again = (words: string, field?: 'old' | 'password' | 'again', more: Shown = {}) =>
    show(deps, request, own, { fault: { words, ...(field === undefined ? {} : { field }) }, others, ...more });
  const has = hasPassword(await deps.readOwn(realm, session, ['stsHasPassword'], request));
  const asksOld = has && verifiesPasswords(realm.mode);
  const [old, fresh] = [form.get('old') ?? '', form.get('password') ?? ''];
  if (asksOld && old === '') return again(texts.oldMissing, 'old');
  if (fresh === '') return again(texts.freshMissing, 'password');
  if (fresh.length > passwordLengthMax || old.length > passwordLengthMax)
    return again(texts.tooLong, old.length > fresh.length ? 'old' : 'password');
  if (fresh !== (form.get('again') ?? '')) return again(texts.notRepeated, 'again');
  let changed: PasswordChanged;
  try {
    changed = await deps.changePassword({ ...acting, old: asksOld ? old : undefined, fresh, door: 'portal' });
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    const isForbidden = thrown.code === resultCodes.insufficientAccessRights;
    return again(isForbidden ? texts.forbidden : texts.notNow, undefined, { status: isForbidden ? 403 : 503 });
  }
  switch (changed.kind) {
    case 'limited':
      return again(fillText(texts.limited, { count: changed.waitS }), undefined, { limited: changed });
    case 'refused':
      if (changed.why === 'old') return again(texts.oldWrong, 'old');
      return again(fillText(texts.notTaken, { why: changed.says.replace(/^userPassword: /, '') }), 'password');
    case 'changed': {
      const ended = others ? await deps.sessions.endAll(realm.id, session.entryUuid, visit, session.sid) : 0;
      return { kind: 'redirect', status: 303, to: `${home}?done=changed${ended > 0 ? '-others' : ''}` };
    }
  }
}
