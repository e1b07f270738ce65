const markup: unique symbol = Symbol('markup');

/** Markup that only `html` makes: every text in it was escaped, or was markup already. */
export interface SafeHtml {
  readonly [markup]: string;
}

/** What may stand in a template. Nothing is written for `undefined` and `false`, so that `${when && html`…`}` works. */
export type Piece = SafeHtml | string | number | undefined | false | readonly Piece[];

/**
 * Writes markup: ``html`<p>${text}</p>` ``. Whatever is put in is escaped unless it is markup itself.
 * Attribute values are always quoted in the template, since escaping counts on it.
 */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): SafeHtml {
  let out = strings[0] ?? '';
  pieces.forEach((piece, i) => {
    out += written(piece) + (strings[i + 1] ?? '');
  });
  return { [markup]: out };
}

/** The text to send. */
export function htmlText(safe: SafeHtml): string {
  return safe[markup];
}

function written(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (typeof piece === 'string') return escapeHtml(piece);
  if (typeof piece === 'number') return String(piece);
  return isList(piece) ? piece.map(written).join('') : piece[markup];
}

function isList(piece: SafeHtml | readonly Piece[]): piece is readonly Piece[] {
  return Array.isArray(piece);
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => escapes[character] ?? '');
}
