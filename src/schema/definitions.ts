/** A schema file, as text. Its name is only for messages. */
export interface SchemaText {
  readonly name: string;
  readonly text: string;
}

/** One definition of a schema file, not yet understood. */
export interface Definition {
  readonly keyword: string;
  /** The definition from its opening parenthesis, on one line. */
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/**
 * Cuts a schema file into definitions. A line that begins with a keyword (`attributetype`, `objectclass`) begins one, lines that begin with
 * a space or a tab carry it on; `#` begins a comment line. It is the form of slapd's own schema files, and a definition is RFC 4512 §4.1 text.
 */
export function readDefinitions({ name, text }: SchemaText): Definition[] {
  const found: { keyword: string; lines: string[]; line: number }[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.startsWith('#') || line.trim() === '') continue;
    const open = found.at(-1);
    if (/^[ \t]/.test(line) && open !== undefined) {
      open.lines.push(line.trim());
      continue;
    }
    const begun = /^\s*([A-Za-z]*)\s*(.*)$/.exec(line);
    found.push({ keyword: (begun?.[1] ?? '').toLowerCase(), lines: [(begun?.[2] ?? '').trim()], line: index + 1 });
  }
  return found.map(({ keyword, lines, line }) => ({ keyword, text: lines.join(' '), file: name, line }));
}
