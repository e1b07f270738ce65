/** Cells that a text takes on a terminal: none for marks that combine with what stands before them, two for wide East Asian forms and emoji. */
export function widthOf(text: string): number {
  let cells = 0;
  for (const { segment } of segments(text)) cells += cellsOf(segment);
  return cells;
}

let segmenter: Intl.Segmenter | undefined;

/** Most names are ASCII, which needs no segmenter. */
function segments(text: string): Iterable<{ readonly segment: string }> {
  if (/^[\x20-\x7e]*$/.test(text)) return [...text].map((segment) => ({ segment }));
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function cellsOf(grapheme: string): number {
  if (/^\p{Mark}+$/u.test(grapheme) || /^\p{Cf}+$/u.test(grapheme)) return 0;
  if (/\ufe0f/.test(grapheme) || /\p{Emoji_Presentation}/u.test(grapheme)) return 2;
  return wide.test(grapheme) ? 2 : 1;
}

/** What of a text fits into so many cells, with an ellipsis where something is left out. */
export function cut(text: string, cells: number): string {
  if (widthOf(text) <= cells) return text;
  let kept = '';
  let left = cells - 1;
  for (const { segment } of segments(text)) {
    left -= cellsOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function pad(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - widthOf(text)));
}

/** Lines of at most so many cells, broken between words; a longer word stands in a line of its own. */
export function wrap(text: string, cells: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > cells) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
