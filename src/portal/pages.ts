import { verifiesPasswords } from '#policy';
import type { Session } from '#sessions';
import { csrfField, facts, html, notice, type Page, type Piece, pathIn, type SafeHtml, type WebRealm } from '#web';
import { methodTexts, texts } from './texts.ts';
import { timeHtml } from './times.ts';

/** A person's entry as the directory shows it to themselves. */
export interface OwnEntry {
  readonly dn: string;
  all(attribute: string): readonly string[];
}

export interface Home {
  readonly realm: WebRealm;
  readonly entry: OwnEntry;
  readonly session: Session;
  /** The person's sessions in other browsers, the one used last first. */
  readonly others: readonly Session[];
  /** True when there are others yet. */
  readonly moreOthers: boolean;
  readonly nowMs: number;
  readonly csrfToken: string;
  /** Where the directory answers LDAP; `undefined` when it does not. */
  readonly ldapUrl: string | undefined;
}

/** What is shown of an entry, in this order, when it is there. */
const shown: readonly (readonly [attribute: string, label: string])[] = [
  ['uid', texts.userName],
  ['cn', texts.name],
  ['mail', texts.mail],
  ['telephoneNumber', texts.phone],
  ['mobile', texts.mobile],
  ['title', texts.role],
  ['departmentNumber', texts.departmentNumber],
  ['ou', texts.department],
  ['employeeNumber', texts.employeeNumber],
];

/** The attributes that the page asks the directory for. */
export const shownAttributes: readonly string[] = [
  ...shown.map(([attribute]) => attribute),
  'displayName',
  'manager',
  'memberOf',
  'entryUUID',
];

export function homePage({ realm, entry, session, others, moreOthers, nowMs, csrfToken, ldapUrl }: Home): Page {
  const name = entry.all('displayName')[0] ?? entry.all('cn')[0] ?? entry.all('uid')[0] ?? entry.dn;
  return {
    title: texts.title,
    layout: 'wide',
    corner: html`<div class="corner"><span>${name}</span>
${action(pathIn(realm, '/portal/sign-out'), texts.signOut, csrfToken)}</div>`,
    main: html`<h1>${name}</h1>
<section aria-labelledby="who"><h2 id="who">${texts.whoTitle}</h2>
${facts(entryRows(entry))}
${ldapUrl !== undefined && terminal(entry.dn, ldapUrl)}</section>
<section class="half" aria-labelledby="how"><h2 id="how">${texts.howTitle}</h2>
${facts([
  [texts.password, verifiesPasswords(realm.mode) ? texts.passwordWords : texts.passwordUnchecked],
  [texts.factors, html`<a href="${pathIn(realm, '/portal/mfa')}">${texts.factorsWords}</a>`],
  [texts.keys, html`<a href="${pathIn(realm, '/portal/keys')}">${texts.keysWords}</a>`],
])}</section>
<section class="half" aria-labelledby="where"><h2 id="where">${texts.whereTitle}</h2>
${facts(sessionRows(session, html`<span class="tag">${texts.thisBrowser}</span>`, nowMs))}
${others.map((other) => facts(sessionRows(other, texts.otherBrowser, nowMs)))}
${moreOthers && html`<p class="quiet">${texts.moreOthers}</p>`}
${others.length > 0 && action(pathIn(realm, '/portal/sign-out-elsewhere'), texts.signOutElsewhere, csrfToken)}</section>`,
  };
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

function entryRows(entry: OwnEntry): readonly (readonly [string, Piece])[] {
  const rows = shown.map(([attribute, label]): readonly [string, Piece] => [label, list(entry.all(attribute))]);
  const named = [
    [texts.manager, list(entry.all('manager').map(nameOf))],
    [texts.groups, list(entry.all('memberOf').map(nameOf))],
    [texts.dn, html`<code>${entry.dn}</code>`],
    [texts.entryId, list(entry.all('entryUUID').map((id) => html`<code>${id}</code>`))],
  ] as const;
  return [...rows, ...named].filter(([, value]) => value !== undefined);
}

function sessionRows(
  { events, createdMs, lastUsedMs, endsAtMs }: Session,
  browser: Piece,
  nowMs: number,
): readonly (readonly [string, Piece])[] {
  const ways = [...new Set(events.flatMap(({ amr, mechanisms }) => mechanisms ?? amr))].map((way) => methodTexts[way] ?? way);
  return [
    [texts.session, browser],
    [texts.since, timeHtml(createdMs, nowMs)],
    [texts.from, [...new Set(events.map(({ address }) => address))].join(', ')],
    [texts.lastUsed, timeHtml(lastUsedMs, nowMs)],
    [texts.until, timeHtml(endsAtMs, nowMs)],
    [texts.way, ways.join(', ')],
  ];
}

/** A form that is one button. */
function action(path: string, words: string, csrfToken: string): SafeHtml {
  return html`<form method="post" action="${path}"><input type="hidden" name="${csrfField}" value="${csrfToken}"><button type="submit" class="outline">${words}</button></form>`;
}

function list(values: readonly Piece[]): Piece {
  if (values.length === 0) return undefined;
  return values.length === 1 ? values[0] : html`<ul>${values.map((value) => html`<li>${value}</li>`)}</ul>`;
}

/** What people call the entry of a DN: the value of its first RDN. */
function nameOf(dn: string): string {
  return /^[^=]+=((?:\\.|[^,+\\])*)/.exec(dn)?.[1]?.replace(/\\([^0-9a-fA-F])/g, '$1') ?? dn;
}

function terminal(dn: string, ldapUrl: string): SafeHtml {
  const command = [`ldapsearch -H ${ldapUrl} -x -W`, `-D ${quoted(dn)}`, `-b ${quoted(dn)}`, "-s base '*' memberOf entryUUID"].join(
    ' \\\n  ',
  );
  return html`<details><summary>${texts.terminal}</summary><p>${texts.terminalWords}</p><pre tabindex="0"><code>${command}</code></pre></details>`;
}

/** A word of a shell, whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
