import type { ErrorRow } from '#catalogue';
import { csrfField, fillText, html, notice, type Page, type Piece, pathIn, type SafeHtml, type WebRealm } from '#web';
import { texts } from './texts.ts';

/** A column of a list. */
export interface Column<T> {
  readonly head: string;
  readonly of: (row: T) => Piece;
  /** Right-aligned, in figures of one width. */
  readonly number?: true;
}

/** A list as a table whose first column names the row; on a phone a row is a block of lines. */
export function table<T>(caption: string, rows: readonly T[], columns: readonly Column<T>[]): SafeHtml {
  const cell = (row: T, { head, of, number }: Column<T>, nth: number) => {
    const content = of(row);
    if (nth === 0) return html`<th scope="row">${content}</th>`;
    const isEmpty = content === undefined || content === '' || content === false;
    return html`<td${!isEmpty && html` data-label="${head}"`}${number === true && html` class="number"`}>${content}</td>`;
  };
  return html`<div class="table" tabindex="0" role="group" aria-label="${caption}"><table class="stacked"><caption class="off">${caption}</caption><thead><tr>${columns.map(
    ({ head, number }) => html`<th scope="col"${number === true && html` class="number"`}>${head}</th>`,
  )}</tr></thead><tbody>${rows.map((row) => html`<tr>${columns.map((column, nth) => cell(row, column, nth))}</tr>`)}</tbody></table></div>`;
}

export interface Paging {
  readonly realm: WebRealm;
  readonly path: string;
  /** What the list is asked with, beside the place in it. */
  readonly query: Readonly<Record<string, string>>;
  /** Place of the first row that is shown, from 1. */
  readonly from: number;
  readonly shown: number;
  readonly count?: { readonly of: number; readonly isAtLeast: boolean };
  /** What the next page is asked with; `undefined` on the last. */
  readonly next?: Readonly<Record<string, string>> | undefined;
}

/** Which part of a list this is, and the way to the others. */
export function pager({ realm, path, query, from, shown, count, next }: Paging): SafeHtml {
  const values = { from: figure(from), to: figure(from + shown - 1), count: figure(count?.of ?? 0) };
  const words = count === undefined ? texts.shownSome : count.isAtLeast ? texts.shownMore : texts.shown;
  const link = (more: Readonly<Record<string, string>>, text: string) =>
    html`<a href="${hrefOf(realm, path, { ...query, ...more })}">${text}</a>`;
  return html`<div class="pager">${shown > 0 && html`<p>${fillText(words, values)}</p>`}${from > 1 && link({}, texts.first)}${next !== undefined && link(next, texts.next)}</div>`;
}

/** What is said to an address that leads to no place of its list, with the way to its beginning. */
export function lostNotice(realm: WebRealm, path: string, query: Readonly<Record<string, string>> = {}): SafeHtml {
  return html`${notice('bad', 'lost', texts.lost)}<p class="ways"><a href="${hrefOf(realm, path, query)}">${texts.first}</a></p>`;
}

const figures = new Intl.NumberFormat('en-US');

/** A number as people read it: 12,345. */
export function figure(value: number): string {
  return figures.format(value);
}

/** A path of the realm with a query; what is empty is left out. */
export function hrefOf(realm: WebRealm, path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined && each[1] !== '');
  // No address holds a control character (STS-HTTP-0011): of several lines each is given by itself.
  const text = new URLSearchParams(given.flatMap(([name, value]) => value.split('\n').map((line) => [name, line]))).toString();
  return pathIn(realm, path) + (text === '' ? '' : `?${text}`);
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'search' | 'number' | 'password' | 'date' | 'lines' | 'words' | 'box' | 'choice' | 'file';
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
  readonly required?: boolean;
  /** Of a choice: the value, and its words. */
  readonly choices?: readonly (readonly [value: string, words: string])[];
  /** What is wrong with what was given. */
  readonly fault?: string | undefined;
  /** Tells its form from the others of a page, where names repeat. */
  readonly at?: string | undefined;
}

