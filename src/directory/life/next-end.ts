import { utf8 } from '#base';
import type { Snapshot } from '#store';

/** Keys of the index are moments in one form (`normalTime`): fourteen digits of UTC, and those of a fraction without zeros at its end. */
const attribute = 'stsvaliduntil';
const digits = '0123456789';

/** The form of a moment in which the index has it. */
export function endKeyOf(ms: number): string {
  const [, day = '', fraction = ''] = /^([^.]*)\.(\d{3})Z$/.exec(new Date(ms).toISOString()) ?? [];
  return day.replace(/[-:T]/g, '') + fraction.replace(/0+$/, '');
}

/** The moment of a key, in milliseconds; what is finer is rounded up, so that nobody is looked for before their time is over. */
export function momentOfKey(key: string): number {
  const [, year, month, day, hour, minute, second, fraction = ''] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d*)/.exec(key) ?? [];
  const whole = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return whole + Math.ceil(Number(`0.${fraction === '' ? '0' : fraction}`) * 1000);
}

/**
 * The first `stsValidUntil` behind a moment that any entry has, by the index alone: digit by digit, some two hundred look-ups at most however many
 * entries there are.
 *
 * @param after  a key
 * @returns a key, `undefined` when there is none
 */
export function nextEnd(snapshot: Pick<Snapshot, 'countWithin' | 'countEqual'>, after: string): string | undefined {
  const has = (prefix: string) => snapshot.countWithin(attribute, utf8(prefix), 1) > 0;
  for (let length = after.length; length >= 0; length--) {
    const shared = after.slice(0, length);
    const least = length < after.length ? digits.indexOf(after[length] ?? '9') + 1 : 0;
    for (const digit of digits.slice(least)) if (has(shared + digit)) return firstWithin(snapshot, shared + digit);
  }
  return undefined;
}

function firstWithin(snapshot: Pick<Snapshot, 'countWithin' | 'countEqual'>, begun: string): string {
  let prefix = begun;
  while (snapshot.countEqual(attribute, utf8(prefix), 1) === 0) {
    const next = [...digits].find((digit) => snapshot.countWithin(attribute, utf8(prefix + digit), 1) > 0);
    // Cut, as very long keys are.
    if (next === undefined) return prefix;
    prefix += next;
  }
  return prefix;
}
