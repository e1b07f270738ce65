import type { PasswordPolicy } from '#policy';
import { csrfField, facts, fillText, html, notice, type Page, type Piece, pathIn, type SafeHtml, timeHtml, type WebRealm } from '#web';
import { passwordTexts as texts } from './password-texts.ts';

export type PasswordField = 'old' | 'password' | 'again';
export type PasswordDone = keyof typeof texts.done;

export function passwordDoneOf(given: string | null): PasswordDone | undefined {
  return (Object.keys(texts.done) as PasswordDone[]).find((each) => each === given);
}

export interface PasswordPage {
  readonly realm: WebRealm;
  readonly userName: string;
  /** In force; `undefined` where none is enforced. */
  readonly policy: PasswordPolicy | undefined;
  /** Passwords count in this realm. */
  readonly isChecked: boolean;
  /** The person has a password already. */
  readonly has: boolean;
  readonly changedMs: number | undefined;
  readonly expiresMs: number | undefined;
  readonly done: PasswordDone | undefined;
  readonly fault: { readonly words: string; readonly field?: PasswordField } | undefined;
  /** Whether the other sessions shall end. */
  readonly others: boolean;
  readonly csrfToken: string;
  readonly nowMs: number;
}

/** The page on which people change their own password. */
export function passwordPage(shown: PasswordPage): Page {
  const { realm, userName, policy, isChecked, has, changedMs, expiresMs, done, fault, csrfToken, nowMs } = shown;
  const asksOld = has && isChecked;
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${texts.title}</h1>
${done !== undefined && notice('good', 'done', texts.done[done])}
${fault !== undefined && fault.field === undefined && notice('bad', 'fault', fault.words)}
${!isChecked && notice('careful', 'unchecked', texts.unchecked)}
<section class="half" aria-labelledby="change"><h2 id="change">${has ? texts.change : texts.set}</h2>
${!has && isChecked && html`<p>${texts.none}</p>`}
${has && timesOf(changedMs, expiresMs, nowMs)}
<form method="post" action="${pathIn(realm, '/portal/password')}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
<input type="hidden" autocomplete="username" value="${userName}">
${asksOld && field('old', texts.old, 'current-password', fault)}
${field('password', texts.fresh, 'new-password', fault, policy !== undefined ? 'policy' : undefined)}
${field('again', texts.again, 'new-password', fault)}
<div class="box"><input id="others" name="others" type="checkbox" value="yes"${shown.others && html` checked`} aria-describedby="others-hint"><label for="others">${texts.others}</label>
<p class="quiet" id="others-hint">${texts.othersHint}</p></div>
<button type="submit">${has ? texts.change : texts.set}</button>
</form></section>
<section class="half" aria-labelledby="rules"><h2 id="rules">${texts.policy}</h2>
${policy !== undefined && html`<ul id="policy">${policyWords(policy).map((words) => html`<li>${words}</li>`)}</ul>`}
<p>${texts.words}</p></section>`,
  };
}

function timesOf(changedMs: number | undefined, expiresMs: number | undefined, nowMs: number): Piece {
  if (changedMs === undefined) return undefined;
  const expires = expiresMs === undefined ? [] : [[texts.expiresAt, timeHtml(expiresMs, nowMs)] as const];
  return facts([[texts.changedAt, timeHtml(changedMs, nowMs)], ...expires]);
}

/** A policy in words for who has to keep it, each to follow `texts.policy`. */
export function policyWords({ minLength, minSymbols, minUppercase, minDigits, history }: PasswordPolicy): readonly string[] {
  const words = (count: number, one: string, many: string) => (count === 0 ? [] : [count === 1 ? one : fillText(many, { count })]);
  return [
    ...words(minLength, texts.lengthOne, texts.length),
    ...words(minUppercase, texts.uppercaseOne, texts.uppercase),
    ...words(minDigits, texts.digitsOne, texts.digits),
    ...words(minSymbols, texts.symbolsOne, texts.symbols),
    ...words(history, texts.historyOne, texts.history),
  ];
}

function field(id: PasswordField, label: string, autocomplete: string, fault: PasswordPage['fault'], hint?: string): SafeHtml {
  const faulty = fault?.field === id;
  const described = [faulty ? `${id}-fault` : '', hint ?? ''].filter((each) => each !== '').join(' ');
  const attributes: Piece = html`${described !== '' && html` aria-describedby="${described}"`}${faulty && html` aria-invalid="true" autofocus`}`;
  return html`<label for="${id}">${label}</label>
<input id="${id}" name="${id}" type="password" autocomplete="${autocomplete}" required${attributes}>
${faulty && html`<p class="fault" id="${id}-fault">${fault.words}</p>`}`;
}
