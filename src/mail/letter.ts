import { type LetterKind, letters } from './texts.ts';

/** What fills the words of a mail: `{code}`, `{minutes}`. */
export type Fill = Readonly<Record<string, string>>;

/** A mail in words, before it is one on the wire. */
export interface Written {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Characters of one thing that is filled in. */
const fillMax = 512;
/** A paragraph that is nothing but something filled in: a code, or an address to open. */
const alone = /^\{(\w+)\}$/;

/**
 * Writes a mail: plain text, and the same as simple HTML.
 *
 * What is filled in stays on its line and is text: it begins no header, no line and no element.
 */
export function writeLetter(kind: LetterKind, fill: Fill): Written {
  const { subject, paragraphs } = letters[kind];
  const plain = paragraphs.map((words) => filled(words, fill));
  const body = paragraphs.map((words) => {
    const inside = escaped(filled(words, fill));
    if (!alone.test(words)) return `<p>${inside}</p>`;
    // What a link leads to is told by what is shown: the two are the same text.
    return isAddress(filled(words, fill))
      ? `<p><a href="${inside}">${inside}</a></p>`
      : `<p style="font-size:1.5em"><strong>${inside}</strong></p>`;
  });
  return {
    subject: filled(subject, fill),
    text: `${plain.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${body.join('\n')}</body></html>\n`,
  };
}

function filled(words: string, fill: Fill): string {
  return words.replace(/\{(\w+)\}/g, (_, name: string) => oneLine(fill[name] ?? ''));
}

/** No control, no line or paragraph separator, nothing that turns the direction of text around. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ').slice(0, fillMax);
}

function isAddress(text: string): boolean {
  return /^https?:\/\//.test(text);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
