import type { PolicyRefusal } from '#policy';
import type { Parked } from '#sessions';
import { csrfField, facts, fillText, html, notice, type Page, pathIn, type SafeHtml, type WebRealm } from '#web';
import type { Fault, StepCall } from './step.ts';
import { texts, whyTexts } from './texts.ts';

const minuteMs = 60_000;

/** The id of a step's fault, for `aria-describedby`. */
export const faultId = 'fault';

export interface StepPage {
  readonly title: string;
  /** Goes into the page's head title alone: a screen reader tells it first. */
  readonly failed?: string;
  /** What stands above the form: sentences, a picture. */
  readonly above?: SafeHtml;
  /** Labels and fields of the form, its buttons too. */
  readonly fields: SafeHtml;
  /** What stands below the form. */
  readonly below?: SafeHtml;
}

/** The page of a step: who asks, what went wrong, the form, the other ways, Cancel, and how long it waits. */
export function stepPage(call: StepCall, { title, failed, above, fields, below }: StepPage, fault?: Fault): Page {
  const { realm, id, parked, person, progress, ways, waitsUntilMs, nowMs } = call;
  const goesOn = progress.proven.length > 0;
  return {
    title: failed ?? title,
    layout: 'card',
    main: html`<h1>${title}</h1>
${askers(parked, goesOn ? (progress.userName ?? person?.dn) : undefined)}
${fault !== undefined && fault.field === undefined && notice('bad', faultId, fault.words)}
${above}
<form method="post" action="${call.action}">
<input type="hidden" name="${csrfField}" value="${call.csrfToken}">
${fields}
</form>
${below}
<p class="ways">${ways.map(({ href, words }) => html`<a href="${href}">${words}</a>\n`)}${
      goesOn && html`<a href="${loginHref(realm, id)}">${texts.startAgain}</a>\n`
    }<a href="${pathIn(realm, parked.cancelTarget)}">${texts.cancel}</a></p>
${call.mayBeStuck && html`<p class="quiet stuck">${texts.stuck}</p>`}
<p class="quiet waits">${fillText(goesOn ? texts.waitsStep : texts.waits, { minutes: minutesUntil(waitsUntilMs, nowMs) })}</p>`,
  };
}

/** Where a sign-in begins anew. */
export function loginHref(realm: WebRealm, id: string): string {
  return pathIn(realm, `/authn/login?authn=${encodeURIComponent(id)}`);
}

/** What is shown to whom the policy keeps out. */
export function refusedPage(realm: WebRealm, id: string, parked: Parked, why: PolicyRefusal): Page {
  return {
    title: texts.refusedTitle,
    layout: 'card',
    main: html`<h1>${texts.refusedTitle}</h1>
${notice('bad', faultId, whyTexts[why])}
<p>${texts.refusedAdvice}</p>
<p class="ways"><a href="${loginHref(realm, id)}">${texts.startAgain}</a>
<a href="${pathIn(realm, parked.cancelTarget)}">${texts.cancel}</a></p>`,
  };
}

/** What is shown when a step waited too long. */
export function expiredPage(realm: WebRealm, id: string, parked: Parked): Page {
  return {
    title: texts.expiredTitle,
    layout: 'card',
    main: html`<h1>${texts.expiredTitle}</h1>
<p>${texts.expiredWords}</p>
<p><a href="${loginHref(realm, id)}" role="button">${texts.startAgain}</a></p>
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

function askers({ rows }: Parked, userName: string | undefined): SafeHtml | false {
  const all = [
    ...rows.map(({ label, value }) => [label, value] as const),
    ...(userName === undefined ? [] : [[texts.signingInAs, userName] as const]),
  ];
  return all.length > 0 && facts(all);
}

function minutesUntil(thenMs: number, nowMs: number): string {
  const count = Math.max(1, Math.round((thenMs - nowMs) / minuteMs));
  return count === 1 ? texts.minute : fillText(texts.minutes, { count });
}
