import { type EmailRules, factorAddress } from '#factors';
import type { Holdings } from '#holdings';
import { parseMailAddress } from '#mail';
import type { AuthnPolicy } from '#policy';
import { csrfField, facts, fillText, html, notice, type Page, pathIn, type SafeHtml, type WebRealm } from '#web';
import { emailTexts } from './texts.ts';

/** What the emailed second factor of somebody depends on. */
export interface EmailState {
  readonly person: { readonly disabled: boolean; readonly holdings: Holdings };
  readonly rules: EmailRules;
  /** The policy takes an emailed code or link as a second factor. */
  readonly isSecond: boolean;
}

/** What there is to know of somebody's addresses. */
export interface OwnEmail extends EmailState {
  /** `mail` of the entry. */
  readonly addresses: readonly string[];
  /** Those of them that are confirmed, in lower case. */
  readonly confirmed: ReadonlySet<string>;
  /** The realm has a mail server. */
  readonly canSend: boolean;
}

/** Whether a policy takes an emailed code or link as a second factor. */
export function takesEmail({ secondFactors }: AuthnPolicy): boolean {
  return secondFactors.includes('email-code') || secondFactors.includes('email-link');
}

export interface EmailPage {
  readonly realm: WebRealm;
  readonly email: OwnEmail;
  readonly csrfToken: string;
  /** A code was mailed, and is asked for. */
  readonly asksCode: boolean;
  /** What was just done. */
  readonly done: 'verified' | 'on' | 'off' | undefined;
  readonly fault: { readonly words: string; readonly field?: 'code' } | undefined;
}

const path = '/portal/mfa/email';
const doneTexts = { verified: emailTexts.doneVerified, on: emailTexts.doneOn, off: emailTexts.doneOff } as const;

export function emailPage({ realm, email, csrfToken, asksCode, done, fault }: EmailPage): Page {
  const form = (inside: SafeHtml) =>
    html`<form method="post" action="${pathIn(realm, path)}"><input type="hidden" name="${csrfField}" value="${csrfToken}">${inside}</form>`;
  return {
    title: emailTexts.title,
    layout: 'wide',
    main: html`<h1>${emailTexts.title}</h1>
${fault !== undefined && fault.field === undefined && notice('bad', 'fault', fault.words)}
${done !== undefined && notice('good', 'done', doneTexts[done])}
<p>${emailTexts.whatItIs}</p>
<section class="addresses" aria-labelledby="addresses"><h2 id="addresses">${emailTexts.addresses}</h2>
${addressRows(email)}
${asksCode && form(codeField(fault))}
${email.canSend && isUnconfirmed(email) && html`<p>${emailTexts.sendWords}</p>`}
${email.canSend && sendable(email).map((address) => form(button('send', fillText(emailTexts.send, { address }), address)))}
${!email.canSend && html`<p>${emailTexts.noMail}</p>`}</section>
${emailSection(email, form)}`,
  };
}

/** The emailed second factor among the others, with a way to its own page. */
export function emailFactorSection(realm: WebRealm, email: EmailState): SafeHtml {
  return html`<section class="half" aria-labelledby="email"><h2 id="email">${emailTexts.title}</h2>
<p>${stateOf(email)}</p>
<p><a href="${pathIn(realm, path)}" role="button" class="outline">${emailTexts.link}</a></p></section>`;
}

/** How the emailed second factor stands, and its one action. */
function emailSection(email: OwnEmail, form: (inside: SafeHtml) => SafeHtml): SafeHtml {
  const held = email.person.holdings.email;
  const action = held?.optedIn === true ? button('off', emailTexts.turnOff) : button('on', emailTexts.turnOn);
  const can = held?.optedIn === true || (email.isSecond && held?.verified === true);
  return html`<section aria-labelledby="second"><h2 id="second">${emailTexts.second}</h2>
<p>${stateOf(email)}</p>
${can && form(action)}</section>`;
}

function stateOf({ person, rules, isSecond }: EmailState): string {
  const held = person.holdings.email;
  const address = factorAddress(person, 'second', rules);
  if (!isSecond) return emailTexts.notHere;
  if (held?.verified !== true) return emailTexts.needsAddress;
  if (held.failures >= rules.emailFailureLimit) return emailTexts.offForFailures;
  return address === undefined ? emailTexts.off : fillText(emailTexts.on, { address });
}

/** The addresses that a code can be mailed to. */
export function sendable({ addresses }: OwnEmail): readonly string[] {
  return addresses.filter((address) => parseMailAddress(address) !== undefined).slice(0, addressesMax);
}

/** Whether there is an address to confirm. One that is confirmed may be confirmed once more, and nobody needs to be told how. */
function isUnconfirmed(email: OwnEmail): boolean {
  return sendable(email).some((address) => !email.confirmed.has(address.toLowerCase()));
}

const addressesMax = 10;

function addressRows({ addresses, confirmed }: OwnEmail): SafeHtml {
  if (addresses.length === 0) return html`<p>${emailTexts.noAddress}</p>`;
  return html`${facts(
    addresses.slice(0, addressesMax).map((address) => {
      if (parseMailAddress(address) === undefined) return [address, emailTexts.unfit];
      return [address, confirmed.has(address.toLowerCase()) ? emailTexts.confirmed : emailTexts.unconfirmed];
    }),
  )}`;
}

function codeField(fault: EmailPage['fault']): SafeHtml {
  const faulty = fault?.field === 'code';
  return html`<p>${emailTexts.sent}</p>
<label for="code">${emailTexts.codeLabel}</label>
<input id="code" name="code" type="text" class="code" inputmode="numeric" autocomplete="one-time-code" required autofocus aria-describedby="${faulty ? 'code-fault code-hint' : 'code-hint'}"${faulty && html` aria-invalid="true"`}>
${faulty && html`<p class="fault" id="code-fault">${fault.words}</p>`}
<p class="quiet" id="code-hint">${emailTexts.codeHint}</p>
<button type="submit" name="do" value="confirm">${emailTexts.confirm}</button>`;
}

function button(act: 'send' | 'on' | 'off', words: string, address?: string): SafeHtml {
  return html`${address !== undefined && html`<input type="hidden" name="address" value="${address}">`}<button type="submit" class="outline" name="do" value="${act}">${words}</button>`;
}
