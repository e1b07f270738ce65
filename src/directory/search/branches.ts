import type { Snapshot } from '#store';

/**
 * A part of a filter that an index or a column answers. It has read nothing yet, and keeps no snapshot: it is asked in several turns of the event loop, and a
 * snapshot is of one.
 */
export interface Branch {
  /** A method, as nothing that each search makes has an accessor: an object literal with one has a shape of its own, which costs microseconds and outlives it. */
  by(): 'index' | 'column';
  /** How many entries it names, or as how many its reading counts; at most `max + 1`. The snapshot is the newest. */
  count(snapshot: Snapshot, max: number): number;
  /** Some of its entries, from behind an id on: 0, or where the last page ended. */
  page(snapshot: Snapshot, afterId: number, limit: number): Page;
  /** Forgets a list that was read in one step: it is read anew when it is needed. */
  renew?(): void;
}

export interface Page {
  /** Ascending, each once. */
  readonly ids: readonly number[];
  /** All entries of the branch up to this id are on this page or were on one before. */
  readonly through: number;
  /** Every one of them fits the filter as long as the snapshot is the same. */
  readonly exact: boolean;
}

export const byIndex = () => 'index' as const;
export const byColumn = () => 'column' as const;

/** What the last page goes through. */
export const end = Number.POSITIVE_INFINITY;

/** A branch of no entry. */
export const nothing: Branch = { by: byIndex, count: () => 0, page: () => ({ ids: [], through: end, exact: true }) };

/** @param ids  not more than the limit */
export function pageOf(ids: readonly number[], limit: number, exact: boolean): Page {
  return { ids, through: ids.length < limit ? end : (ids.at(-1) as number), exact };
}

/** A page of a list that was read in one step. */
export function pageOfList(ids: readonly number[], afterId: number, limit: number, exact: boolean): Page {
  if (afterId === 0 && ids.length < limit) return { ids, through: end, exact };
  const from = afterId === 0 ? 0 : ids.findIndex((id) => id > afterId);
  return pageOf(from < 0 ? [] : ids.slice(from, from + limit), limit, exact);
}

/** A list that is read in one step; where that cannot be, another branch that says the same. */
export interface List {
  /** How many it has, counted up to `max + 1`; nothing when that cannot be said of it. */
  count(snapshot: Snapshot, max: number): number | undefined;
  /** All of it, ascending; nothing when it would be too much, or says too little. */
  read(snapshot: Snapshot): readonly number[] | undefined;
  /** Whether every one of them fits the filter in the state in which it was read. */
  readonly exact: boolean;
}

/** Candidates from a list that is read at once; where that would be too much, from the other branch. */
export function listed(list: List, makeOther: (snapshot: Snapshot) => Branch): Branch {
  let ids: readonly number[] | undefined;
  let readIn = 0;
  let other: Branch | undefined;
  const otherwise = (current: Snapshot) => {
    other ??= makeOther(current);
    return other;
  };
  return {
    by() {
      return other?.by() ?? 'index';
    },
    count: (current, max) => other?.count(current, max) ?? list.count(current, max) ?? otherwise(current).count(current, max),
    page(current, afterId, limit) {
      if (other === undefined && ids === undefined) {
        ids = list.read(current);
        readIn = current.number;
      }
      return ids === undefined
        ? otherwise(current).page(current, afterId, limit)
        : pageOfList(ids, afterId, limit, list.exact && current.number === readIn);
    },
    renew() {
      ids = undefined;
    },
  };
}

/** How far branches are counted at first, by how much further when all have more, and how far at most. */
const countedFirst = 16;
const countedFactor = 8;
const countedMax = 8192;

/** All branches are counted a little, then further: a rare value beside a common one costs a few rows, not the count of the common one. */
export function cheapest(branches: readonly (Branch | undefined)[]): Branch | undefined {
  const usable = branches.filter((branch) => branch !== undefined);
  const only = usable[0];
  if (only === undefined) return undefined;
  if (branches.length === 1) return only;

  const choose = (current: Snapshot, max: number): { readonly branch: Branch; readonly count: number } => {
    if (usable.length === 1) return { branch: only, count: only.count(current, max) };
    for (let bound = Math.min(countedFirst, max); ; bound = Math.min(bound * countedFactor, max)) {
      let best = { branch: only, count: only.count(current, bound) };
      for (const branch of usable.slice(1)) {
        if (best.count === 0) break;
        const count = branch.count(current, bound);
        if (count < best.count) best = { branch, count };
      }
      if (best.count <= bound || bound === max) return best;
    }
  };
  let chosen: Branch | undefined = usable.length === 1 ? only : undefined;
  return {
    by() {
      return chosen?.by() ?? 'index';
    },
    count: (current, max) => choose(current, max).count,
    page(current, afterId, limit) {
      chosen ??= choose(current, countedMax).branch;
      return { ...chosen.page(current, afterId, limit), exact: false };
    },
    renew: () => chosen?.renew?.(),
  };
}

/** So many branches are worth counting before they are read. */
const countedBranches = 16;

/** One branch of an or: the ids that were read of it and not given yet. */
interface Reading {
  readonly branch: Branch;
  page: Page;
  at: number;
}

/**
 * All ids of all branches, none twice.
 *
 * @param max  when the branches name more together, nothing: one that stands there a thousand times would be read a thousand times
 */
export function union(branches: readonly (Branch | undefined)[], snapshot: Snapshot, max: number): Branch | undefined {
  const usable = branches.filter((branch) => branch !== undefined);
  if (usable.length < branches.length) return undefined;
  const only = usable[0];
  // RFC 4526: an empty or is false.
  if (only === undefined) return nothing;
  if (usable.length === 1) return only;
  const count = (current: Snapshot, most: number) =>
    usable.reduce((sum, branch) => (sum > most ? sum : sum + branch.count(current, Math.min(most, countedMax))), 0);
  if (usable.length > countedBranches && count(snapshot, max) > max) return undefined;

  const readings: Reading[] = usable.map((branch) => ({ branch, page: { ids: [], through: 0, exact: true }, at: 0 }));
  let number = -1;
  return {
    by() {
      return usable.some((branch) => branch.by() === 'column') ? 'column' : 'index';
    },
    count,
    page(current, afterId, limit) {
      // Two at least: with one it would not be seen that there is no second.
      const each = Math.max(2, Math.ceil(limit / readings.length));
      // An entry that has moved from one branch to another would be missed where the first has come less far: all begin at one place anew.
      if (number !== current.number) for (const reading of readings) restart(reading, afterId);
      number = current.number;
      for (const reading of readings) {
        if (reading.at < reading.page.ids.length || reading.page.through === end) continue;
        reading.page = reading.branch.page(current, reading.page.through, each);
        reading.at = 0;
      }
      return { ...merged(readings), exact: readings.every(({ page }) => page.exact) };
    },
  };
}

function restart(reading: Reading, afterId: number): void {
  reading.branch.renew?.();
  reading.page = { ids: [], through: afterId, exact: true };
  reading.at = 0;
}

/** What is known of all branches: the ids up to where the branch that has come least far has come. */
function merged(readings: readonly Reading[]): { readonly ids: readonly number[]; readonly through: number } {
  const through = Math.min(...readings.map(({ page }) => page.through));
  const ids = new Set<number>();
  for (const reading of readings) {
    const { page } = reading;
    for (; reading.at < page.ids.length && (page.ids[reading.at] as number) <= through; reading.at++)
      ids.add(page.ids[reading.at] as number);
  }
  return { ids: [...ids].sort((a, b) => a - b), through };
}
