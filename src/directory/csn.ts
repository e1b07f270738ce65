import type { Clock } from '#base';
import type { Store } from '#store';

/** Gives each change its number: later ones sort behind earlier ones, whatever the clock does. */
export interface CsnSource {
  next(): string;
}

const form = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\.(\d{6})Z#([0-9a-f]{6})#[0-9a-f]{3}#[0-9a-f]{6}$/i;
const changesPerMicrosecondMax = 0xffffff;

/** The entryCSN of the newest change that a store knows. */
export function newestCsn(store: Store): string | undefined {
  return store.snapshot().csn;
}

/** @param newest  behind this one it begins, so that a clock set back cannot make two changes alike */
export function createCsnSource(clock: Clock, newest: string | undefined): CsnSource {
  const parsed = newest === undefined ? undefined : parseCsn(newest);
  // One of another server may lie between two milliseconds: then the next of these is behind it.
  const isBetween = parsed !== undefined && !newest?.includes('000Z');
  let timeMs = (parsed?.timeMs ?? 0) + (isBetween ? 1 : 0);
  let count = parsed === undefined || isBetween ? -1 : parsed.count;

  return {
    next() {
      const nowMs = clock.nowMs();
      if (nowMs > timeMs) {
        timeMs = nowMs;
        count = 0;
      } else if (count >= changesPerMicrosecondMax) {
        timeMs++;
        count = 0;
      } else {
        count++;
      }
      return formatCsn(timeMs, count);
    },
  };
}

/** For a thread whose commits get their numbers where they are written: numbers that were given elsewhere would arrive in another order. */
export const csnToCome: CsnSource = { next: () => formatCsn(0, 0) };

/** slapd's form: time, a count of changes within it, the replica, and the number of the change in its operation. */
export function formatCsn(timeMs: number, count: number): string {
  if (timeMs !== timed.timeMs) {
    const iso = new Date(timeMs).toISOString();
    timed = { timeMs, time: iso.replace(/[-:T]/g, '').replace(/\.(\d{3})Z$/, '.$1000Z') };
  }
  const { time } = timed;
  return `${time}#${count.toString(16).padStart(6, '0')}#000#000000`;
}

/** Many changes are of one millisecond. */
let timed = { timeMs: Number.NaN, time: '' };

/** Time, cut to the millisecond, and count of a CSN; `undefined` for anything else. */
export function parseCsn(csn: string): { readonly timeMs: number; readonly count: number } | undefined {
  const found = form.exec(csn);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  const micros = Number(found[7]);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const timeMs = Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(micros / 1000);
  return { timeMs, count: Number.parseInt(found[8] ?? '0', 16) };
}

/** Whether a text has the form of a CSN, whoever made it (the syntax of entryCSN). */
export function isCsn(value: string): boolean {
  return form.test(value);
}

/** GeneralizedTime of an instant, to the second (RFC 4517 §3.3.13). */
export function generalizedTime(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  if (second !== stamped.second) stamped = { second, time: `${new Date(timeMs).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z` };
  return stamped.time;
}

let stamped = { second: Number.NaN, time: '' };