/** One field of a form, with its hint and its fault. */
export function field({ name, label, kind, hint, value = '', required = false, choices = [], fault, at = 'field' }: Field): SafeHtml {
  const id = `${at}-${name}`.replace(/[^\w-]/g, '-');
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter((each) => each !== false).join(' ');
  const common = html` id="${id}" name="${name}"${required && kind !== 'box' && html` required`}${described !== '' && html` aria-describedby="${described}"`}${fault !== undefined && html` aria-invalid="true"`}`;
  const told = html`${hint !== undefined && html`<p class="quiet" id="${id}-hint">${hint}</p>`}${fault !== undefined && html`<p class="fault" id="${id}-fault">${fault}</p>`}`;
  if (kind === 'box')
    return html`<div class="box"><input type="checkbox" value="true"${common}${value === 'true' && html` checked`}><label for="${id}">${label}</label>${told}</div>`;
  return html`<label for="${id}">${label}</label>${control(kind, common, value, choices)}${told}`;
}

function control(kind: Exclude<Field['kind'], 'box'>, common: SafeHtml, value: string, choices: NonNullable<Field['choices']>): SafeHtml {
  switch (kind) {
    case 'choice':
      return html`<select${common}>${choices.map(([each, words]) => html`<option value="${each}"${each === value && html` selected`}>${words}</option>`)}</select>`;
    case 'lines':
      return html`<textarea rows="6" spellcheck="false"${common}>${'\n'}${value}</textarea>`;
    case 'words':
      return html`<textarea rows="3"${common}>${'\n'}${value}</textarea>`;
    case 'password':
      return html`<input type="password" autocomplete="new-password"${common}>`;
    case 'number':
      return html`<input type="text" inputmode="numeric" value="${value}"${common}>`;
    case 'text':
    case 'search':
    case 'date':
    case 'file':
      return html`<input type="${kind}" value="${value}" autocomplete="off"${common}>`;
  }
}

export interface FormOptions {
  readonly realm: WebRealm;
  readonly path: string;
  readonly csrfToken: string;
  readonly verb: string;
  readonly fields?: readonly SafeHtml[];
  readonly hidden?: Readonly<Record<string, string>>;
  /** `danger` for what destroys. */
  readonly look?: 'primary' | 'outline' | 'danger';
  /** What is read aloud behind the verb, where there are several of it. */
  readonly about?: string | undefined;
}

/** A form with one verb. */
export function form({ realm, path, csrfToken, verb, fields = [], hidden = {}, look = 'primary', about }: FormOptions): SafeHtml {
  const told = Object.entries({ [csrfField]: csrfToken, ...hidden }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${pathIn(realm, path)}"${fields.length > 0 && html` class="fields"`}>${told}${fields}<button type="submit"${
    look !== 'primary' && html` class="${look}"`
  }>${verb}${about !== undefined && html`<span class="off"> ${about}</span>`}</button></form>`;
}

/** A line of a list's filter: fields of a form that asks for the list again. */
export function filterForm(realm: WebRealm, path: string, fields: readonly SafeHtml[]): SafeHtml {
  return html`<form class="filter" method="get" action="${pathIn(realm, path)}">${fields.map((each) => html`<div>${each}</div>`)}<button type="submit">${texts.apply}</button></form>`;
}

/** A state in a word, which never speaks by colour alone. */
export function state(look: 'good' | 'careful' | 'bad', words: string): SafeHtml {
  return html`<span class="state ${look}">${words}</span>`;
}

/** A section with its heading. */
export function section(id: string, title: string, ...content: readonly Piece[]): SafeHtml {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

/** The way back up from a page. */
export function crumbs(realm: WebRealm, ways: readonly (readonly [path: string, words: string])[]): SafeHtml {
  return html`<p class="crumbs">${ways.map(([path, words], nth) => html`${nth > 0 && html`<span aria-hidden="true">›</span>`}<a href="${pathIn(realm, path)}">${words}</a>`)}</p>`;
}

/** Whom the door does not let in, and what to do. */
export function refusedPage(realm: WebRealm, [title, advice]: readonly [title: string, advice: string]): Page {
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1><p>${advice}</p><p class="ways"><a href="${pathIn(realm, '/portal')}">${texts.toPortal}</a></p>`,
  };
}

export function stalePage(realm: WebRealm): Page {
  const [title, advice] = texts.stale;
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>${notice('bad', 'stale', advice)}<p class="ways"><a href="${pathIn(realm, '/admin')}">${texts.toConsole}</a></p>`,
  };
}

/** A page for what is not there, or not to be seen. */
export function absent(error: ErrorRow): {
  readonly title: string;
  readonly main: SafeHtml;
  readonly status: number;
  readonly error: ErrorRow;
  readonly json: unknown;
} {
  const [title, advice] = texts.absent;
  return { title, main: html`<h1>${title}</h1><p>${advice}</p>`, status: 404, error, json: { error: 'not_found' } };
}
