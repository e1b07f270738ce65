import { facts, html, type Piece, readTime, type SafeHtml, timeHtml, type WebRealm } from '#web';
import { labelOf } from './forms.ts';
import { type Column, figure, hrefOf, table } from './parts.ts';
import type { Way } from './places.ts';
import { texts } from './texts.ts';

/** Rows of a list that are drawn; the rest is counted. */
const rowsMax = 500;
const depthMax = 6;
/** A list of things with more members than this is drawn as one block a thing. */
const columnsMax = 8;
const wordMax = 2000;
/** Shorter ones stand in one line. */
const wordLengthMax = 40;
/** Shorter words are not broken. */
const wholeMax = 16;

export type Data = Readonly<Record<string, unknown>>;

/** What drawing takes beside the data. */
export interface Drawing {
  readonly realm: WebRealm;
  readonly nowMs: number;
  /** Of the lists of things at the top: the columns that are shown, however many. */
  readonly columns?: readonly string[] | undefined;
  /** Of the same, and of a thing that stands there by itself: what can be done with each. */
  readonly acts?: ((thing: Data) => Piece) | undefined;
  /** What is said of the first of these lists where it is empty. */
  readonly empty?: string | undefined;
  /** Of a column of these lists: where it leads. */
  readonly ways?: Readonly<Record<string, (thing: Data) => Way | undefined>> | undefined;
}

/**
 * Draws what an operation answered: its plain members as facts, then each list or part of it under its name. Times are written as people read them, names lead to
 * what they name.
 */
export function drawOutput(output: Data, drawing: Drawing): Piece {
  const members = Object.entries(output).filter(([name]) => name !== 'next' && name !== 'etag');
  // An empty list on a page of one is no fact, but a list that has something to say.
  const isList = (value: unknown) => (drawing.columns ?? drawing.empty) !== undefined && Array.isArray(value) && value.length === 0;
  const isPlain = (value: unknown) =>
    !isList(value) && (typeof value !== 'object' || value === null || (Array.isArray(value) && !value.some(isThing)));
  const plain = members.filter(([, value]) => isPlain(value));
  const parts = members.filter(([, value]) => !isPlain(value));
  const isOne = plain.length === 0 && parts.length === 1;
  return html`${plain.length > 0 && facts(plain.map(([name, value]) => [labelOf(name), drawData(value, drawing, name, 1)]))}${parts.map(
    ([name, value]) => html`${!isOne && html`<h3>${labelOf(name)}</h3>`}${drawPart(value, drawing, name)}`,
  )}`;
}

function drawPart(value: unknown, drawing: Drawing, name: string): Piece {
  if (!Array.isArray(value))
    return html`${drawData(value, drawing, name, 1)}${isThing(value) && drawing.acts && html`<div class="acts">${drawing.acts(value)}</div>`}`;
  if (value.length === 0) return html`<p>${drawing.empty ?? texts.noneThere}</p>`;
  const things = value.filter(isThing);
  const names = [...new Set(things.flatMap((each) => Object.keys(each)))];
  const shown = drawing.columns === undefined ? names : drawing.columns.filter((each) => names.includes(each));
  const isBlocks = drawing.columns === undefined && names.length > columnsMax;
  if (isBlocks || shown.length === 0) return drawData(value, drawing, name, 1);
  const rest = things.length - rowsMax;
  return html`${thingsTable(labelOf(name), things.slice(0, rowsMax), shown, drawing, drawing.acts)}${rest > 0 && html`<p class="quiet">${figure(rest)} ${texts.more}</p>`}`;
}

/** An empty cell says it by itself. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isThing(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One value of what an operation answered. @param name  of the member, which says what a text is */
export function drawData(value: unknown, drawing: Drawing, name: string, depth = 0): Piece {
  if (value === undefined || value === null || value === '') return html`<span class="quiet">${texts.none}</span>`;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'number') return isTime(name, value) ? timeHtml(value, drawing.nowMs) : figure(value);
  if (typeof value === 'string') return drawText(value, drawing, name);
  if (depth >= depthMax) return html`<code>${JSON.stringify(value).slice(0, wordMax)}</code>`;
  if (Array.isArray(value)) return drawList(value, drawing, name, depth);
  return isThing(value) ? drawThing(value, drawing, depth, name === 'attributes') : String(value);
}

/** Milliseconds since 1970 of this century, under the name of a time. */
function isTime(name: string, value: number): boolean {
  return /At(?:Ms)?$/.test(name) && value > 946_684_800_000 && value < 4_102_444_800_000;
}

