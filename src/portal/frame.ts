import { text } from '#base';
import { parseDn } from '#ldap';
import { csrfField, type Handler, html, type Piece, pathIn, type Reply, type SafeHtml, type WebRealm, type WebRequest } from '#web';
import { findOwn, type Own, type OwnDeps } from './own.ts';
import { stalePage } from './pages.ts';
import { texts } from './texts.ts';

/** The portal's places, as every page of it leads to them. */
const places: readonly (readonly [path: string, words: string])[] = [
  ['/portal', texts.navHome],
  ['/portal/password', texts.navPassword],
  ['/portal/mfa', texts.navFactors],
  ['/portal/keys', texts.navKeys],
  ['/portal/app-passwords', texts.navAppPasswords],
  ['/portal/delegate', texts.navDelegate],
  ['/portal/consents', texts.navConsents],
  ['/portal/sessions', texts.navSessions],
];

/** Which page of one's own, and what it takes. */
export interface Place {
  /** An authentication that has just been made: something that one signs in with is changed. */
  readonly fresh: boolean;
  /** Where that leads, since nothing that was posted is kept. */
  readonly back: string;
}

/** Answers who asks for a page of their own, and shows them the way to the others. */
export function ownHandler(deps: OwnDeps, place: Place, act: (request: WebRequest, own: Own) => Promise<Reply>): Handler {
  return async (request) => {
    const found = await findOwn(deps, request, place);
    if (found.kind === 'reply') return found.reply;
    return framed(request, { name: userNameOf(found.own.person), csrfToken: found.own.csrfToken }, await act(request, found.own));
  };
}

/** The same for a form, once its token is found to be theirs. */
export function ownForm(
  deps: OwnDeps,
  place: Place,
  act: (request: WebRequest, own: Own, form: URLSearchParams) => Promise<Reply>,
): Handler {
  return ownHandler(deps, place, async (request, own) => {
    const { form, refused } = await request.openForm(() => own.subject);
    if (refused !== undefined) return { kind: 'page', status: 403, page: stalePage(request.realm), error: refused };
    return act(request, own, form);
  });
}

/** Puts what every page of the portal has around one. */
export function framed(
  { realm, path }: Pick<WebRequest, 'realm' | 'path'>,
  { name, csrfToken }: { readonly name: string; readonly csrfToken: string },
  reply: Reply,
): Reply {
  if (reply.kind !== 'page') return reply;
  const corner = html`<div class="corner"><span>${name}</span>
${formButton(realm, '/portal/sign-out', texts.signOut, csrfToken)}</div>`;
  return { ...reply, page: { ...reply.page, corner, nav: navigation(realm, path) } };
}

function navigation(realm: WebRealm, path: string): SafeHtml {
  const isHere = (place: string) => (place === '/portal' ? path === place : path === place || path.startsWith(`${place}/`));
  return html`<nav class="places" aria-label="${texts.navLabel}"><ul>${places.map(
    ([place, words]) => html`<li><a href="${pathIn(realm, place)}"${isHere(place) && html` aria-current="page"`}>${words}</a></li>`,
  )}</ul></nav>`;
}

export interface FormButton {
  /** Fields that go with it. */
  readonly fields?: Readonly<Record<string, string>>;
  /** What is read aloud behind the words, where there are several of them. */
  readonly about?: string;
  readonly primary?: true;
}

/** A form that is one button. */
export function formButton(realm: WebRealm, path: string, words: string, csrfToken: string, more: FormButton = {}): SafeHtml {
  const { fields = {}, about, primary } = more;
  const hidden = Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  const told: Piece = about !== undefined && html`<span class="off"> ${about}</span>`;
  return html`<form method="post" action="${pathIn(realm, path)}"><input type="hidden" name="${csrfField}" value="${csrfToken}">${hidden}<button type="submit"${
    primary !== true && html` class="outline"`
  }>${words}${told}</button></form>`;
}

/** What somebody signs in with, as people say it. */
export function userNameOf({ dn }: { readonly dn: string }): string {
  const value = parseDn(dn)?.[0]?.[0]?.value;
  return (value && text(value)) ?? dn;
}
