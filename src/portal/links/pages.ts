import { csrfField, fillText, html, notice, type Page, pathIn, type SafeHtml, type WebRealm } from '#web';
import { type LinkHolder, linkField } from './held.ts';
import { linkTexts as texts } from './texts.ts';

/** What is wrong with what was sent. */
export interface Fault {
  readonly words: string;
  readonly field?: 'password' | 'again' | 'code' | 'username';
}

/** Ways that an activation link offers beside a password. */
export interface Ways {
  readonly password: boolean;
  readonly primary: boolean;
  readonly mfa: boolean;
  readonly app: boolean;
}

export interface PasswordPage {
  readonly realm: WebRealm;
  readonly holder: LinkHolder;
  /** As people call the person. */
  readonly name: string;
  readonly nowMs: number;
  readonly path: '/portal/activate' | '/portal/reset-password';
  readonly ways?: Ways;
  /** What was enrolled just now. */
  readonly enrolled?: 'app' | 'key' | undefined;
  /** What the password policy asks for, in words. */
  readonly policy?: readonly string[];
  readonly fault?: Fault | undefined;
  /** Whether the app passwords were revoked just now. */
  readonly revoked?: boolean | undefined;
  /** What stands below the form. */
  readonly below?: SafeHtml | false;
}

const onlyPassword: Ways = { password: true, primary: false, mfa: false, app: false };

/** The form for a new password, and the other ways that an activation link offers. */
export function passwordPage(all: PasswordPage): Page {
  const { realm, holder, name, nowMs, path, ways = onlyPassword, enrolled, fault, revoked, below } = all;
  const activates = path === '/portal/activate';
  const title = activates ? texts.activateTitle : texts.resetTitle;
  const others = (['primary', 'mfa', 'app'] as const).filter((way) => ways[way]);
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
${enrolled !== undefined && notice('good', 'enrolled', enrolled === 'app' ? texts.enrolled : texts.keyAdded)}
${revoked !== undefined && notice(revoked ? 'good' : 'bad', 'revoked', revoked ? texts.appPasswordsRevoked : texts.appPasswordsKept)}
${fault !== undefined && fault.field === undefined && notice('bad', 'fault', fault.words)}
<p>${fillText(activates ? texts.activateWords : texts.resetWords, { name })}</p>
${ways.password && form(all)}
${!ways.password && others.length === 0 && notice('careful', 'no-way', texts.noWay)}
${
  others.length > 0 &&
  html`<h2>${texts.otherTitle}</h2>
<p class="ways">${others.map((way) => html`<a href="${hrefOf(realm, holder, way)}">${texts[way]}</a>\n`)}</p>`
}
${below}
<p class="quiet waits">${fillText(texts.until, { time: timeOf(holder.link.untilMs - nowMs) })}</p>`,
  };
}

function form({ realm, holder, name, path, policy = [], fault }: PasswordPage): SafeHtml {
  const field = (id: 'password' | 'again', label: string) => {
    const faulty = fault?.field === id;
    const described = [...(faulty ? [`${id}-fault`] : []), ...(id === 'password' && policy.length > 0 ? ['policy'] : [])].join(' ');
    return html`<label for="${id}">${label}</label>
<input id="${id}" name="${id}" type="password" autocomplete="new-password" required${faulty && html` aria-invalid="true"`}${
      described !== '' && html` aria-describedby="${described}"`
    }${(faulty || (fault === undefined && id === 'password')) && html` autofocus`}>
${faulty && html`<p class="fault" id="${id}-fault">${fault.words}</p>`}`;
  };
  return html`<form method="post" action="${pathIn(realm, path)}">
${hidden(holder)}
<input type="hidden" autocomplete="username" value="${name}">
${field('password', texts.password)}
${policy.length > 0 && html`<div class="quiet" id="policy"><p>${texts.policy}</p><ul>${policy.map((each) => html`<li>${each}</li>`)}</ul></div>`}
${field('again', texts.again)}
<button type="submit">${texts.set}</button>
</form>`;
}

/** The fields that every form of a link carries. */
export function hidden({ csrfToken, token }: LinkHolder): SafeHtml {
  return html`<input type="hidden" name="${csrfField}" value="${csrfToken}">
<input type="hidden" name="${linkField}" value="${token}">`;
}

function hrefOf(realm: WebRealm, { token }: LinkHolder, way: 'primary' | 'mfa' | 'app'): string {
  const link = `${linkField}=${encodeURIComponent(token)}`;
  return pathIn(realm, way === 'app' ? `/portal/activate/app?${link}` : `/portal/activate/key?role=${way}&${link}`);
}

/** Back to the ways of an activation link. */
export function backTo(realm: WebRealm, { token }: LinkHolder): SafeHtml {
  return html`<p class="ways"><a href="${pathIn(realm, `/portal/activate?${linkField}=${encodeURIComponent(token)}`)}">${texts.back}</a></p>`;
}

/** What was done with a link. */
export const dones = ['password', 'key', 'app'] as const;
export type Done = (typeof dones)[number];

export function donePage(realm: WebRealm, done: Done): Page {
  const words = { password: texts.donePassword, key: texts.doneKey, app: texts.doneApp }[done];
  return {
    title: texts.doneTitle,
    layout: 'card',
    main: html`<h1>${texts.doneTitle}</h1>
${notice('good', 'done', words)}
${toPortal(realm, texts.signIn)}`,
  };
}

/** @param mails  a person can have another link mailed to them */
export function gonePage(realm: WebRealm, mails: boolean): Page {
  return {
    title: texts.goneTitle,
    layout: 'card',
    main: html`<h1>${texts.goneTitle}</h1>
<p>${texts.goneWords}</p>
<p>${texts.goneAdvice} ${texts.inUse}</p>
${toPortal(realm, texts.toSignIn)}
${mails && html`<p class="ways"><a href="${pathIn(realm, '/portal/forgot-password')}">${texts.goneForgot}</a></p>`}`,
  };
}

/** The answer to a form whose token is refused. */
export function stalePage(realm: WebRealm): Page {
  return {
    title: texts.staleTitle,
    layout: 'card',
    main: html`<h1>${texts.staleTitle}</h1>
<p>${texts.staleWords}</p>
${toPortal(realm, texts.toSignIn)}`,
  };
}

/** The form on which somebody says that they have forgotten their password. */
export function forgotPage(realm: WebRealm, csrfToken: string, fault?: Fault, typed = ''): Page {
  const faulty = fault?.field === 'username';
  return {
    title: texts.forgotTitle,
    layout: 'card',
    main: html`<h1>${texts.forgotTitle}</h1>
${fault !== undefined && !faulty && notice('bad', 'fault', fault.words)}
<p>${texts.forgotWords}</p>
<form method="post" action="${pathIn(realm, '/portal/forgot-password')}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
<label for="username">${texts.forgotName}</label>
<input id="username" name="username" type="text" value="${typed}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="256" required autofocus${
      faulty && html` aria-invalid="true" aria-describedby="username-fault"`
    }>
