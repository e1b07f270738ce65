import type { Parked } from '#sessions';
import { csrfField, facts, fillText, html, notice, type Page, type Piece, pathIn, type SafeHtml, type WebRealm } from '#web';
import { texts } from './texts.ts';

/** What went wrong with the last try, as the screen tells it. */
export type Fault = 'failed' | 'stale' | 'busy' | 'userNameMissing' | 'passwordMissing';

export interface Screen {
  readonly realm: WebRealm;
  readonly id: string;
  readonly parked: Parked;
  readonly nowMs: number;
  readonly csrfToken: string;
  /** What was typed before. Never the password. */
  readonly userName?: string;
  readonly fault?: Fault | undefined;
  /** Says under the fields what will be taken for a password. */
  readonly anyPassword: boolean;
}

const minuteMs = 60_000;

/** The screen that asks for user name and password. */
export function passwordPage({ realm, id, parked, nowMs, csrfToken, userName = '', fault, anyPassword }: Screen): Page {
  const nameFault = fault === 'userNameMissing';
  const passwordFault = fault === 'passwordMissing';
  const again = fault === 'failed' || fault === 'stale' || fault === 'busy';
  return {
    // A screen reader tells the title first: it says at once that the last try did not work.
    title: fault === 'failed' ? texts.titleFailed : texts.title,
    layout: 'card',
    main: html`<h1>${texts.title}</h1>
${parked.rows.length > 0 && facts(parked.rows.map(({ label, value }) => [label, value]))}
${again && notice('bad', 'fault', texts[fault])}
<form method="post" action="${pathIn(realm, `/authn/login?authn=${encodeURIComponent(id)}`)}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
<label for="username">${texts.userName}</label>
${userNameField(userName, nameFault, fault === undefined || nameFault)}
<label for="password">${texts.password}</label>
${passwordField(passwordFault, again, fault !== undefined && !nameFault)}
${anyPassword && html`<p class="quiet">${texts.developmentHint}</p>`}
<button type="submit">${texts.signIn}</button>
</form>
<p class="ways"><a href="${pathIn(realm, parked.cancelTarget)}">${texts.cancel}</a></p>
<p class="quiet waits">${fillText(texts.waits, { minutes: minutesUntil(parked.expiresAtMs, nowMs) })}</p>`,
  };
}

/** What is shown to whom the policy keeps out. */
export function refusedPage(realm: WebRealm, parked: Parked, why: 'mechanism' | 'secondFactor'): Page {
  return {
    title: texts.refusedTitle,
    layout: 'card',
    main: html`<h1>${texts.refusedTitle}</h1>
${notice('bad', 'fault', why === 'mechanism' ? texts.refusedMechanism : texts.refusedSecondFactor)}
<p>${texts.refusedAdvice}</p>
<p class="ways"><a href="${pathIn(realm, parked.cancelTarget)}">${texts.cancel}</a></p>`,
  };
}

/** What is shown in place of the screen when no request waits under the address. */
export function gonePage(realm: WebRealm): Page {
  return {
    title: texts.goneTitle,
    layout: 'card',
    main: html`<h1>${texts.goneTitle}</h1>
<p>${texts.goneWords}</p>
<p>${texts.goneAdvice}</p>
<p><a href="${pathIn(realm, '/portal')}" role="button">${texts.goneAction}</a></p>`,
  };
}

function userNameField(value: string, faulty: boolean, first: boolean): SafeHtml {
  const attributes: Piece = html`id="username" name="username" type="text" value="${value}" autocomplete="username" autocapitalize="none" spellcheck="false" required${first && html` autofocus`}`;
  if (!faulty) return html`<input ${attributes}>`;
  return html`<input ${attributes} aria-invalid="true" aria-describedby="username-fault">
<p class="fault" id="username-fault">${texts.userNameMissing}</p>`;
}

function passwordField(faulty: boolean, again: boolean, first: boolean): SafeHtml {
  const attributes: Piece = html`id="password" name="password" type="password" autocomplete="current-password" required${first && html` autofocus`}`;
  if (faulty) {
    return html`<input ${attributes} aria-invalid="true" aria-describedby="password-fault">
<p class="fault" id="password-fault">${texts.passwordMissing}</p>`;
  }
  return again ? html`<input ${attributes} aria-describedby="fault">` : html`<input ${attributes}>`;
}

function minutesUntil(thenMs: number, nowMs: number): string {
  const count = Math.max(1, Math.round((thenMs - nowMs) / minuteMs));
  return count === 1 ? texts.minute : fillText(texts.minutes, { count });
}
