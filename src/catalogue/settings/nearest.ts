/** Longer names are compared by their beginning only: the work stays bounded whatever is given. */
const comparedLengthMax = 64;

/** The known name with the fewest edits to the given one; the first of several. `undefined` when none is known. */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const short = given.slice(0, comparedLengthMax);
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of known) {
    const edits = editDistance(short, name.slice(0, comparedLengthMax));
    if (best === undefined || edits < best.edits) best = { name, edits };
  }
  return best?.name;
}

/** Insertions, deletions and substitutions that lead from one text to the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[b.length] ?? 0;
}
