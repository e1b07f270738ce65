import type { AuthenticatorApp, Holdings } from '#holdings';
import { csrfField, facts, fillText, html, notice, type Page, type Piece, pathIn, type SafeHtml, timeHtml, type WebRealm } from '#web';
import { type EmailState, emailFactorSection } from './email-pages.ts';
import { mfaTexts as texts } from './mfa-texts.ts';

/** What was done, as the list of factors says it afterwards. */
export type Done = keyof typeof texts.done;

export function doneOf(given: string | null): Done | undefined {
  return (Object.keys(texts.done) as Done[]).find((each) => each === given);
}

export interface Factors {
  readonly realm: WebRealm;
  readonly holdings: Holdings;
  readonly email: EmailState;
  /** What may be set up at this moment. */
  readonly offered: { readonly app: boolean; readonly codes: boolean; readonly email: boolean };
  readonly done: Done | undefined;
  readonly fault?: string | undefined;
  readonly csrfToken: string;
  readonly nowMs: number;
}

/** The person's second factors: one section a kind. */
export function mfaPage(all: Factors): Page {
  const { realm, holdings, done, fault } = all;
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${texts.title}</h1>
${done !== undefined && notice('good', 'done', texts.done[done])}
${fault !== undefined && notice('bad', 'fault', fault)}
${lacksCodes(holdings) && all.offered.codes && notice('careful', 'codes-prompt', texts.codesPrompt)}
<p>${texts.words}</p>
${keysSection(realm, holdings)}
${appSection(all)}
${codesSection(all)}
${all.offered.email && emailFactorSection(realm, all.email)}`,
  };
}

/** A second factor and no way round it. */
export function lacksCodes({ keys, app, recoveryCodesLeft = 0 }: Holdings): boolean {
  return (app !== undefined || keys.some(({ role }) => role === 'mfa')) && recoveryCodesLeft === 0;
}

function keysSection(realm: WebRealm, { keys }: Holdings): SafeHtml {
  const count = keys.filter(({ role }) => role === 'mfa').length;
  const words = count === 0 ? texts.keysNone : count === 1 ? texts.keysOne : fillText(texts.keysMany, { count });
  return html`<section class="half" aria-labelledby="keys"><h2 id="keys">${texts.keysTitle}</h2>
<p>${words}</p>
<p><a href="${pathIn(realm, '/portal/keys')}" role="button" class="outline">${texts.keysLink}</a></p></section>`;
}

function appSection({ realm, holdings: { app }, offered, csrfToken, nowMs }: Factors): SafeHtml {
  return html`<section class="half" aria-labelledby="app"><h2 id="app">${texts.appTitle}</h2>
${app === undefined ? html`<p>${offered.app ? texts.appNone : texts.appOff}</p>` : appFacts(app, nowMs)}
${offered.app && button(realm, '/portal/mfa/app', app === undefined ? texts.appSetUp : texts.appReplace, csrfToken)}
${app !== undefined && html`<p class="ways"><a href="${pathIn(realm, '/portal/mfa/app/remove')}">${texts.appRemove}</a></p>`}</section>`;
}

function appFacts({ addedMs, lastStep, digits, period, algorithm }: AuthenticatorApp, nowMs: number): SafeHtml {
  const used: Piece = lastStep === undefined ? texts.never : timeHtml(Math.min(nowMs, lastStep * period * 1000), nowMs);
  return facts([
    [texts.appAdded, timeHtml(addedMs, nowMs)],
    [texts.appLastUsed, used],
    [texts.appKind, fillText(texts.appParameters, { digits, period, algorithm })],
  ]);
}

function codesSection({ realm, holdings: { recoveryCodesLeft }, offered, csrfToken }: Factors): SafeHtml {
  const has = recoveryCodesLeft !== undefined;
  return html`<section class="half" aria-labelledby="codes"><h2 id="codes">${texts.codesTitle}</h2>
<p>${texts.codesWords}</p>
${has ? facts([[texts.codesLeft, leftWords(recoveryCodesLeft)]]) : html`<p>${offered.codes ? texts.codesNone : texts.codesOff}</p>`}
${offered.codes && button(realm, '/portal/mfa/codes', has ? texts.codesMakeNew : texts.codesMake, csrfToken)}
${has && html`<p class="ways"><a href="${pathIn(realm, '/portal/mfa/codes/remove')}">${texts.codesRemove}</a></p>`}</section>`;
}

function leftWords(count: number): string {
  if (count === 0) return texts.codesUsedUp;
  return count === 1 ? texts.codesLeftOne : fillText(texts.codesLeftMany, { count });
}

export interface CodesShown {
  readonly realm: WebRealm;
  /** As people call the person. */
  readonly name: string;
  readonly codes: readonly string[];
  readonly handle: string;
  readonly untilMs: number;
  readonly nowMs: number;
  /** There is a set already. */
  readonly replaces: boolean;
  readonly csrfToken: string;
  readonly fault?: string | undefined;
}

const minuteMs = 60_000;

/** The one page on which a set of recovery codes is to be seen. */
export function codesPage({ realm, name, codes, handle, untilMs, nowMs, replaces, csrfToken, fault }: CodesShown): Page {
  const file = [fillText(texts.setFileHead, { name, realm: realm.name }), '', ...codes, ''].join('\r\n');
  return {
    title: texts.setTitle,
    layout: 'card',
    main: html`<h1>${texts.setTitle}</h1>
${fault !== undefined && notice('bad', 'fault', fault)}
<p>${texts.setWords}</p>
${replaces && html`<p>${texts.setReplaces}</p>`}
<ul class="codes" aria-label="${texts.setList}">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="ways"><a href="data:text/plain;charset=utf-8,${encodeURIComponent(file)}" download="${texts.setFileName}">${texts.setFile}</a></p>
<form method="post" action="${pathIn(realm, '/portal/mfa/codes')}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
<input type="hidden" name="set" value="${handle}">
<div class="box"><input id="saved" name="saved" type="checkbox" value="yes" required><label for="saved">${texts.setSaved}</label></div>
<button type="submit">${texts.setConfirm}</button>
</form>
<p class="quiet waits">${fillText(texts.setUntil, { minutes: minutesUntil(untilMs, nowMs) })}</p>
<p class="ways"><a href="${pathIn(realm, '/portal/mfa')}">${texts.back}</a></p>`,
  };
}

export interface AppShown {
  readonly realm: WebRealm;
  /** The picture, and the same as text. */
  readonly parts: SafeHtml;
  readonly handle: string;
  readonly untilMs: number;
  readonly nowMs: number;
  /** There is an app already. */
  readonly replaces: boolean;
  readonly csrfToken: string;
  readonly fault?: string | undefined;
}

/** An app that is being set up: its secret, and the field for the code that proves it. */
export function appPage({ realm, parts, handle, untilMs, nowMs, replaces, csrfToken, fault }: AppShown): Page {
  const faulty = fault !== undefined;
  return {
    title: texts.appTitleNew,
    layout: 'card',
    main: html`<h1>${texts.appTitleNew}</h1>
${replaces && html`<p>${texts.appReplaces}</p>`}
${parts}
<form method="post" action="${pathIn(realm, '/portal/mfa/app')}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
<input type="hidden" name="app" value="${handle}">
<label for="code">${texts.appCode}</label>
<input id="code" name="code" type="text" class="code" inputmode="numeric" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="16" required${
      faulty && html` aria-invalid="true" aria-describedby="code-fault" autofocus`
    }>
${faulty && html`<p class="fault" id="code-fault">${fault}</p>`}
<button type="submit">${texts.appDone}</button>
</form>
<p class="quiet waits">${fillText(texts.appUntil, { minutes: minutesUntil(untilMs, nowMs) })}</p>
<p class="ways"><a href="${pathIn(realm, '/portal/mfa')}">${texts.back}</a></p>`,
  };
}

/** Before the authenticator app goes: what stops working. */
export function removeAppPage(realm: WebRealm, { keys, mfaRequired }: Holdings, csrfToken: string): Page {
  const other = keys.some(({ role }) => role === 'mfa');
  const after = other ? texts.appRemoveOther : mfaRequired ? texts.appRemoveRequired : texts.appRemoveLast;
  return removePage(realm, texts.appRemoveTitle, [texts.appRemoveCodes, after], '/portal/mfa/app/remove', texts.appRemove, csrfToken);
}

/** Before the recovery codes go. */
export function removeCodesPage(realm: WebRealm, csrfToken: string): Page {
  const words = [texts.codesRemoveWords, texts.codesRemoveNoOther];
  return removePage(realm, texts.codesRemoveTitle, words, '/portal/mfa/codes/remove', texts.codesRemove, csrfToken);
}

function removePage(realm: WebRealm, title: string, words: readonly string[], path: string, action: string, csrfToken: string): Page {
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
<ul>${words.map((each) => html`<li>${each}</li>`)}</ul>
${button(realm, path, action, csrfToken)}
<p class="ways"><a href="${pathIn(realm, '/portal/mfa')}">${texts.keep}</a></p>`,
  };
}

/** A form that is one button. */
function button(realm: WebRealm, path: string, words: string, csrfToken: string): SafeHtml {
  return html`<form method="post" action="${pathIn(realm, path)}"><input type="hidden" name="${csrfField}" value="${csrfToken}"><button type="submit">${words}</button></form>`;
}

function minutesUntil(thenMs: number, nowMs: number): string {
  const count = Math.max(1, Math.round((thenMs - nowMs) / minuteMs));
  return count === 1 ? texts.minute : fillText(texts.minutes, { count });
}
