import { facts, html, type Piece, type SafeHtml, timeHtml } from '#web';
import { labelOf } from './forms.ts';
import { figure, table } from './parts.ts';
import { texts } from './texts.ts';

/** Rows of a list that are drawn; the rest is counted. */
const rowsMax = 500;
const depthMax = 6;
/** A list of things with more members than this is drawn as one block a thing. */
const columnsMax = 8;
const wordMax = 2000;

type Data = Readonly<Record<string, unknown>>;

/**
 * Draws what an operation answered: members as facts, lists of things as tables, times as people read them.
 *
 * @param nowMs  for times
 */
export function drawData(value: unknown, nowMs: number, caption: string, depth = 0): Piece {
  if (value === undefined || value === null || value === '') return html`<span class="quiet">${texts.none}</span>`;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'number') return figure(value);
  if (typeof value === 'string') return drawText(value, nowMs);
  if (depth >= depthMax) return html`<code>${JSON.stringify(value).slice(0, wordMax)}</code>`;
  if (Array.isArray(value)) return drawList(value, nowMs, caption, depth);
  if (typeof value === 'object') return drawThing(value as Data, nowMs, depth);
  return String(value);
}

function drawText(value: string, nowMs: number): Piece {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)) {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? value : timeHtml(ms, nowMs);
  }
  const shown = value.length > wordMax ? `${value.slice(0, wordMax)}…` : value;
  if (value.includes('\n')) return html`<pre tabindex="0"><code>${shown}</code></pre>`;
  const isTechnical = /^([\w.-]+=[^,]+,)+[\w.-]+=|^[0-9a-f]{8}-[0-9a-f-]{27}$|^[A-Z]+-[A-Z]+-\d{4}|^(https?|ldaps?):\/\/|^\//.test(value);
  return isTechnical ? html`<code>${shown}</code>` : shown;
}

function drawThing(value: Data, nowMs: number, depth: number): Piece {
  const entries = Object.entries(value);
  if (entries.length === 0) return html`<span class="quiet">${texts.none}</span>`;
  return facts(entries.map(([name, each]) => [labelOf(name), drawData(each, nowMs, labelOf(name), depth + 1)]));
}

function drawList(values: readonly unknown[], nowMs: number, caption: string, depth: number): Piece {
  if (values.length === 0) return html`<span class="quiet">${texts.none}</span>`;
  const shown = values.slice(0, rowsMax);
  const left = values.length - shown.length;
  const rest = left > 0 && html`<p class="quiet">${figure(left)} more</p>`;
  const things = shown.filter((each): each is Data => typeof each === 'object' && each !== null && !Array.isArray(each));
  if (things.length < shown.length) {
    const isShort = shown.every((each) => typeof each !== 'object' && String(each).length < 24);
    if (isShort) return html`${shown.map(String).join(', ')}${rest}`;
    return html`<ul>${shown.map((each) => html`<li>${drawData(each, nowMs, caption, depth + 1)}</li>`)}</ul>${rest}`;
  }
  const names = [...new Set(things.flatMap((each) => Object.keys(each)))];
  if (names.length > columnsMax || depth > 1) return html`${things.map((each) => drawThing(each, nowMs, depth + 1))}${rest}`;
  return html`${thingsTable(caption, things, names, nowMs, depth)}${rest}`;
}

function thingsTable(caption: string, things: readonly Data[], names: readonly string[], nowMs: number, depth: number): SafeHtml {
  return table(
    caption,
    things,
    names.map((name) => ({
      head: labelOf(name),
      of: (thing) => (thing[name] === undefined ? undefined : drawData(thing[name], nowMs, labelOf(name), depth + 2)),
      ...(things.every((thing) => thing[name] === undefined || typeof thing[name] === 'number') ? { number: true as const } : {}),
    })),
  );
}
