/** How far an import has come, as its entry keeps it. */
export interface Place {
  /** Of the file. */
  mark: string;
  /** Of the last record that was added. */
  line: number;
  entries: number;
  /** Names that were there before. */
  kept: readonly string[];
}

export function placeText(place: Place): string {
  return JSON.stringify(place);
}

/** @returns nothing for a text that is no place */
export function readPlace(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined;
  try {
    const { mark, line, entries, kept } = JSON.parse(text) as Place;
    const isPlace = typeof mark === 'string' && Number.isSafeInteger(line) && Number.isSafeInteger(entries) && Array.isArray(kept);
    return isPlace ? { mark, line, entries, kept } : undefined;
  } catch {
    return undefined;
  }
}
