import type { AskingParts } from '#factors';
import type { SecurityKey } from '#holdings';
import type { Person } from '#people';
import { csrfField, facts, fillText, html, notice, type Page, type Piece, pathIn, type SafeHtml, timeHtml, type WebRealm } from '#web';
import { keysTexts as texts } from './keys-texts.ts';

/** What was done, as the list of keys says it afterwards. */
export const flashes = ['added', 'renamed', 'removed'] as const;
export type Flash = (typeof flashes)[number];

export interface KeysList {
  readonly realm: WebRealm;
  readonly keys: readonly { readonly key: SecurityKey; readonly handle: string }[];
  /** The roles in which a key may be added. */
  readonly offered: readonly SecurityKey['role'][];
  /** The person has as many keys as they may. */
  readonly isFull: boolean;
  readonly done: Flash | undefined;
  readonly nowMs: number;
}

const done: Readonly<Record<Flash, string>> = { added: texts.added_, renamed: texts.renamed_, removed: texts.removed_ };

/** The list: one row a key, by role. */
export function keysPage(list: KeysList): Page {
  const { offered, isFull } = list;
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${texts.title}</h1>
${list.done !== undefined && notice('good', 'done', done[list.done])}
<p>${texts.words}</p>
${list.keys.length === 0 && html`<p>${texts.none}</p>`}
${offered.length === 0 && notice('careful', 'off', texts.off)}
${offered.length > 0 && isFull && notice('careful', 'full', texts.full)}
${section(list, 'mfa', texts.mfaTitle, texts.mfaWords, texts.mfaAdd)}
${section(list, 'primary', texts.primaryTitle, texts.primaryWords, texts.primaryAdd)}`,
  };
}

function section({ realm, keys, offered, isFull, nowMs }: KeysList, role: SecurityKey['role'], title: string, words: string, add: string) {
  const held = keys.filter(({ key }) => key.role === role);
  const mayAdd = offered.includes(role) && !isFull;
  if (held.length === 0 && !mayAdd) return false;
  return html`<section class="half" aria-labelledby="${role}"><h2 id="${role}">${title}</h2>
<p>${words}</p>
${held.map(
  ({ key, handle }) => html`<h3>${key.name}</h3>
${keyFacts(key, nowMs)}
<p class="ways"><a href="${pathIn(realm, `/portal/keys/change?key=${handle}`)}">${texts.change}<span class="off"> ${key.name}</span></a></p>`,
)}
${mayAdd && html`<p><a href="${pathIn(realm, `/portal/keys/add?role=${role}`)}" role="button" class="outline">${add}</a></p>`}</section>`;
}

function keyFacts({ addedMs, lastUsedMs, lastUsedFrom, attestation, backedUp }: SecurityKey, nowMs: number): SafeHtml {
  const used: Piece =
    lastUsedMs === undefined
      ? texts.never
      : html`${timeHtml(lastUsedMs, nowMs)}${lastUsedFrom !== undefined && ` ${fillText(texts.from, { address: lastUsedFrom })}`}`;
  const rows: readonly (readonly [string, Piece])[] = [
    [texts.added, timeHtml(addedMs, nowMs)],
    [texts.lastUsed, used],
    [texts.kind, kindOf(attestation)],
    [texts.backup, backedUp && texts.backedUp],
  ];
  return facts(rows.filter(([, value]) => value !== false));
}

/** What is known of a key's model, and by whose word. */
function kindOf({ proved, model }: SecurityKey['attestation']): string {
  switch (proved) {
    case 'trusted':
      return model === undefined ? texts.trustedUnnamed : fillText(texts.trusted, { model });
    case 'claimed':
      return model === undefined ? texts.claimedUnnamed : fillText(texts.claimed, { model });
    case 'untrusted':
      return texts.untrusted;
  }
}

export interface KeyAdding {
  readonly realm: WebRealm;
  readonly role: SecurityKey['role'];
  readonly csrfToken: string;
  /** Nothing when no key can be added. */
  readonly parts: AskingParts | undefined;
  readonly fault: string | undefined;
}

export function addPage({ realm, role, csrfToken, parts, fault }: KeyAdding): Page {
  const title = role === 'mfa' ? texts.addMfaTitle : texts.addPrimaryTitle;
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
<p>${role === 'mfa' ? texts.mfaWords : texts.primaryWords}</p>
${fault !== undefined && notice('bad', 'fault', fault)}
${
  parts !== undefined &&
  html`${parts.above}
<form method="post" action="${pathIn(realm, '/portal/keys/add')}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
${nameField('')}
${parts.fields}
</form>`
}
<p class="ways"><a href="${pathIn(realm, '/portal/keys')}">${texts.back}</a></p>`,
  };
}

export interface OneKey {
  readonly realm: WebRealm;
  readonly person: Person;
  readonly key: SecurityKey;
  readonly handle: string;
  /** A second factor is required of the person. */
  readonly isRequired: boolean;
  readonly csrfToken: string;
  readonly nowMs: number;
  readonly fault?: string;
}

/** One key: another name for it, and what stops working without it. */
export function keyPage({ realm, person, key, handle, isRequired, csrfToken, nowMs, fault }: OneKey): Page {
  const hidden = html`<input type="hidden" name="${csrfField}" value="${csrfToken}">
<input type="hidden" name="key" value="${handle}">`;
  return {
    title: key.name,
    layout: 'card',
    main: html`<h1>${key.name}</h1>
${fault !== undefined && notice('bad', 'fault', fault)}
${keyFacts(key, nowMs)}
<form method="post" action="${pathIn(realm, '/portal/keys/rename')}">${hidden}
${nameField(key.name)}
<button type="submit" class="outline">${texts.rename}</button>
</form>
<h2>${texts.removeTitle}</h2>
<ul>${consequences(person, key, isRequired).map((each) => html`<li>${each}</li>`)}</ul>
<form method="post" action="${pathIn(realm, '/portal/keys/remove')}">${hidden}
<button type="submit">${texts.remove}</button>
</form>
<p class="ways"><a href="${pathIn(realm, '/portal/keys')}">${texts.keep}</a></p>`,
  };
}

/** What stops working, and what stays. */
function consequences({ holdings: { keys, app } }: Person, { id, role }: SecurityKey, isRequired: boolean): readonly string[] {
  const others = keys.filter((key) => key.id !== id && key.role === role);
  if (role === 'primary')
    return [texts.removePrimary, others.length > 0 ? texts.removePrimaryOther : texts.removePrimaryLast, texts.removeAgain];
  const isLast = others.length === 0 && app === undefined;
  const after = isLast ? (isRequired ? texts.removeMfaRequired : texts.removeMfaLast) : texts.removeMfaOther;
  return [texts.removeMfa, after, texts.removeAgain];
}

function nameField(value: string): SafeHtml {
  return html`<label for="name">${texts.name}</label>
<input id="name" name="name" type="text" value="${value}" maxlength="60" autocomplete="off" aria-describedby="name-hint">
<p class="quiet" id="name-hint">${texts.nameHint}</p>`;
}
