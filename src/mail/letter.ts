import { type LetterKind, letters } from './texts.ts';

/** What fills the words of a mail: `{code}`, `{minutes}`. */
export type Fill = Readonly<Record<string, string>>;

/** A mail in words, before it is one on the wire. */
export interface Written {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The words of a mail, with the names of what is filled in. */
export interface LetterText {
  readonly subject: string;
  /** Each of one line or more. */
  readonly paragraphs: readonly string[];
}

/** The words of a mail as an entry holds them: paragraphs are apart where a line is empty. */
export interface GivenText {
  readonly subject: string;
  readonly body: string;
}

/** Characters of one thing that is filled in. */
const fillMax = 512;
/** A paragraph that is nothing but something filled in: a code, or an address to open. */
const alone = /^\{(\w+)\}$/;

/**
 * Writes a mail: plain text, and the same as simple HTML.
 *
 * What is filled in stays on its line and is text: it begins no header, no line and no element.
 *
 * @param text  words in the place of our own
 */
export function writeLetter(kind: LetterKind, fill: Fill, text: LetterText = letters[kind]): Written {
  const { subject, paragraphs } = text;
  const plain = paragraphs.map((words) => filled(words, fill));
  const body = paragraphs.map((words) => {
    const inside = escaped(filled(words, fill)).replaceAll('\n', '<br>\n');
    if (!alone.test(words)) return `<p>${inside}</p>`;
    // What a link leads to is told by what is shown: the two are the same text.
    return isAddress(filled(words, fill))
      ? `<p><a href="${inside}">${inside}</a></p>`
      : `<p style="font-size:1.5em"><strong>${inside}</strong></p>`;
  });
  return {
    subject: filled(oneLine(subject), fill),
    text: `${plain.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${body.join('\n')}</body></html>\n`,
  };
}

const subjectLengthMax = 200;
const bodyLengthMax = 10_000;

/**
 * What is wrong with words that an operator puts in the place of ours, for the directory to refuse when they are written.
 *
 * @param kind  what the entry is called
 * @returns the attribute and why, in words that follow its name; `undefined` where nothing is wrong
 */
export function faultOfMailText(
  kind: string,
  subject: string,
  body: string,
): { readonly attribute: string; readonly why: string } | undefined {
  if (!isLetterKind(kind)) return { attribute: 'cn', why: `there is no such mail; there are ${Object.keys(letters).join(', ')}` };
  const { needs, takes } = letters[kind];
  const of = (attribute: string, why: string | undefined) => (why === undefined ? undefined : { attribute, why });
  return (
    of('stsMailSubject', faultOfWords(subject, subjectLengthMax, [], takes, needs)) ??
    of('stsMailSubject', /[\r\n]/.test(subject) ? 'it is one line' : undefined) ??
    of('stsMailBody', faultOfWords(linesOf(body), bodyLengthMax, needs, takes))
  );
}

/** The words of an entry, split into paragraphs where a line is empty; `undefined` for what could not have been written. */
export function readMailText(kind: LetterKind, { subject, body }: GivenText): LetterText | undefined {
  if (faultOfMailText(kind, subject, body) !== undefined) return undefined;
  const paragraphs = linesOf(body)
    .split(/\n[ \t]*\n/)
    .map((each) => each.replace(/^\n+|\s+$/g, ''))
    .filter((each) => each !== '');
  return { subject: subject.trim(), paragraphs };
}

function linesOf(body: string): string {
  return body.replace(/\r\n?/g, '\n');
}

function isLetterKind(kind: string): kind is LetterKind {
  return Object.hasOwn(letters, kind);
}

/** @param never  what would be read by whoever sees a list of mails */
function faultOfWords(
  words: string,
  lengthMax: number,
  needs: readonly string[],
  takes: readonly string[],
  never: readonly string[] = [],
): string | undefined {
  if (words.trim() === '') return 'it says nothing';
  if ([...words].length > lengthMax) return `it has ${lengthMax} characters at most`;
  if (/[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(words)) return 'it is plain text, without control characters';
  const named = [...words.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const may = [...needs, ...takes];
  const all = may.map((each) => `{${each}}`).join(', ');
  const spoiling = named.find((name) => never.includes(name));
  if (spoiling !== undefined) return `{${spoiling}} stands in the text alone: a subject is seen by whoever sees a list of mails`;
  const unknown = named.find((name) => !may.includes(name));
  if (unknown !== undefined) return `{${unknown}} is nothing that can be filled in here; there are ${all}`;
  if (/[{}]/.test(words.replace(/\{\w+\}/g, ''))) return `a brace stands alone; what is filled in is written as in ${all}`;
  const missing = needs.find((name) => !named.includes(name));
  return missing === undefined ? undefined : `{${missing}} is missing: without it the mail is of no use`;
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
