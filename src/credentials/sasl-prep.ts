/** RFC 3454 B.1: code points that are mapped to nothing. */
const toNothing = /\u034F|[\u00AD\u1806\u200B-\u200D\u2060\uFEFF]|[\u180B-\u180D]|[\uFE00-\uFE0F]/gu;
/** RFC 3454 C.1.2: spaces that are not the ASCII one. */
const otherSpaces = /[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/gu;
/** RFC 3454 C.2.1 to C.9: controls, private use, non-characters, surrogates, what is no plain text, and what changes how text is displayed. */
const prohibited =
  /[\p{Cc}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}\u06DD\u070F\u180E\u200C-\u200F\u2028-\u202E\u2060-\u2063\u206A-\u206F\uFEFF\uFFF9-\uFFFD\u2FF0-\u2FFB\u{E0001}\u{E0020}-\u{E007F}]|[\u0340\u0341]|[\u{1D173}-\u{1D17A}]/u;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const leftToRight = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}]/u;

/**
 * Prepares a name or a password for comparison (SASLprep, RFC 4013).
 *
 * Unassigned code points are those of the Unicode version at hand, not of 3.2; which letters run from right to left is told by their scripts.
 *
 * @returns `undefined` for a text that may not be used
 */
export function saslPrep(given: string): string | undefined {
  const mapped = given.replace(otherSpaces, ' ').replace(toNothing, '').normalize('NFKC');
  if (prohibited.test(mapped)) return undefined;
  // RFC 3454 §6: text that runs from right to left does so from its first to its last character, and has nothing of the other.
  if (rightToLeft.test(mapped)) {
    const [first = '', last = ''] = [[...mapped].at(0), [...mapped].at(-1)];
    if (leftToRight.test(mapped) || !rightToLeft.test(first) || !rightToLeft.test(last)) return undefined;
  }
  return mapped;
}
