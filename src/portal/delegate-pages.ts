import { csrfField, facts, fillText, html, notice, type Page, type Piece, pathIn, type SafeHtml, type WebRealm } from '#web';
import { delegateTexts as texts } from './delegate-texts.ts';
import { formButton } from './frame.ts';
import type { Party } from './parties.ts';

export type DelegateDone = keyof typeof texts.done;

export function delegateDoneOf(given: string | null): DelegateDone | undefined {
  return (Object.keys(texts.done) as DelegateDone[]).find((each) => each === given);
}

/** Who may act for somebody: nobody, somebody who is there, or somebody who was. */
export type Delegate = { readonly kind: 'nobody' } | { readonly kind: 'gone' } | { readonly kind: 'party'; readonly party: Party };

export interface DelegatePage {
  readonly realm: WebRealm;
  readonly delegate: Delegate;
  readonly done: DelegateDone | undefined;
  readonly fault: { readonly words: string; readonly field?: 'party'; readonly typed?: string } | undefined;
  readonly csrfToken: string;
}

/** The page on which people say who may act for them. */
export function delegatePage({ realm, delegate, done, fault, csrfToken }: DelegatePage): Page {
  const faulty = fault?.field === 'party';
  const name = delegate.kind === 'party' ? delegate.party.name : '';
  return {
    title: texts.title,
    layout: 'wide',
    main: html`<h1>${texts.title}</h1>
${done !== undefined && (done === 'removed' || name !== '') && notice('good', 'done', fillText(texts.done[done], { name }))}
${fault !== undefined && !faulty && notice('bad', 'fault', fault.words)}
<p>${texts.words}</p>
<section class="half" aria-labelledby="now"><h2 id="now">${texts.now}</h2>
${nowWords(delegate)}
${delegate.kind !== 'nobody' && formButton(realm, '/portal/delegate', texts.remove, csrfToken, { fields: { do: 'remove' } })}</section>
<section class="half" aria-labelledby="name"><h2 id="name">${delegate.kind === 'party' ? texts.nameOther : texts.name}</h2>
<form method="post" action="${pathIn(realm, '/portal/delegate')}">
<input type="hidden" name="${csrfField}" value="${csrfToken}">
<label for="party">${texts.party}</label>
<input id="party" name="party" type="text" value="${fault?.typed ?? ''}" maxlength="256" autocomplete="off" autocapitalize="none" spellcheck="false" required aria-describedby="${
      faulty ? 'party-fault party-hint' : 'party-hint'
    }"${faulty && html` aria-invalid="true" autofocus`}>
${faulty && html`<p class="fault" id="party-fault">${fault.words}</p>`}
<p class="quiet" id="party-hint">${texts.partyHint}</p>
<button type="submit" class="outline" name="do" value="find">${texts.find}</button>
</form></section>`,
  };
}

/** Before somebody may act for one: who it is, and what they may do. */
export function confirmPage(realm: WebRealm, party: Party, now: Delegate, csrfToken: string): Page {
  const replaced = now.kind === 'party' && now.party.entryUuid !== party.entryUuid ? now.party.name : undefined;
  const title = fillText(texts.confirmTitle, { name: party.name });
  return {
    title,
    layout: 'card',
    main: html`<h1>${title}</h1>
${partyFacts(party)}
<ul><li>${fillText(texts.confirmActs, { name: party.name })}</li>
${replaced !== undefined && html`<li>${fillText(texts.confirmReplaces, { name: replaced })}</li>`}
<li>${texts.confirmBack}</li></ul>
${formButton(realm, '/portal/delegate', texts.confirm, csrfToken, { fields: { do: 'set', party: party.entryUuid }, primary: true })}
<p class="ways"><a href="${pathIn(realm, '/portal/delegate')}">${texts.keep}</a></p>`,
  };
}

function nowWords(delegate: Delegate): SafeHtml {
  switch (delegate.kind) {
    case 'nobody':
      return html`<p>${texts.nobody}</p>`;
    case 'gone':
      return html`<p>${texts.gone}</p>`;
    case 'party':
      return partyFacts(delegate.party);
  }
}

function partyFacts({ kind, name, userName, mail, description }: Party): SafeHtml {
  const called: Piece = userName === undefined || userName === name ? name : `${name} (${userName})`;
  const rows: readonly (readonly [string, Piece])[] = [
    [kind === 'person' ? texts.person : texts.application, called],
    [texts.mail, mail],
    [texts.description, description],
  ];
  return facts(rows.filter(([, value]) => value !== undefined));
}
