import { type Bar, barOf } from '#holdings';
import { decodeAttributes } from '#ldap';
import type { EntryRecord, LogRow, WatchedChange } from '#store';
import { entryValidity } from '../entry-validity.ts';

/** What a change did to whether anybody may be here as an entry. */
export type Turned =
  /** From here on nobody may; `was` whether somebody might before, where that is known. */
  | { readonly kind: 'barred'; readonly bar: Bar; readonly uuid: string; readonly dnKey: Uint8Array }
  | { readonly kind: 'opened'; readonly uuid: string; readonly dnKey: Uint8Array }
  /** The entry is gone; its name is a DN as text where the log alone knows it. */
  | { readonly kind: 'gone'; readonly uuid: string; readonly former: string | undefined; readonly before: EntryRecord | undefined };

/**
 * What a change did; `undefined` for one that left everybody where they were.
 *
 * @param change  as those who watch hear of it, or from the log, which does not know what was before: then it counts as if nothing had barred the entry
 * @param nowMs   at which validity is judged
 */
export function turnOf(change: WatchedChange | LogRow, nowMs: number): Turned | undefined {
  const before = 'before' in change ? change.before : undefined;
  const { change: made } = change;
  if (made.kind === 'delete') {
    const former = 'former' in change ? change.former : before?.dn;
    return { kind: 'gone', uuid: made.uuid, former, before };
  }
  const { entry } = made;
  // Most changes are of entries that say nothing of this.
  if (!saysValidity(entry.operational) && (before === undefined || !saysValidity(before.operational))) return undefined;
  const bar = barOf(entryValidity(entry), nowMs);
  const was = before === undefined ? undefined : barOf(entryValidity(before), nowMs);
  if (bar !== undefined && bar !== was) return { kind: 'barred', bar, uuid: entry.uuid, dnKey: entry.dnKey };
  return bar === undefined && was !== undefined ? { kind: 'opened', uuid: entry.uuid, dnKey: entry.dnKey } : undefined;
}

/** Whether the time may have changed at which an entry's validity ends. */
export function saysUntil({ change }: Pick<WatchedChange, 'change'>): boolean {
  return change.kind !== 'delete' && names(change.entry.operational, ['stsvaliduntil']);
}

function saysValidity(operational: Uint8Array): boolean {
  return names(operational, ['pwdaccountlockedtime', 'stsvalidfrom', 'stsvaliduntil']);
}

function names(part: Uint8Array, keys: readonly string[]): boolean {
  return decodeAttributes(part).some(({ description }) => keys.includes(description.toLowerCase()));
}
