import { type AppPassword, type AppPasswordScope, appPasswordScopes } from '#holdings';
import {
  csrfField,
  facts,
  fillText,
  html,
  notice,
  type Page,
  type Piece,
  pathIn,
  type SafeHtml,
  type ThingRow,
  things,
  timeHtml,
  type WebRealm,
} from '#web';
import { expiryTexts, scopeTexts, appPasswordsTexts as texts } from './app-passwords-texts.ts';
import { formButton } from './frame.ts';
import { isProgram, type ProgramId, programOf, programs } from './programs.ts';

export type AppPasswordsDone = keyof typeof texts.after;

export function appPasswordsDoneOf(given: string | null): AppPasswordsDone | undefined {
  return (Object.keys(texts.after) as AppPasswordsDone[]).find((each) => each === given);
}

/** What was typed, to be shown again. */
export interface AppPasswordTyped {
  readonly program: ProgramId;
  readonly name: string;
  readonly scopes: readonly AppPasswordScope[];
  readonly expires: keyof typeof expiryTexts;
  readonly networks: string;
}

export type AppPasswordField = 'name' | 'scopes' | 'networks';

export interface AppPasswordsList {
  readonly realm: WebRealm;
  readonly all: readonly AppPassword[];
  /** Whether one more may be made. */
  readonly makes: 'yes' | 'off' | 'full';
  /** Programs that ask for a password alone do not take the person's own. */
  readonly ownRefused: boolean;
  readonly typed: AppPasswordTyped;
  readonly done: AppPasswordsDone | undefined;
  readonly fault: { readonly words: string; readonly field?: AppPasswordField } | undefined;
  readonly csrfToken: string;
  readonly nowMs: number;
}

