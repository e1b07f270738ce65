import { html, type SafeHtml } from './html.ts';
import { fillText, texts } from './texts.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A time relative to now, with the exact one for whoever asks: as a tip and for machines. */
export function timeHtml(thenMs: number, nowMs: number): SafeHtml {
  const exact = new Date(thenMs).toISOString();
  return html`<time datetime="${exact}" title="${exact.slice(0, 19).replace('T', ' ')} UTC">${relative(thenMs, nowMs)}</time>`;
}

/** `3 min ago`, `in 2 h`. A unit is left when the next larger one has been reached, rounded. */
export function relative(thenMs: number, nowMs: number): string {
  const apartMs = Math.abs(thenMs - nowMs);
  const past = thenMs <= nowMs;
  if (past && apartMs < minuteMs) return texts.justNow;
  const [minutes, hours, days] = [minuteMs, hourMs, dayMs].map((unitMs) => Math.round(apartMs / unitMs)) as [number, number, number];
  if (minutes < 60) return fillText(past ? texts.minutesAgo : texts.inMinutes, { count: Math.max(1, minutes) });
  if (hours < 24) return fillText(past ? texts.hoursAgo : texts.inHours, { count: hours });
  if (days === 1) return past ? texts.dayAgo : texts.inDay;
  return fillText(past ? texts.daysAgo : texts.inDays, { count: days });
}

/** Milliseconds of a GeneralizedTime in UTC (RFC 4517 §3.3.13); `undefined` for what is none. */
export function readTime(value: string | undefined): number | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:[.,]\d+)?Z$/.exec(value ?? '') ?? [];
  if (year === undefined) return undefined;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
