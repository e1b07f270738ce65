import { csrfField, facts, html, type Page, pathIn, type WebRealm } from '#web';
import { texts } from './texts.ts';

/** What is shown of a request that leads nowhere: there is no address to which it could be answered. */
export function errorPage(error: string, description: string, reference: string): Page {
  return {
    title: texts.errorTitle,
    layout: 'card',
    main: html`<h1>${texts.errorTitle}</h1>
<p>${texts.errorWords}</p>
${facts([
  [texts.errorWhy, description === '' ? error : `${error}: ${description}`],
  [texts.reference, reference],
])}`,
  };
}

/** Asks whether somebody wants to be signed out, for whom an application asks without saying who they are. */
export function signOutPage(
  realm: WebRealm,
  fields: Readonly<Record<string, string>>,
  csrfToken: string,
  action: string,
  leadsTo: readonly string[],
  again: boolean,
): Page {
  return {
    title: texts.signOutTitle,
    layout: 'card',
    leadsTo,
    main: html`<h1>${texts.signOutTitle}</h1>
${again && html`<p role="alert">${texts.stale}</p>`}
<p>${texts.signOutWords}</p>
<form method="post" action="${action}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit" name="logout" value="yes">${texts.signOut}</button>
</form>
<p class="ways"><a href="${pathIn(realm, '/portal')}">${texts.stay}</a></p>`,
  };
}
