import { refuse } from '#catalogue';
import { resultCodes } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { type SortOutcome, sortingAnswer } from '../controls/sorting.ts';
import { errors } from '../errors.ts';
import { listOctets } from '../large.ts';
import { cursorsOf } from './cursors.ts';
import { compareTexts, type SortKey, type SortText, sortTexts } from './sort-keys.ts';
import type { Batch, Source } from './sources.ts';
import { turnOctetsMax, turnRowsMax } from './turn.ts';

/** What sorting needs of the search whose entries it sorts. */
export interface Sortable {
  readonly call: Call;
  readonly deadlineMs: number;
  readonly turnEntries: number;
  /** The rights on an entry that belongs to the answer; nothing for any other. */
  fits(entry: ReadableEntry, snapshot: Snapshot, exact: boolean): Rights | undefined;
}

interface Item {
  readonly id: number;
  readonly texts: SortText;
}

/** What an item takes beside its texts, and what a key takes beside its characters, about. */
const itemOctets = 64;
const keyOctets = 24;
/** Items that are merged before others have the event loop. */
const mergedMax = 8192;

/**
 * Finds all entries of a search and puts them in order: their row numbers, and nothing else of them, since an entry is looked at again when it is sent.
 *
 * @returns why it could not be done when there are more than `ldap.sortedEntriesMax` (adminLimitExceeded) or no memory is left for sorting (busy);
 *          nothing when nobody waits for it any more
 * @throws Refusal `timeLimit`
 */
export async function sortEntries(
  search: Sortable,
  keys: readonly SortKey[],
  source: Source,
): Promise<Float64Array | SortOutcome | undefined> {
  const cursors = cursorsOf(search.call.engine);
  const held = { octets: 0 };
  try {
    const runs = await collect(search, keys, source, (octets) => {
      const taken = cursors.take(octets);
      if (taken) held.octets += octets;
      return taken;
    });
    if (!Array.isArray(runs)) return runs;
    const items = await mergeAll(runs, keys);
    return Float64Array.from(items, ({ id }) => id);
  } finally {
    cursors.give(held.octets);
  }
}

/** @returns lists that are sorted each for itself */
async function collect(search: Sortable, keys: readonly SortKey[], source: Source, take: (octets: number) => boolean) {
  const { call, turnEntries } = search;
  const { engine, reply } = call;
  const max = engine.settings['ldap.sortedEntriesMax'];
  const textsOf = sortTexts(engine.schema, keys);
  const runs: Item[][] = [];
  let count = 0;
  for (let left: Batch | undefined, last = false; !last; ) {
    const snapshot = engine.store.snapshot();
    const batch = left ?? source.next(snapshot, turnEntries);
    left = undefined;
    const run: Item[] = [];
    let octets = 0;
    let read = 0;
    const rowsBefore = snapshot.visited;
    for (let at = 0; at < batch.ids.length; at++) {
      if (read >= turnOctetsMax || snapshot.visited - rowsBefore >= turnRowsMax) {
        left = { ids: batch.ids.slice(at), exact: false, last: batch.last };
        break;
      }
      const id = batch.ids[at] as number;
      const entry = snapshot.readable(id);
      if (entry === undefined) continue;
      read += entry.octets + listOctets(entry);
      const rights = search.fits(entry, snapshot, batch.exact);
      if (rights === undefined) continue;
      const texts = textsOf(entry, snapshot, rights);
      run.push({ id, texts });
      octets += itemOctets + texts.reduce((sum, text) => sum + keyOctets + (text?.length ?? 0), 0);
      if (++count > max) return { code: resultCodes.adminLimitExceeded };
    }
    if (!take(octets)) return { code: resultCodes.busy };
    runs.push(run.sort((one, other) => compareTexts(keys, one.texts, other.texts)));
    last = batch.last && left === undefined;
    if (!last && engine.clock.nowMs() > search.deadlineMs) {
      call.controls.answer(sortingAnswer({ code: resultCodes.timeLimitExceeded }));
      throw refuse(errors.timeLimit);
    }
    if (!last) await turnOver();
    if (reply.ended) return undefined;
  }
  return runs;
}

/** Merges neighbours until one list is left. What is alike stays in the order in which it was found. */
async function mergeAll(runs: readonly Item[][], keys: readonly SortKey[]): Promise<readonly Item[]> {
  let lists: readonly (readonly Item[])[] = runs;
  const breath = { left: mergedMax };
  while (lists.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let at = 0; at < lists.length; at += 2) {
      const one = lists[at] ?? [];
      const other = lists[at + 1];
      merged.push(other === undefined ? one : await merge(one, other, keys, breath));
    }
    lists = merged;
  }
  return lists[0] ?? [];
}

async function merge(one: readonly Item[], other: readonly Item[], keys: readonly SortKey[], breath: { left: number }): Promise<Item[]> {
  const merged: Item[] = [];
  let a = 0;
  let b = 0;
  while (a < one.length || b < other.length) {
    const first = one[a];
    const second = other[b];
    const isFirst = second === undefined || (first !== undefined && compareTexts(keys, first.texts, second.texts) <= 0);
    merged.push((isFirst ? first : second) as Item);
    if (isFirst) a++;
    else b++;
    if (--breath.left === 0) {
      breath.left = mergedMax;
      await turnOver();
    }
  }
  return merged;
}

function turnOver(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
