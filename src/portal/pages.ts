import { html, notice, type Page, pathIn, type SafeHtml, type WebRealm } from '#web';
import { texts } from './texts.ts';

/** A person's entry as the directory shows it to themselves. */
export interface OwnEntry {
  readonly dn: string;
  all(attribute: string): readonly string[];
}

/** Whether there is a password to be asked for before it is changed; where that is not told, there is. */
export function hasPassword(entry: OwnEntry | undefined): boolean {
  return entry?.all('stsHasPassword')[0]?.toUpperCase() !== 'FALSE';
}

export function cancelledPage(realm: WebRealm): Page {
  return single(realm, texts.cancelledTitle, texts.cancelledWords, texts.signIn);
}

/** What somebody sees who went on without signing in. */
export function anonymousPage(realm: WebRealm): Page {
  return {
    title: texts.anonymousTitle,
    layout: 'card',
    main: html`<h1>${texts.anonymousTitle}</h1>
<p>${texts.anonymousWords}</p>
<p><a href="${pathIn(realm, '/portal?prompt=login')}" role="button">${texts.signIn}</a></p>`,
  };
}

export function signedOutPage(realm: WebRealm): Page {
  return {
    title: texts.signedOutTitle,
    layout: 'card',
    main: html`<h1>${texts.signedOutTitle}</h1>
${notice('good', 'done', texts.signedOutWords)}
${way(realm, texts.signInAgain)}`,
  };
}

/** The answer to a form whose token is refused. */
export function stalePage(realm: WebRealm): Page {
  return single(realm, texts.staleTitle, texts.staleWords, texts.back);
}

function single(realm: WebRealm, title: string, words: string, action: string): Page {
  return { title, layout: 'card', main: html`<h1>${title}</h1>\n<p>${words}</p>\n${way(realm, action)}` };
}

function way(realm: WebRealm, action: string): SafeHtml {
  return html`<p><a href="${pathIn(realm, '/portal')}" role="button">${action}</a></p>`;
}
