export interface Token {
  readonly kind: '(' | ')' | '$' | 'quoted' | 'word' | 'end';
  /** For `quoted`, without its quotes and escapes. */
  readonly text: string;
  readonly at: number;
}

const pattern = /\s*(?:([()$])|'([^']*)'|([^\s()$']+))/y;

/** Splits a description into tokens, `end` being the last of them. */
export function tokenize(text: string): Token[] | { readonly why: string; readonly at: number } {
  const tokens: Token[] = [];
  const stop = text.trimEnd().length;
  pattern.lastIndex = 0;
  while (pattern.lastIndex < stop) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) return { why: 'a quote is not closed', at: from };
    const [, mark, quoted, word] = match;
    const at = pattern.lastIndex - (mark ?? word ?? `'${quoted}'`).length;
    if (mark !== undefined) tokens.push({ kind: mark as '(', text: mark, at });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, at });
    else if (quoted !== undefined) tokens.push({ kind: 'quoted', text: withoutEscapes(quoted), at });
  }
  tokens.push({ kind: 'end', text: '', at: stop });
  return tokens;
}

/** qdstring: only the quote and the backslash are escaped (RFC 4512 §4.1). */
function withoutEscapes(quoted: string): string {
  return quoted.replace(/\\(27|5[Cc])/g, (_, code: string) => (code === '27' ? "'" : '\\'));
}
