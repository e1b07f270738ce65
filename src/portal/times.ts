import { fillText, html, type SafeHtml } from '#web';
import { texts } from './texts.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A time relative to now, with the exact one for whoever asks: as a tip and for machines. */
export function timeHtml(thenMs: number, nowMs: number): SafeHtml {
  const exact = new Date(thenMs).toISOString();
  return html`<time datetime="${exact}" title="${exact.slice(0, 19).replace('T', ' ')} UTC">${relative(thenMs, nowMs)}</time>`;
}

/** `3 min ago`, `in 2 h`. */
export function relative(thenMs: number, nowMs: number): string {
  const apartMs = Math.abs(thenMs - nowMs);
  const past = thenMs <= nowMs;
  if (apartMs < minuteMs) return past ? texts.justNow : fillText(texts.inMinutes, { count: 1 });
  if (apartMs < hourMs) return fillText(past ? texts.minutesAgo : texts.inMinutes, { count: Math.round(apartMs / minuteMs) });
  if (apartMs < dayMs) return fillText(past ? texts.hoursAgo : texts.inHours, { count: Math.round(apartMs / hourMs) });
  return fillText(past ? texts.daysAgo : texts.inDays, { count: Math.round(apartMs / dayMs) });
}
