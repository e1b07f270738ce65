import type { ErrorRow } from '#catalogue';
import { errors } from './errors.ts';
import { html } from './html.ts';
import type { Page } from './page.ts';
import { pathIn, type WebRealm } from './realm.ts';
import { apiErrorTexts, errorTextStanding, errorTexts, fillText, protectionText, removedText, texts } from './texts.ts';

/** The page of a refusal or failure: what happened in words, what to do, and a reference that an operator finds in the audit trail. */
export function errorPage(status: number, error: ErrorRow, reference: string, realm: WebRealm): Page {
  const [title, advice] = errorWords(status, error);
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
<p>${advice}</p>
<p class="quiet">${fillText(texts.reference, { reference })}</p>
${error !== errors.realmRemoved && html`<p><a href="${pathIn(realm, '/portal')}" role="button" class="outline">${texts.home}</a></p>`}`,
  };
}

/** The same for a client that asked for JSON. */
export function errorJson(status: number, error: ErrorRow, reference: string): string {
  const [title] = errorWords(status, error);
  return `${JSON.stringify({ status, title, reference })}\n`;
}

/** The same below an API that says what is wrong member by member, in words for programs and those who write them. */
export function errorOfApi(status: number, error: ErrorRow, reference: string): string {
  const message = (apiErrorTexts[status] ?? errorWords(status, error)).join('. ');
  return `${JSON.stringify({ ok: false, errors: [{ message }], reference })}\n`;
}

/** The same for those that the specification wants told in plain text. */
export function errorText(status: number, error: ErrorRow): string {
  return `${errorWords(status, error).join('. ')}\n`;
}

/** True when an Accept header asks for JSON rather than for a page (RFC 9110 §12.5.1). */
export function prefersJson(accept: string | undefined): boolean {
  return weight(accept, /^application\/(?:[\w.+-]+\+)?json$/) > weight(accept, /^(?:text\/html|application\/xhtml\+xml)$/);
}

function weight(accept: string | undefined, type: RegExp): number {
  let most = 0;
  for (const range of (accept ?? '').split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (!type.test(name)) continue;
    const q = Number(parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1]).find((found) => found !== undefined) ?? 1);
    if (q > most) most = q;
  }
  return most;
}

function errorWords(status: number, error: ErrorRow): readonly [title: string, advice: string] {
  if (error === errors.protectionNeeded) return protectionText;
  if (error === errors.realmRemoved) return removedText;
  return errorTexts[status] ?? errorTextStanding;
}
