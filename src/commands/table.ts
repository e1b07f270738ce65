import type { Context } from './command.ts';
import type { Given } from './given.ts';
import { write } from './output.ts';
import { cut, pad, widthOf } from './width.ts';

/** A column of a table: its head, and what of a thing stands in it. */
export interface Column<T> {
  readonly head: string;
  readonly of: (thing: T) => string;
  /** By this things are told apart: where a terminal is narrow it is cut last. */
  readonly telling?: boolean;
}

const gap = '  ';
/** Where the terminal does not say how wide it is. */
const standingCells = 80;
/** A column is not made narrower than this. */
const narrowestCells = 8;
/** The first so many things settle how wide the columns are: a list of any length takes little memory. */
const lookedAtMax = 1000;

export interface ListOptions<T> {
  readonly columns: readonly Column<T>[];
  /** What `--json` prints of a thing, in a line of its own; the thing itself unless given. */
  readonly json?: (thing: T) => unknown;
  /** What is said, on a terminal, when there is nothing: "There is no group." */
  readonly none: string;
}

/**
 * Prints things as a table: cut to fit a terminal's width, whole in a pipe. With `--json` an object in each line, and no head.
 *
 * @returns how many there were
 */
export async function list<T>(
  things: AsyncIterable<T> | Iterable<T>,
  given: Given,
  context: Context,
  { columns, json = (thing) => thing, none }: ListOptions<T>,
): Promise<number> {
  const { stdout, stderr } = context;
  let count = 0;
  if (given.flag('json')) {
    for await (const thing of things) {
      count++;
      await write(stdout, `${JSON.stringify(json(thing))}\n`);
    }
    return count;
  }
  const cells = stdout.isTTY ? stdout.columns || standingCells : undefined;
  let ahead: string[][] = [];
  let widths: readonly number[] | undefined;
  const flush = async () => {
    const head = columns.map((column) => column.head);
    if (widths === undefined && count > 0) ahead.unshift(head);
    widths ??= widthsOf(
      ahead,
      cells,
      columns.map(({ telling = false }) => telling),
    );
    let text = '';
    for (const row of ahead) text += line(row, widths, cells !== undefined);
    await write(stdout, text);
    ahead = [];
  };
  for await (const thing of things) {
    count++;
    ahead.push(columns.map(({ of }) => printable(of(thing))));
    if (ahead.length >= lookedAtMax) await flush();
  }
  await flush();
  if (count === 0 && stderr.isTTY) stderr.write(`${none}\n`);
  return count;
}

/**
 * @param cells  of the terminal; without it every column is as wide as its widest
 * @param telling  for each column whether it gives last
 */
function widthsOf(rows: readonly (readonly string[])[], cells: number | undefined, telling: readonly boolean[]): number[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => widthOf(row[at] ?? ''))));
  if (cells === undefined) return widths;
  let over = widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1) - cells;
  // The widest gives first.
  while (over > 0) {
    const giving = widths.map((width, at) => (telling[at] === true ? 0 : width));
    const from = Math.max(...giving) > narrowestCells ? giving : widths;
    const widest = Math.max(...from);
    if (widest <= narrowestCells) break;
    widths[from.lastIndexOf(widest)] = widest - 1;
    over--;
  }
  return widths;
}

/** @param narrow  whether what is too long is cut; in a pipe it is not */
function line(cells: readonly string[], widths: readonly number[], narrow: boolean): string {
  const fitted = (cell: string, width: number) => pad(narrow ? cut(cell, width) : cell, width);
  return `${cells
    .map((cell, at) => fitted(cell, widths[at] ?? 0))
    .join(gap)
    .trimEnd()}\n`;
}

/** What would move a terminal's cursor, or colour it, is shown as what it is. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? ' ' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Rows of a label and what it labels, indented, each in its own line. */
export function pageOf(rows: readonly (readonly [label: string, value: string])[]): string {
  const cells = Math.max(0, ...rows.map(([label]) => widthOf(label)));
  return rows.map(([label, value]) => `  ${pad(label, cells)}  ${printable(value)}\n`).join('');
}
