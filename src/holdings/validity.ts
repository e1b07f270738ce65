import { normalTime } from '#schema';

/** What an entry says about whether, and when, anybody may be here as it. */
export interface Validity {
  /** `pwdAccountLockedTime` is set. */
  readonly locked: boolean;
  /** `stsValidFrom`: from this moment on. */
  readonly fromMs: number | undefined;
  /** `stsValidUntil`: until just before this one. */
  readonly untilMs: number | undefined;
}

/** What keeps everybody from being here as somebody: disabled by hand, before their time, behind it. */
export type Bar = 'disabled' | 'early' | 'late';

/** What is asked of an entry to know its validity. */
export const validityAttributes = ['pwdAccountLockedTime', 'stsValidFrom', 'stsValidUntil'] as const;

/**
 * @param first  the first value of an attribute, `undefined` when there is none
 */
export function validityOf(first: (attribute: (typeof validityAttributes)[number]) => string | undefined): Validity {
  return {
    locked: first('pwdAccountLockedTime') !== undefined,
    fromMs: momentOf(first('stsValidFrom'), Number.POSITIVE_INFINITY),
    untilMs: momentOf(first('stsValidUntil'), Number.NEGATIVE_INFINITY),
  };
}

/** What keeps everybody out at a moment; `undefined` when nothing does. */
export function barOf({ locked, fromMs, untilMs }: Validity, nowMs: number): Bar | undefined {
  if (locked) return 'disabled';
  if (untilMs !== undefined && nowMs >= untilMs) return 'late';
  return fromMs !== undefined && nowMs < fromMs ? 'early' : undefined;
}

/**
 * A GeneralizedTime (RFC 4517 §3.3.13) in milliseconds since 1970.
 *
 * @param unreadable  for a value that is none: what is stored is read as if a stranger had written it, and lets nobody in
 */
function momentOf(value: string | undefined, unreadable: number): number | undefined {
  if (value === undefined) return undefined;
  const normal = normalTime(value);
  const [, year, month, day, hour, minute, second, fraction = ''] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d*)$/.exec(normal ?? '') ?? [];
  if (year === undefined) return unreadable;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
}
