import { Refusal } from '#catalogue';
import { ClientRefusal, type Verification, type Verified } from '#client';
import { type AppEnrolments, answerField, appParts, askingParts, ceremonyScript, type PendingApp, type Webauthn } from '#factors';
import type { SecurityKey } from '#holdings';
import { resultCodes } from '#ldap';
import type { Limits } from '#state';
import { fillText, html, notice, type Page, type PageReply, pathIn, type Reply, type SafeHtml, type WebRealm, type WebRequest } from '#web';
import { type LinkHolder, linkField } from './held.ts';
import { ceremonyHolder, type Used, using } from './holder.ts';
import { backTo, hidden, timeOf } from './pages.ts';
import { done, type LinkPasswordDeps, nameOf, showPassword, waysOf } from './password.ts';
import { linkTexts as texts } from './texts.ts';

export interface LinkEnrolDeps extends LinkPasswordDeps {
  readonly apps: AppEnrolments;
  readonly webauthn: Webauthn;
  readonly limits: Limits;
  readonly verify: (asked: Verification) => Promise<Verified>;
  readonly settingsOf: (realm: string) => {
    readonly 'totp.enabled': boolean;
    readonly 'totp.issuer': string;
    readonly 'totp.window': number;
  };
}

const home = '/portal/activate';
const appPath = '/portal/activate/app';
const keyPath = '/portal/activate/key';

/** The page of an app: a button that draws a secret, or the secret that was drawn. */
export async function showApp(
  deps: LinkEnrolDeps,
  request: WebRequest,
  holder: LinkHolder,
  handle: string,
  fault?: string,
): Promise<PageReply> {
  const { realm } = request;
  if (!(await waysOf(deps, realm, holder)).app) return await showPassword(deps, request, holder, home);
  const pending = await deps.apps.find(whoIs(realm, holder), handle);
  return {
    kind: 'page',
    page: pending === undefined ? startPage(realm, holder, fault) : await secretPage(deps, request, holder, pending, fault),
  };
}

/** Draws a secret, or takes the code that proves the one that was shown. */
export async function takeApp(deps: LinkEnrolDeps, request: WebRequest, holder: LinkHolder, form: URLSearchParams): Promise<Reply> {
  const { realm } = request;
  const { apps } = deps;
  const who = whoIs(realm, holder);
  if (!(await waysOf(deps, realm, holder)).app) return await showPassword(deps, request, holder, home, { fault: { words: texts.noWay } });
  const handle = form.get('app');
  if (handle === null) {
    const { handle: fresh } = await apps.begin(who);
    const query = `app=${encodeURIComponent(fresh)}&${linkField}=${encodeURIComponent(holder.token)}`;
    return { kind: 'redirect', status: 303, to: `${appPath}?${query}` };
  }
  const pending = await apps.find(who, handle);
  if (pending === undefined) return await showApp(deps, request, holder, '', texts.appGone);
  const code = (form.get('code') ?? '').replace(/\s/g, '');
  if (code === '') return await showApp(deps, request, holder, handle, texts.appCodeMissing);
  return await using(deps, request, holder, 'an authenticator app was enrolled', async ({ link }) => {
    const fault = await proved(deps, request, holder, pending, code);
    if (fault !== undefined) {
      const shown = await showApp(deps, request, holder, handle, fault.words);
      return { spent: false, reply: { ...shown, ...fault.answer } };
    }
    await apps.end(who, handle);
    return enrolled(holder, link.hasPassword, 'app');
  });
}

interface Unproved {
  readonly words: string;
  readonly answer: Pick<PageReply, 'status' | 'limited'>;
}

async function proved(
  { verify, settingsOf }: LinkEnrolDeps,
  { realm, address, secure }: WebRequest,
  { acting }: LinkHolder,
  { credential }: PendingApp,
  code: string,
): Promise<Unproved | undefined> {
  const secret = { kind: 'enrolTotp', credential, code, window: settingsOf(realm.id)['totp.window'] } as const;
  try {
    const judged = await verify({ ...acting, secret, door: 'portal', address, isProtected: secure });
    if (judged.kind === 'accepted') return undefined;
    if (judged.kind !== 'limited') return { words: texts.appCodeWrong, answer: {} };
    return { words: fillText(texts.limited, { count: judged.waitS }), answer: { limited: judged } };
  } catch (thrown) {
    if (!(thrown instanceof ClientRefusal)) throw thrown;
    const isForbidden = thrown.code === resultCodes.insufficientAccessRights;
    return { words: isForbidden ? texts.appForbidden : texts.appNotJudged, answer: { status: isForbidden ? 403 : 503 } };
  }
}

/** A second factor alone lets nobody in: whoever has no password goes on to set one, with the same link. */
function enrolled(holder: LinkHolder, hasPassword: boolean, what: 'app' | 'key'): Used {
  if (hasPassword) return { spent: true, reply: done(home, what) };
  const query = `added=${what}&${linkField}=${encodeURIComponent(holder.token)}`;
  return { spent: false, reply: { kind: 'redirect', status: 303, to: `${home}?${query}` } as const };
}

