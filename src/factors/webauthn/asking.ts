import { html, notice, type SafeHtml } from '#web';
import { scriptTexts, texts } from '../texts.ts';
import type { CeremonyOptions } from './options.ts';

/** What a page has of a ceremony. */
export interface AskingParts {
  /** Sentences that stand above the form: what will happen. */
  readonly above: SafeHtml;
  /** Into the form: what the script asks the browser for and where it puts the answer; the button. */
  readonly fields: SafeHtml;
}

/** The name of the field that carries the answer. */
export const answerField = 'answer';

/**
 * The parts of a page that asks for a security key. The page names `ceremonyScript().path` as its script; without it the button stays away and a
 * sentence says so.
 *
 * @param kind  `get` asserts, `create` enrols
 */
export function askingParts(kind: 'get' | 'create', options: CeremonyOptions): AskingParts {
  const words = JSON.stringify({ ...scriptTexts.both, ...scriptTexts[kind] });
  return {
    above: html`<p>${kind === 'get' ? texts.getAbove : texts.createAbove}</p>
<div id="ceremony-fault" hidden>${notice('bad', 'ceremony-words', '')}</div>
<div data-without-script>${notice('careful', 'without-script', texts.withoutScript)}</div>`,
    fields: html`<div id="ceremony" data-kind="${kind}" data-options="${JSON.stringify(options)}" data-words="${words}"></div>
<input type="hidden" name="${answerField}" value="">
<div data-with-script hidden><button type="submit">${kind === 'get' ? texts.getButton : texts.createButton}</button></div>`,
  };
}
