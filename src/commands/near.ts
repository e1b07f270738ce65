/** Longer words are not compared: the work grows with the square of it. */
const charactersMax = 64;

/**
 * The word that was meant, perhaps: one that begins with what was given, or differs by few letters that are missing, added, changed or swapped.
 *
 * @param known  the words that there are
 */
export function nearest(given: string, known: Iterable<string>): string | undefined {
  const wanted = given.toLowerCase();
  if (wanted === '' || wanted.length > charactersMax) return undefined;
  const allowed = wanted.length <= 3 ? 1 : wanted.length <= 7 ? 2 : 3;
  let best: { readonly word: string; readonly apart: number } | undefined;
  for (const word of known) {
    if (word.length > charactersMax) continue;
    const own = word.toLowerCase();
    const begins = wanted.length > 1 && own.startsWith(wanted);
    const apart = begins ? 0.5 : distance(wanted, own);
    if (apart <= allowed && apart < own.length && (best === undefined || apart < best.apart)) best = { word, apart };
  }
  return best?.word;
}

/** Edits between two words, two letters in the other order being one (optimal string alignment). */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
