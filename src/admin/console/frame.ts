import type { ErrorRow } from '#catalogue';
import { csrfField, type Handler, html, type Page, type Piece, pathIn, type Reply, type SafeHtml, type WebRequest } from '#web';
import { errors } from '../errors.ts';
import { type Admin, findAdmin, type GateDeps, json, type Needs, recordRefusal, wantsJson } from './gate.ts';
import { stalePage } from './parts.ts';
import { groups, type Place, placesIn } from './places.ts';
import { texts } from './texts.ts';

/** What a page of the console says; gate, frame and the JSON form are the same for all of them. */
export interface Drawn {
  readonly title: string;
  /** Begins with the page's one `h1`. */
  readonly main: SafeHtml;
  /** What `?format=json` answers; a page without it has no such form. */
  readonly json?: unknown;
  readonly status?: number;
  readonly error?: NonNullable<Reply['error']>;
}

export type Act = (request: WebRequest, admin: Admin) => Promise<Drawn | Reply>;

/** A handler of a page of the console. */
export function consolePage(deps: GateDeps, needs: Needs, act: Act): Handler {
  return async (request) => {
    const found = await findAdmin(deps, request, needs);
    if (found.kind === 'reply') {
      if (found.reply.error !== undefined) recordRefusal(deps, request, '', found.reply.error);
      return found.reply;
    }
    const drawn = await act(request, found.admin);
    if ('kind' in drawn) return drawn;
    if (isOwnError(drawn.error)) recordRefusal(deps, request, found.admin.acting.dn, drawn.error);
    if (wantsJson(request) && 'json' in drawn)
      return { ...json(drawn.status ?? 200, drawn.json), ...(drawn.error === undefined ? {} : { error: drawn.error }) };
    return framed(deps, request, found.admin, drawn);
  };
}

/** What an operation refused stands in the trail already. */
function isOwnError(error: ErrorRow | undefined): error is ErrorRow {
  return error !== undefined && [errors.thingAbsent, errors.formUnfit, errors.signInOld].includes(error);
}

/** The same for a form, once its token is found to be theirs. */
export function consoleForm(
  deps: GateDeps,
  needs: Needs,
  act: (request: WebRequest, admin: Admin, form: URLSearchParams) => Promise<Drawn | Reply>,
): Handler {
  return consolePage(deps, needs, async (request, admin) => {
    const { form, refused } = await request.openForm(() => admin.subject);
    if (refused !== undefined) return { kind: 'page', status: 403, page: stalePage(request.realm), error: refused };
    return act(request, admin, form);
  });
}

/** Puts what every page of the console has around one. */
function framed({ places }: GateDeps, request: WebRequest, admin: Admin, { title, main, status, error }: Drawn): Reply {
  const page: Page = {
    title,
    layout: 'console',
    main,
    corner: corner(request, admin),
    nav: navigation(placesIn(places, request.realm, admin.role), request),
  };
  return { kind: 'page', page, ...(status === undefined ? {} : { status }), ...(error === undefined ? {} : { error }) };
}

function corner({ realm }: WebRequest, { name, role, csrfToken }: Admin): SafeHtml {
  return html`<div class="corner"><form role="search" method="get" action="${pathIn(realm, '/admin/users')}">
<input type="search" name="q" aria-label="${texts.searchLabel}" placeholder="${texts.searchHint}"><button type="submit" class="outline">${texts.search}</button></form>
<span>${name} · ${texts.roles[role]}</span>
<form method="post" action="${pathIn(realm, '/portal/sign-out')}"><input type="hidden" name="${csrfField}" value="${csrfToken}"><button type="submit" class="outline">${texts.signOut}</button></form></div>`;
}

/** Seven groups; of the one that one is in, its pages. */
function navigation(all: readonly Place[], { realm, path }: WebRequest): SafeHtml {
  const here = all
    .filter(({ path: place }) => path === place || path.startsWith(`${place}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  const item = (to: string, words: Piece, current: Piece, more: Piece = undefined) =>
    html`<li><a href="${pathIn(realm, to)}"${current}>${words}</a>${more}</li>`;
  const items = groups.flatMap((group) => {
    const places = all.filter((place) => place.group === group);
    const [first] = places;
    if (first === undefined) return [];
    const isHere = here?.group === group;
    const pages = places.map((place) => item(place.path, place.words, here === place && html` aria-current="page"`));
    const isOnly = places.length === 1;
    return item(first.path, group, isHere && isOnly && html` aria-current="page"`, isHere && !isOnly && html`<ul>${pages}</ul>`);
  });
  return html`<nav class="groups" aria-label="${texts.navLabel}"><ul>${item('/admin', texts.home, path === '/admin' && html` aria-current="page"`)}${items}</ul></nav>`;
}
