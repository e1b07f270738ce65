const whyLengthMax = 200;

/** What a library says of what it refuses, fit for an audit row: it may repeat what a stranger sent. */
export function whyOf(thrown: unknown): string {
  const words = thrown instanceof Error ? thrown.message : 'it cannot be read';
  const line = words.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length > whyLengthMax ? `${line.slice(0, whyLengthMax)}…` : line;
}
