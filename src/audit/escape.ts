/**
 * Everything that could end a line, move a cursor or turn the direction of text: what a client sends must not write lines of its own into a log.
 * Control characters, format characters (U+202E among them), line and paragraph separators, and halves of surrogate pairs.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Text as it may stand on one line of a log.
 *
 * @param lengthMax  characters kept; what is cut off is shown by `…`
 */
export function oneLine(text: string, lengthMax: number): string {
  const kept = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  return kept.replace(unsafe, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
