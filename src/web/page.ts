import { verifiesPasswords } from '#policy';
import type { Assets } from './assets.ts';
import { html, htmlText, type Piece, type SafeHtml } from './html.ts';
import { pathIn, type WebRealm } from './realm.ts';
import { texts } from './texts.ts';

/** What a room says of a page; the shell around it is the same everywhere. */
export interface Page {
  /** Names the page; realm and service are added. */
  readonly title: string;
  /** `card` for one thing to do, `wide` for a page of sections, `console` for one of many with the way to the others at its left. */
  readonly layout: 'card' | 'wide' | 'console';
  /** Begins with the page's one `h1`. */
  readonly main: SafeHtml;
  /** At the right end of the header of a wide page: who one is, the way out. */
  readonly corner?: SafeHtml;
  /** The way to the pages beside this one: a `nav` between header and content. */
  readonly nav?: SafeHtml;
  /** A path of the realm: the script of this page, which no other may run. */
  readonly script?: string;
  /** Origins, or schemes (`app:`), beyond this service to which the answer to a form of this page may lead on. */
  readonly leadsTo?: readonly string[];
}

/** The whole document of a page. */
export function renderPage({ title, layout, main, corner, nav, script }: Page, assets: Assets, realm: WebRealm): string {
  const { name, mode } = realm;
  return `<!doctype html>\n${htmlText(html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${name} · ${texts.service}</title>
<link rel="icon" href="${assets.mark.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.pico.path}">
<link rel="stylesheet" href="${assets.style.path}">
${layout === 'console' && html`<link rel="stylesheet" href="${assets.console.path}">`}
${script !== undefined && html`<script src="${pathIn(realm, script)}" defer></script>`}
</head>
<body class="${classes(layout)}${nav !== undefined && ' framed'}">
<a class="skip" href="#content">${texts.skip}</a>
${!verifiesPasswords(mode) && html`<aside class="band" aria-label="Mode"><p>${texts.developmentBand}</p></aside>`}
<header>
<div class="brand"><img src="${assets.mark.path}" alt="" width="36" height="36"><span>${name}</span></div>
${corner}
</header>
${nav}
<main id="content" tabindex="-1">
${main}
</main>
<footer><p>${name} · ${texts.service}</p></footer>
</body>
</html>
`)}`;
}

/** A page of the console is one of sections before it is anything else. */
function classes(layout: Page['layout']): string {
  return layout === 'console' ? 'wide console' : layout;
}

/** Rows of a name and what it is. */
export function facts(rows: readonly (readonly [name: string, value: Piece])[]): SafeHtml {
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A row of a list of things: what it is called, what is known of it, and what one can do with it. */
export interface ThingRow {
  readonly name: Piece;
  /** Each a line below the name. */
  readonly lines: readonly Piece[];
  readonly action?: Piece;
}

/** Things of one kind, one row each. */
export function things(rows: readonly ThingRow[]): SafeHtml {
  return html`<ul class="things">${rows.map(
    ({ name, lines, action }) =>
      html`<li><div><strong>${name}</strong>${lines.map((line) => html`<p>${line}</p>`)}</div>${
        action !== undefined && html`<div class="act">${action}</div>`
      }</li>`,
  )}</ul>`;
}

/** A sentence above a form or a page about how something went: what happened, and what to do next. */
export function notice(state: 'good' | 'careful' | 'bad', id: string, words: Piece): SafeHtml {
  return html`<div class="notice ${state}" id="${id}" role="${state === 'good' ? 'status' : 'alert'}"><p>${words}</p></div>`;
}