/** The page that asks for a key. */
export async function showKey(
  deps: LinkEnrolDeps,
  request: WebRequest,
  holder: LinkHolder,
  role: SecurityKey['role'],
  fault?: string,
): Promise<PageReply> {
  const { realm, origin } = request;
  const { person, visit } = holder;
  if (!(await waysOf(deps, realm, holder))[role])
    return await showPassword(deps, request, holder, home, fault === undefined ? {} : { fault: { words: fault } });
  try {
    const { challenge } = await deps.webauthn.mint({ realm, role }, ceremonyHolder(holder));
    const options = await deps.webauthn.creation({ realm, origin, person, role, visit }, challenge, nameOf(holder));
    const { above, fields } = askingParts('create', options);
    return { kind: 'page', page: { ...keyPage(realm, holder, role, { above, fields }, fault), script: ceremonyScript().path } };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return {
      kind: 'page',
      status: thrown.row.sees.http ?? 400,
      page: keyPage(realm, holder, role, undefined, fault ?? thrown.says),
      error: thrown.row,
    };
  }
}

/** Judges what the browser answered, and adds the key. */
export async function takeKey(deps: LinkEnrolDeps, request: WebRequest, holder: LinkHolder, form: URLSearchParams): Promise<Reply> {
  const { realm, origin, address } = request;
  const { person, visit, acting } = holder;
  let role: SecurityKey['role'] = 'mfa';
  const again = async (thrown: unknown): Promise<Reply> => {
    if (!(thrown instanceof Refusal)) throw thrown;
    const shown = await showKey(deps, request, holder, role, thrown.says);
    return { ...shown, status: thrown.row.sees.http ?? 400, error: thrown.row };
  };
  try {
    const answer = form.get(answerField) ?? '';
    const claimed = await deps.webauthn.claim({ realm, origin, person, visit }, ceremonyHolder(holder), answer);
    role = claimed.role;
    if (!(await waysOf(deps, realm, holder))[role])
      return await showPassword(deps, request, holder, home, { fault: { words: texts.noWay } });
    const attempt = await deps.limits.enter({ realm: realm.id, identity: person.dn, address });
    if (attempt.kind === 'limited') {
      const shown = await showKey(deps, request, holder, role, fillText(texts.limited, { count: attempt.waitS }));
      return { ...shown, limited: attempt };
    }
    return await using(deps, request, holder, `a security key was enrolled (${role})`, async ({ link }) => {
      try {
        const given = { realm, origin, person, visit, ...claimed, answer, session: acting.session };
        await deps.webauthn.enrol(given, keyNameOf(form) || texts.keyStanding);
      } catch (thrown) {
        return { spent: false, reply: await again(thrown) };
      }
      await attempt.succeeded();
      return enrolled(holder, role === 'primary' || link.hasPassword, 'key');
    });
  } catch (thrown) {
    return await again(thrown);
  }
}

const nameLengthMax = 60;

/** On one line, and short enough to be shown. */
function keyNameOf(form: URLSearchParams): string {
  const line = (form.get('name') ?? '')
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim();
  return [...line].slice(0, nameLengthMax).join('');
}

function whoIs({ id }: WebRealm, { person }: LinkHolder) {
  return { realm: id, entryUuid: person.entryUuid };
}

function startPage(realm: WebRealm, holder: LinkHolder, fault?: string): Page {
  return {
    title: texts.appTitle,
    layout: 'card',
    main: html`<h1>${texts.appTitle}</h1>
${fault !== undefined && notice('bad', 'fault', fault)}
<p>${texts.appStartWords}</p>
<form method="post" action="${pathIn(realm, appPath)}">${hidden(holder)}
<button type="submit">${texts.appStart}</button>
</form>
${backTo(realm, holder)}`,
  };
}

async function secretPage(
  { settingsOf, clock }: LinkEnrolDeps,
  { realm, origin }: WebRequest,
  holder: LinkHolder,
  pending: PendingApp,
  fault?: string,
): Promise<Page> {
  const parts = await appParts(pending, settingsOf(realm.id)['totp.issuer'] || new URL(origin).hostname, nameOf(holder));
  const faulty = fault !== undefined;
  return {
    title: texts.appTitle,
    layout: 'card',
    main: html`<h1>${texts.appTitle}</h1>
${parts}
<form method="post" action="${pathIn(realm, appPath)}">${hidden(holder)}
<input type="hidden" name="app" value="${pending.handle}">
<label for="code">${texts.appCode}</label>
<input id="code" name="code" type="text" class="code" inputmode="numeric" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="16" required${
      faulty && html` aria-invalid="true" aria-describedby="code-fault" autofocus`
    }>
${faulty && html`<p class="fault" id="code-fault">${fault}</p>`}
<button type="submit">${texts.appConfirm}</button>
</form>
<p class="quiet waits">${fillText(texts.appUntil, { time: timeOf(pending.untilMs - clock.nowMs()) })}</p>
${backTo(realm, holder)}`,
  };
}

function keyPage(
  realm: WebRealm,
  holder: LinkHolder,
  role: SecurityKey['role'],
  parts: { readonly above: SafeHtml; readonly fields: SafeHtml } | undefined,
  fault: string | undefined,
): Page {
  const title = role === 'mfa' ? texts.keyMfaTitle : texts.keyPrimaryTitle;
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
<p>${role === 'mfa' ? texts.keyMfaWords : texts.keyPrimaryWords}</p>
${fault !== undefined && notice('bad', 'fault', fault)}
${
  parts !== undefined &&
  html`${parts.above}
<form method="post" action="${pathIn(realm, keyPath)}">${hidden(holder)}
<label for="name">${texts.keyName}</label>
<input id="name" name="name" type="text" maxlength="60" autocomplete="off" aria-describedby="name-hint">
<p class="quiet" id="name-hint">${texts.keyNameHint}</p>
${parts.fields}
</form>`
}
${backTo(realm, holder)}`,
  };
}