${faulty && html`<p class="fault" id="username-fault">${fault.words}</p>`}
<button type="submit">${texts.forgotSend}</button>
</form>
<p class="ways"><a href="${pathIn(realm, '/portal')}">${texts.toSignIn}</a></p>`,
  };
}

/** The same whether or not there is an account. */
export function sentPage(realm: WebRealm, name: string, ttlMinutes: number): Page {
  return {
    title: texts.sentTitle,
    layout: 'card',
    main: html`<h1>${texts.sentTitle}</h1>
${notice('good', 'sent', fillText(texts.sentWords, { name, time: timeOf(ttlMinutes * minuteMs) }))}
<p>${texts.sentNone}</p>
<p class="ways"><a href="${pathIn(realm, '/portal')}">${texts.toSignIn}</a></p>`,
  };
}

/** Where no links are mailed. */
export function offPage(realm: WebRealm): Page {
  return {
    title: texts.offTitle,
    layout: 'card',
    main: html`<h1>${texts.offTitle}</h1>
<p>${texts.offWords}</p>
${toPortal(realm, texts.toSignIn)}`,
  };
}

function toPortal(realm: WebRealm, words: string): SafeHtml {
  return html`<p><a href="${pathIn(realm, '/portal')}" role="button">${words}</a></p>`;
}

const minuteMs = 60_000;
const hourMinutes = 60;

/** How long something is good, in words: `24 hours`, `60 minutes`. */
export function timeOf(spanMs: number): string {
  const minutes = Math.max(1, Math.floor(spanMs / minuteMs));
  if (minutes > 2 * hourMinutes) return fillText(texts.hours, { count: Math.floor(minutes / hourMinutes) });
  return minutes === 1 ? texts.minute : fillText(texts.minutes, { count: minutes });
}
