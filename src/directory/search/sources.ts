import type { SearchRequest } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Call } from '../call.ts';
import { type Branch, end } from './branches.ts';
import { findCandidates } from './candidates.ts';

/** What a search did, for `explain`. */
export interface Visits {
  visited: number;
  plan: 'base' | 'index' | 'column' | 'walk';
}

/** Some of the candidates. */
export interface Batch {
  readonly ids: readonly number[];
  /** Every one of them is known to fit the filter. */
  readonly exact: boolean;
  readonly last: boolean;
}

/** Gives the candidates, some at a time. */
export interface Source {
  next(snapshot: Snapshot, count: number): Batch;
}

/** Chooses where the candidates come from. `visits` is told how. */
export function sourceOf(
  { engine }: Call,
  request: SearchRequest,
  base: ReadableEntry,
  snapshot: Snapshot,
  visits: Visits | undefined,
): Source {
  const { schema, settings } = engine;
  const told = visits ?? { visited: 0, plan: 'base' };
  if (request.scope === 'base') return baseSource(base);
  const branch = findCandidates(schema, snapshot, request.filter, settings['ldap.searchCandidatesMax']);
  return branch === undefined ? walk(request, base, told) : branchSource(branch, request, base, told);
}

function baseSource(base: ReadableEntry): Source {
  return { next: () => ({ ids: [base.id], exact: false, last: true }) };
}

/** Begins with the branch; when that has more than one page, and more than the scope has entries, the scope is walked instead. */
function branchSource(branch: Branch, request: SearchRequest, base: ReadableEntry, visits: Visits): Source {
  let after = 0;
  let instead: Source | undefined;
  const walked = (snapshot: Snapshot, count: number) => {
    instead = walk(request, base, visits);
    return instead.next(snapshot, count);
  };
  return {
    next(snapshot, count) {
      if (instead !== undefined) return instead.next(snapshot, count);
      if (after === 0 && branch.by === 'column' && isSmall(request, base, snapshot, branch)) return walked(snapshot, count);
      const { ids, through, exact } = branch.page(snapshot, after, count);
      visits.plan = branch.by;
      if (after === 0 && through !== end && isSmall(request, base, snapshot, branch)) return walked(snapshot, count);
      after = through;
      return { ids, exact, last: through === end };
    },
  };
}

/** A scope of fewer entries is walked sooner than a column is looked through. */
const smallScope = 16;
/** How far the entries of a scope are counted. */
const scopeCountedMax = 8192;
/** A column is of use to later searches too: as many entries as this are read for it where the scope has one. */
const columnFactor = 8;

/** Whether the scope has fewer entries than the branch is work. */
function isSmall({ scope }: SearchRequest, { uuid, parent, dnKey }: ReadableEntry, snapshot: Snapshot, branch: Branch): boolean {
  // What is below a suffix is nearly all there is.
  if (parent === undefined && scope !== 'one') return false;
  const work = branch.count(scopeCountedMax) / (branch.by === 'column' ? columnFactor : 1);
  const max = Math.floor(Math.min(scopeCountedMax, Math.max(smallScope, work)));
  return scope === 'one' ? snapshot.hasFewerChildren(uuid, max) : snapshot.hasFewerBelow(dnKey, max);
}

function walk(request: SearchRequest, base: ReadableEntry, visits: Visits): Source {
  visits.plan = 'walk';
  return request.scope === 'one' ? childrenSource(base) : subtreeSource(base);
}

function childrenSource(base: ReadableEntry): Source {
  let after = 0;
  return {
    next(snapshot, count) {
      const ids = snapshot.children(base.uuid, after, count);
      after = ids.at(-1) ?? after;
      return { ids, exact: false, last: ids.length < count };
    },
  };
}

function subtreeSource(base: ReadableEntry): Source {
  let after: Uint8Array | undefined;
  return {
    next(snapshot, count) {
      const ids = snapshot.subtree(base.dnKey, after, count);
      const behind = ids.at(-1);
      // The place in the order is a name: it stays one even when its entry is gone by the next turn.
      if (behind !== undefined) after = snapshot.readable(behind)?.dnKey ?? after;
      return { ids, exact: false, last: ids.length < count };
    },
  };
}
