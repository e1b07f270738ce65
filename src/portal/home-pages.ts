import { type AppPassword, appPasswordAttributes, type Holdings } from '#holdings';
import { verifiesPasswords } from '#policy';
import type { Session, Use } from '#sessions';
import { facts, html, type Page, type Piece, pathIn, readTime, type SafeHtml, things, type WebRealm } from '#web';
import { formButton } from './frame.ts';
import { appPasswordRows, factorRows, passwordRow } from './home-factors.ts';
import { hasPassword, type OwnEntry } from './pages.ts';
import { sessionRow } from './sessions-pages.ts';
import { texts } from './texts.ts';
import type { Todo } from './todo.ts';

export interface Home {
  readonly realm: WebRealm;
  readonly entry: OwnEntry;
  readonly holdings: Holdings;
  readonly appPasswords: readonly AppPassword[];
  /** When each mechanism last signed them in. */
  readonly uses: ReadonlyMap<string, Use>;
  /** When the password expires; `undefined` for one that does not. */
  readonly passwordExpiresMs: number | undefined;
  readonly todo: readonly Todo[];
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
  'stsHasPassword',
  'pwdChangedTime',
  ...appPasswordAttributes,
];

/** One overview: who I am here, what I sign in with, what needs doing, where I am signed in. */
export function homePage({
  realm,
  entry,
  holdings,
  appPasswords,
  uses,
  passwordExpiresMs: expiresMs,
  todo,
  session,
  others,
  moreOthers,
  nowMs,
  csrfToken,
  ldapUrl,
}: Home): Page {
  const isChecked = verifiesPasswords(realm.mode);
  const password = { isChecked, has: hasPassword(entry), changedMs: readTime(entry.all('pwdChangedTime')[0]), expiresMs };
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${nameOfEntry(entry)}</h1>
<section aria-labelledby="todo"><h2 id="todo">${texts.todoTitle}</h2>
${todo.length === 0 ? html`<p>${texts.todoNothing}</p>` : todoList(realm, todo)}</section>
<section aria-labelledby="how"><h2 id="how">${texts.howTitle}</h2>
${things([passwordRow(realm, password, uses, nowMs), ...factorRows(realm, holdings, uses, nowMs), ...appPasswordRows(realm, appPasswords, nowMs)])}</section>
<section class="half" aria-labelledby="where"><h2 id="where">${texts.whereTitle}</h2>
${things([sessionRow(session, true, nowMs), ...others.map((other) => sessionRow(other, false, nowMs))])}
${moreOthers && html`<p class="quiet">${texts.moreOthers}</p>`}
${others.length > 0 && formButton(realm, '/portal/sign-out-elsewhere', texts.signOutElsewhere, csrfToken)}
${others.length > 0 && html`<p class="ways"><a href="${pathIn(realm, '/portal/sessions')}">${texts.allSessions}</a></p>`}</section>
<section class="half" aria-labelledby="who"><h2 id="who">${texts.whoTitle}</h2>
${facts(entryRows(entry))}
${ldapUrl !== undefined && terminal(entry.dn, ldapUrl)}</section>`,
  };
}

function nameOfEntry(entry: OwnEntry): string {
  return entry.all('displayName')[0] ?? entry.all('cn')[0] ?? entry.all('uid')[0] ?? entry.dn;
}

function todoList(realm: WebRealm, todo: readonly Todo[]): SafeHtml {
  return things(
    todo.map(({ name, words, act, path }) => ({
      name,
      lines: [words],
      action: html`<a href="${pathIn(realm, path)}" role="button">${act}<span class="off">: ${name}</span></a>`,
    })),
  );
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