/** The list, and the form that makes one. */
export function appPasswordsPage(list: AppPasswordsList): Page {
  const { realm, all, makes, ownRefused, done, fault, nowMs } = list;
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${texts.title}</h1>
${done !== undefined && notice('good', 'done', texts.after[done])}
${fault !== undefined && fault.field === undefined && notice('bad', 'fault', fault.words)}
<p>${texts.words}</p>
${ownRefused && html`<p>${texts.ownRefused}</p>`}
<section aria-labelledby="yours"><h2 id="yours">${texts.yours}</h2>
${all.length === 0 ? html`<p>${texts.none}</p>` : things(all.map((one) => ({ ...appPasswordRow(one, nowMs), action: revokeLink(realm, one) })))}
${all.length > 1 && html`<p class="ways"><a href="${pathIn(realm, '/portal/app-passwords/revoke?all=yes')}">${texts.revokeAll}</a></p>`}</section>
<section aria-labelledby="make"><h2 id="make">${texts.make}</h2>
${makes === 'off' && html`<p>${texts.off}</p>`}
${makes === 'full' && html`<p>${texts.full}</p>`}
${makes === 'yes' && makeForm(list)}</section>`,
  };
}

/** One app password: what it is good for, when and from where it was last used. */
export function appPasswordRow(one: AppPassword, nowMs: number): ThingRow {
  const { name, scopes, addedMs, expiresMs, networks, program, lastUsedMs, lastUsedFrom, lastUsedDoor } = one;
  const used: Piece =
    lastUsedMs === undefined
      ? texts.never
      : html`${texts.lastUsed} ${timeHtml(lastUsedMs, nowMs)}${lastUsedFrom !== undefined && ` ${fillText(texts.from, { address: lastUsedFrom })}`}${
          lastUsedDoor !== undefined && ` ${fillText(texts.at, { door: lastUsedDoor.toUpperCase() })}`
        }`;
  const ends = expiresMs !== undefined && html` · ${expiresMs <= nowMs ? texts.expired : texts.expires} ${timeHtml(expiresMs, nowMs)}`;
  const forWhat =
    program === undefined ? [] : [fillText(texts.program, { program: isProgram(program) ? programOf(program).name : program })];
  return {
    name,
    lines: [
      html`${texts.added} ${timeHtml(addedMs, nowMs)} · ${used}${ends}`,
      ...forWhat,
      fillText(texts.scopes, { scopes: scopes.map((scope) => scopeTexts[scope]).join('; ') }),
      ...(networks === undefined ? [] : [fillText(texts.networks, { networks: networks.join(', ') })]),
    ],
  };
}

function revokeLink(realm: WebRealm, { id, name }: AppPassword): SafeHtml {
  const path = pathIn(realm, `/portal/app-passwords/revoke?id=${encodeURIComponent(id)}`);
  return html`<a href="${path}" role="button" class="outline">${texts.revoke}<span class="off"> ${name}</span></a>`;
}

function makeForm({ realm, typed, fault, csrfToken }: AppPasswordsList): SafeHtml {
  const options = (Object.keys(programs) as ProgramId[]).map(
    (id) => html`<option value="${id}"${typed.program === id && html` selected`}>${programOf(id).name}</option>`,
  );
  const isNarrowed = fault?.field === 'scopes' || fault?.field === 'networks';
  return html`<form method="post" action="${pathIn(realm, '/portal/app-passwords')}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
<label for="program">${texts.programLabel}</label>
<select id="program" name="program">${options}</select>
<label for="name">${texts.nameLabel}</label>
<input id="name" name="name" type="text" value="${typed.name}" maxlength="60" autocomplete="off"${describedBy('name', fault, 'name-hint')}>
${faultOf('name', fault)}
<p class="quiet" id="name-hint">${texts.nameHint}</p>
<details${isNarrowed && html` open`}><summary>${texts.more}</summary>
<label for="expires">${texts.expiresLabel}</label>
<select id="expires" name="expires">${Object.entries(expiryTexts).map(
    ([days, words]) => html`<option value="${days}"${typed.expires === days && html` selected`}>${words}</option>`,
  )}</select>
<label for="networks">${texts.networksLabel}</label>
<input id="networks" name="networks" type="text" value="${typed.networks}" maxlength="500" autocomplete="off" autocapitalize="none" spellcheck="false"${describedBy('networks', fault, 'networks-hint')}>
${faultOf('networks', fault)}
<p class="quiet" id="networks-hint">${texts.networksHint}</p>
<fieldset><legend>${texts.scopesLabel}</legend>
${faultOf('scopes', fault)}
${appPasswordScopes.map(
  (scope) =>
    html`<div class="box"><input id="scope-${scope}" name="scope" type="checkbox" value="${scope}"${typed.scopes.includes(scope) && html` checked`}><label for="scope-${scope}">${scopeTexts[scope]}</label></div>`,
)}</fieldset></details>
<button type="submit">${texts.submit}</button>
</form>`;
}

function describedBy(field: AppPasswordField, fault: AppPasswordsList['fault'], hint: string): SafeHtml {
  const faulty = fault?.field === field;
  return html` aria-describedby="${faulty ? `${field}-fault ${hint}` : hint}"${faulty && html` aria-invalid="true" autofocus`}`;
}

function faultOf(field: AppPasswordField, fault: AppPasswordsList['fault']): Piece {
  return fault?.field === field && html`<p class="fault" id="${field}-fault">${fault.words}</p>`;
}

export interface AppPasswordShown {
  readonly realm: WebRealm;
  readonly name: string;
  readonly value: string;
  readonly program: string;
  readonly rows: readonly (readonly [string, string])[];
  readonly lines: readonly string[];
}

/** The one page on which an app password is to be seen, with the settings of its program. */
export function madePage({ realm, name, value, program, rows, lines }: AppPasswordShown): Page {
  return {
    title: texts.madeTitle,
    layout: 'wide',
    main: html`<h1>${texts.madeTitle}</h1>
<section aria-labelledby="value"><h2 id="value">${name}</h2>
<p class="value"><code>${value}</code></p>
<p>${texts.madeWords}</p></section>
<section aria-labelledby="settings"><h2 id="settings">${fillText(texts.settings, { program })}</h2>
${facts(rows.map(([label, setting]) => [label, html`<code>${setting}</code>`]))}
${lines.length > 0 && html`<h3>${texts.file}</h3><pre class="lines" tabindex="0"><code>${lines.join('\n')}</code></pre>`}</section>
<p><a href="${pathIn(realm, '/portal/app-passwords')}" role="button">${texts.done}</a></p>`,
  };
}

/** Before one goes: what stops working. */
export function revokePage(realm: WebRealm, one: AppPassword, csrfToken: string, nowMs: number): Page {
  const title = fillText(texts.revokeTitle, { name: one.name });
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
${things([{ ...appPasswordRow(one, nowMs) }])}
<ul><li>${texts.revokeWords}</li><li>${texts.revokeAgain}</li></ul>
${formButton(realm, '/portal/app-passwords/revoke', texts.revokeIt, csrfToken, { fields: { id: one.id }, primary: true })}
<p class="ways"><a href="${pathIn(realm, '/portal/app-passwords')}">${texts.keep}</a></p>`,
  };
}

/** Before all of them go. */
export function revokeAllPage(realm: WebRealm, all: readonly AppPassword[], csrfToken: string): Page {
  return {
    title: texts.revokeAllTitle,
    layout: 'card',
    main: html`<h1>${texts.revokeAllTitle}</h1>
<ul>${all.map(({ name }) => html`<li>${name}</li>`)}</ul>
<ul><li>${fillText(texts.revokeAllWords, { count: all.length })}</li><li>${texts.revokeAgain}</li></ul>
${formButton(realm, '/portal/app-passwords/revoke', texts.revokeThem, csrfToken, { fields: { all: 'yes' }, primary: true })}
<p class="ways"><a href="${pathIn(realm, '/portal/app-passwords')}">${texts.keepThem}</a></p>`,
  };
}