function drawText(value: string, { realm, nowMs }: Drawing, name: string): Piece {
  const to = linkOf(name, value);
  if (to !== undefined) return html`<a class="way" href="${hrefOf(realm, ...to)}"><code>${value}</code></a>`;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)) {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? value : timeHtml(ms, nowMs);
  }
  const generalizedMs = readTime(value);
  if (generalizedMs !== undefined) return timeHtml(generalizedMs, nowMs);
  const shown = value.length > wordMax ? `${value.slice(0, wordMax)}…` : value;
  if (value.includes('\n')) return html`<pre tabindex="0"><code>${shown}</code></pre>`;
  if (isTechnical(value)) return html`<code>${shown}</code>`;
  if (value.length < wholeMax && !value.includes(' ')) return html`<span class="whole">${shown}</span>`;
  return /\S{24}/.test(value) ? html`<span class="long">${breakable(shown)}</span>` : shown;
}

/** The name of a setting may be broken between its words; whatever else is long stands as it is, a secret among it. */
function breakable(text: string): Piece {
  if (!/^[a-z]+\.[a-z]+$/i.test(text)) return text;
  return text.split(/(?<=[a-z])(?=[A-Z])/).map((part, nth) => (nth === 0 ? part : html`<wbr>${part}`));
}

const dnForm = /^[a-z][\w.;-]*=.+,[a-z][\w.;-]*=./i;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const codeForm = /^STS-[A-Z0-9]+-\d{4}$/;

/** Where a text leads that names something. */
function linkOf(name: string, value: string): readonly [path: string, query?: Readonly<Record<string, string>>] | undefined {
  if (codeForm.test(value)) return ['/admin/audit', { code: value }];
  if (uuidForm.test(value) && /^user/i.test(name)) return [`/admin/users/${value}`];
  if (dnForm.test(value) && value.length < wordMax && /^(?:dn|subject|members?|suffix)$/i.test(name))
    return ['/admin/directory', { dn: value }];
  return undefined;
}

function isTechnical(value: string): boolean {
  return dnForm.test(value) || uuidForm.test(value) || /^(?:https?|ldaps?):\/\/|^\/[\w:-]/.test(value);
}

/** @param isNamed  its names are the directory's, and stand as they are there */
function drawThing(value: Data, drawing: Drawing, depth: number, isNamed = false): Piece {
  const entries = Object.entries(value);
  if (entries.length === 0) return html`<span class="quiet">${texts.none}</span>`;
  return facts(entries.map(([name, each]) => [isNamed ? name : labelOf(name), drawData(each, drawing, name, depth + 1)]));
}

function drawList(values: readonly unknown[], drawing: Drawing, name: string, depth: number): Piece {
  if (values.length === 0) return html`<span class="quiet">${texts.none}</span>`;
  const shown = values.slice(0, rowsMax);
  const left = values.length - shown.length;
  const rest = left > 0 && html`<p class="quiet">${figure(left)} ${texts.more}</p>`;
  const things = shown.filter(isThing);
  if (things.length < shown.length) {
    const isShort = shown.every((each) => typeof each !== 'object' && String(each).length < wordLengthMax);
    if (isShort) return html`${shown.map(String).join(', ')}${rest}`;
    return html`<ul>${shown.map((each) => html`<li>${drawData(each, drawing, name, depth + 1)}</li>`)}</ul>${rest}`;
  }
  const names = [...new Set(things.flatMap((each) => Object.keys(each)))];
  if (names.length > columnsMax || depth > 1) return html`${things.map((each) => drawThing(each, drawing, depth + 1))}${rest}`;
  return html`${thingsTable(labelOf(name), things, names, drawing, undefined)}${rest}`;
}

function cellOf(thing: Data, name: string, drawing: Drawing): Piece {
  const value = thing[name];
  const way = drawing.ways?.[name]?.(thing);
  if (way === undefined) return isEmpty(value) ? undefined : drawData(value, drawing, name, 3);
  const words = isEmpty(value) ? texts.none : typeof value === 'string' ? value : drawData(value, drawing, name, 3);
  return html`<a class="way" href="${hrefOf(drawing.realm, ...way)}">${words}</a>`;
}

function thingsTable(
  caption: string,
  things: readonly Data[],
  names: readonly string[],
  drawing: Drawing,
  acts: Drawing['acts'],
): SafeHtml {
  const isNumber = (name: string) =>
    things.every(({ [name]: value }) => value === undefined || (typeof value === 'number' && !isTime(name, value)));
  const columns = names.map(
    (name): Column<Data> => ({
      head: labelOf(name),
      of: (thing) => cellOf(thing, name, drawing),
      ...(isNumber(name) ? { number: true } : {}),
    }),
  );
  const last: readonly Column<Data>[] = acts === undefined ? [] : [{ head: texts.acts, of: (thing) => actsCell(acts(thing)) }];
  return table(caption, things, [...columns, ...last]);
}

/** Nothing where nothing can be done. */
function actsCell(acts: Piece): Piece {
  const isNothing = Array.isArray(acts) ? acts.every((each) => each === undefined) : acts === undefined;
  return isNothing ? undefined : html`<div class="acts">${acts}</div>`;
}
