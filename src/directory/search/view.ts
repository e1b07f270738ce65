import { resultCodes } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import { type ListView, viewCodes } from '../controls/virtual-list-view.ts';
import { compareTexts, type SortKey, type SortText, sortText } from './sort-keys.ts';

/** Which part of a sorted list a client sees: from one place up to before another, the first entry being at 0. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Of the target, counted from 1; behind the last one when no entry has come as far as a value; 0 in an empty list. */
  readonly position: number;
}

/**
 * @param count   entries of the list
 * @param placeOf  how many entries stand before a value; nothing for a value that does not fit the rule
 * @returns the window, or the code of what is wrong with the request (draft-ietf-ldapext-ldapv3-vlv-09 §6)
 */
export function windowOf(
  { before, after, target }: ListView,
  count: number,
  placeOf: (value: Uint8Array) => number | undefined,
): Window | number {
  if (count === 0) return { from: 0, to: 0, position: 0 };
  const position = target.by === 'offset' ? positionOf(target, count) : placeOf(target.value);
  if (position === undefined) return target.by === 'offset' ? viewCodes.offsetRangeError : resultCodes.inappropriateMatching;
  const at = target.by === 'offset' ? position - 1 : position;
  return { from: Math.max(0, at - before), to: Math.min(count, at + after + 1), position: at + 1 };
}

/** Where the client's place is in the list as it is, when the client thinks that it has `seen` entries (§5.2). */
function positionOf({ offset, count: seen }: ListView['target'] & { by: 'offset' }, count: number): number | undefined {
  if (offset === 0) return undefined;
  if (offset === seen) return count;
  if (offset === 1) return 1;
  if (seen === 0 || seen === count) return offset > count ? undefined : offset;
  return offset > seen ? undefined : Math.max(1, Math.floor((count * offset) / seen));
}

/** Reads of a list's entry what it is sorted by; nothing of one that is not there any more. */
export type TextsAt = (id: number) => SortText | undefined;

/**
 * How many entries of a list stand before a value of its first key. Entries are read for it, a dozen of them, since no list keeps values.
 *
 * @returns nothing for a value that does not fit the rule
 */
export function entriesBefore(ids: Float64Array, keys: readonly SortKey[], value: Uint8Array, textsAt: TextsAt): number | undefined {
  const first = keys[0];
  const normal = first?.rule.assertion(value);
  if (first === undefined || normal === undefined) return undefined;
  const wanted = [sortText(normal)];
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let at = middle;
    let texts = textsAt(ids[at] as number);
    while (texts === undefined && ++at < high) texts = textsAt(ids[at] as number);
    if (texts === undefined || compareTexts([first], texts, wanted) >= 0) high = middle;
    else low = at + 1;
  }
  // Those that are gone are no target.
  while (low < ids.length && textsAt(ids[low] as number) === undefined) low++;
  return low;
}

/** Where the rights on an entry come from. */
export function textsReader(
  snapshot: Snapshot,
  textsOf: (entry: ReadableEntry, snapshot: Snapshot, rights: Rights) => SortText,
  rightsOn: (entry: ReadableEntry) => Rights,
): TextsAt {
  return (id) => {
    const entry = snapshot.readable(id);
    return entry === undefined ? undefined : textsOf(entry, snapshot, rightsOn(entry));
  };
}
