/** Words with what is known in place of what stands in braces. */
export function filledWith(words: string, values: Readonly<Record<string, string>>): string {
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** With a full stop at its end; a name at its beginning stays as it is. */
export function ended(words: string): string {
  return words + (/[.?!]$/.test(words) ? '' : '.');
}

/** With a capital, and a full stop at its end. */
export function sentence(words: string): string {
  const trimmed = words.trim();
  return ended(trimmed.charAt(0).toUpperCase() + trimmed.slice(1));
}
