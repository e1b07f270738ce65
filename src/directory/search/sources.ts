import { concat, utf8 } from '#base';
import type { Filter, SearchRequest } from '#ldap';
import { isWithin, keysBelow } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Call } from '../call.ts';
import { pagedResults } from '../controls/paged-results.ts';
import { subentries } from '../controls/subentries.ts';
import type { WalkDesk } from '../relations/chain.ts';
import { type Branch, byIndex, end } from './branches.ts';
import { findCandidates } from './candidates.ts';
import { type Edges, type Extent, realmScope, type Scope } from './extent.ts';

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

/** How far a source has come, in the order in which it gives candidates: enough to go on from there in another state of the store. */
export type Place =
  | { readonly order: 'id'; readonly after: number }
  | { readonly order: 'name'; readonly after: Uint8Array | undefined }
  | { readonly order: 'list'; readonly ids: Float64Array; readonly at: number };

/** Gives the candidates, some at a time. */
export interface Source {
  next(snapshot: Snapshot, count: number): Batch;
  /** A method, as `Branch.by` is. */
  place(): Place;
}

/** Chooses where the candidates come from. `visits` is told how. */
export function sourceOf(call: Call, request: SearchRequest, scope: Scope, snapshot: Snapshot, visits: Visits | undefined): Source {
  const told = visits ?? { visited: 0, plan: 'base' };
  if (request.scope === 'base') return baseSource(scope.base);
  const branch = branchFor(call, request, snapshot);
  if (branch !== undefined) return branchSource(branch, request, scope, told);
  // Pages of what stands in several trees go by ids: there is no one name from which the next goes on.
  const isPaged = scope.extent !== undefined && call.controls.has(pagedResults);
  return isPaged ? branchSource(everyEntry(snapshot), request, scope, told) : walk(request, scope, told);
}

type Scoped = Pick<SearchRequest, 'scope'>;

/** The same for a search that the directory makes by itself. */
export function ownSource(
  engine: WalkDesk['engine'],
  search: Scoped & Pick<SearchRequest, 'filter'>,
  base: ReadableEntry,
  snapshot: Snapshot,
): Source {
  if (search.scope === 'base') return baseSource(base);
  const branch = findCandidates(engine, snapshot, search.filter, true);
  const [scope, visits] = [
    { base, extent: undefined, ...realmScope(engine, snapshot, base) },
    { visited: 0, plan: 'index' as const },
  ];
  return branch === undefined ? walk(search, scope, visits) : branchSource(branch, search, scope, visits);
}

/** Goes on where a source of the same search had come to. It gives no candidate twice and leaves none out, but those that have come or gone meanwhile. */
export function sourceFrom(place: Place, call: Call, request: SearchRequest, scope: Scope, snapshot: Snapshot): Source {
  if (place.order === 'list') return listSource(place.ids, place.at);
  if (place.order === 'name') return subtreeSource(scope.base, scope.edges, place.after);
  if (request.scope === 'one' && scope.extent === undefined) return childrenSource(scope.base, place.after);
  const branch = branchFor(call, request, snapshot) ?? everyEntry(snapshot);
  return branchSource(branch, request, scope, { visited: 0, plan: 'index' }, place.after);
}

function branchFor({ engine, controls }: Call, { filter }: SearchRequest, snapshot: Snapshot): Branch | undefined {
  // There are few subentries: what else the filter says is seen on each.
  const narrowed: Filter = controls.of(subentries) === true ? { kind: 'and', filters: [isSubentry, filter] } : filter;
  return findCandidates(engine, snapshot, narrowed);
}

const isSubentry: Filter = { kind: 'equality', description: 'objectClass', value: utf8('subentry') };

/** All ids there are, for a filter that had a branch when its search began and has none any more. */
function everyEntry(snapshot: Snapshot): Branch {
  const lastId = snapshot.lastId();
  return {
    by: byIndex,
    count: () => lastId,
    page(_current, afterId, limit) {
      const ids = Array.from({ length: Math.max(0, Math.min(limit, lastId - afterId)) }, (_, at) => afterId + 1 + at);
      return { ids, through: ids.at(-1) === lastId || ids.length === 0 ? end : (ids.at(-1) as number), exact: false };
    },
  };
}

/** Entries in an order that was made before. */
export function listSource(ids: Float64Array, from: number): Source {
  let at = from;
  return {
    next(_snapshot, count) {
      const some = Array.from(ids.subarray(at, at + count));
      at += some.length;
      return { ids: some, exact: false, last: at >= ids.length };
    },
    place() {
      return { order: 'list', ids, at } as const;
    },
  };
}

function baseSource(base: ReadableEntry): Source {
  return { next: () => ({ ids: [base.id], exact: false, last: true }), place: () => ({ order: 'id', after: base.id }) };
}

/** Begins with the branch; when that has more than one page, and more than the scope has entries, the scope is walked instead. */
function branchSource(branch: Branch, request: Scoped, scope: Scope, visits: Visits, from = 0): Source {
  let after = from;
  let instead: Source | undefined;
  const walked = (snapshot: Snapshot, count: number) => {
    instead = walk(request, scope, visits);
    return instead.next(snapshot, count);
  };
  return {
    next(snapshot, count) {
      if (instead !== undefined) return instead.next(snapshot, count);
      if (after === 0 && branch.by() === 'column' && isSmall(request, scope, snapshot, branch)) return walked(snapshot, count);
      const { ids, through, exact } = branch.page(snapshot, after, count);
      visits.plan = branch.by();
      if (after === 0 && through !== end && isSmall(request, scope, snapshot, branch)) return walked(snapshot, count);
      after = through;
      return { ids, exact, last: through === end };
    },
    place() {
      return instead?.place() ?? ({ order: 'id', after } as const);
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
function isSmall({ scope }: Scoped, { base, extent, edges, whole }: Scope, snapshot: Snapshot, branch: Branch): boolean {
  if (extent !== undefined) return false;
  const { uuid, dnKey } = base;
  // What is below the only suffix is nearly all there is.
  if (whole && scope !== 'one') return false;
  const work = branch.count(snapshot, scopeCountedMax) / (branch.by() === 'column' ? columnFactor : 1);
  const max = Math.floor(Math.min(scopeCountedMax, Math.max(smallScope, work)));
  return scope === 'one' ? snapshot.hasFewerChildren(uuid, max) : hasFewerHere(snapshot, dnKey, edges, max);
}

/** So many are looked at before an edge may be passed over. */
const countedAtOnce = 64;

/** Whether there are fewer entries than so many below a name, this side of the edges. */
function hasFewerHere(snapshot: Snapshot, dnKey: Uint8Array, edges: Edges | undefined, count: number): boolean {
  if (edges === undefined) return snapshot.hasFewerBelow(dnKey, count);
  let found = 0;
  for (let after = dnKey, last = false; found < count && !last; ) {
    const ids = snapshot.subtree(dnKey, after, countedAtOnce);
    last = ids.length < countedAtOnce;
    for (const id of ids) {
      after = snapshot.readable(id)?.dnKey ?? after;
      const edge = edges.find((each) => isWithin(after, each));
      if (edge === undefined) found++;
      else {
        after = endOf(edge);
        last = false;
        break;
      }
    }
  }
  return found < count;
}

function walk(request: Scoped, { base, extent, edges }: Scope, visits: Visits): Source {
  visits.plan = 'walk';
  if (extent !== undefined) return extentSource(extent, edges, request, base);
  return request.scope === 'one' ? childrenSource(base) : subtreeSource(base, edges);
}

/** Every tree of a scope, or its level and what is beside that. */
function extentSource({ roots }: Extent, edges: Edges | undefined, { scope }: Scoped, base: ReadableEntry): Source {
  const sources = scope === 'one' ? [childrenSource(base), namedSource(roots)] : roots.map((dnKey) => subtreeSource({ dnKey }, edges));
  let at = 0;
  return {
    next(snapshot, count) {
      const batch = sources[at]?.next(snapshot, count) ?? { ids: [], exact: false, last: true };
      if (batch.last) at++;
      return { ...batch, last: at >= sources.length };
    },
    // It is asked for by pages alone, and these have another source.
    place: () => nowhere,
  };
}

const nowhere: Place = { order: 'id', after: 0 };

function namedSource(keys: readonly Uint8Array[]): Source {
  let at = 0;
  return {
    next(snapshot, count) {
      const ids = keys.slice(at, at + count).map((key) => snapshot.idOf(key));
      at += count;
      return { ids: ids.filter((id) => id !== undefined), exact: false, last: at >= keys.length };
    },
    place: () => nowhere,
  };
}

function childrenSource(base: ReadableEntry, from = 0): Source {
  let after = from;
  return {
    next(snapshot, count) {
      const ids = snapshot.children(base.uuid, after, count);
      after = ids.at(-1) ?? after;
      return { ids, exact: false, last: ids.length < count };
    },
    place() {
      return { order: 'id', after } as const;
    },
  };
}

function subtreeSource(base: Pick<ReadableEntry, 'dnKey'>, edges: Edges | undefined, from?: Uint8Array): Source {
  let after = from;
  return {
    next(snapshot, count) {
      const ids = snapshot.subtree(base.dnKey, after, count);
      const behind = ids.at(-1);
      // The place in the order is a name: it stays one even when its entry is gone by the next turn.
      if (behind !== undefined) after = snapshot.readable(behind)?.dnKey ?? after;
      const last = ids.length < count;
      const edge = edges?.find((each) => after !== undefined && isWithin(after, each));
      // What is behind an edge is passed over, however much it is: at most one page of it was read.
      if (edge !== undefined) after = endOf(edge);
      return { ids, exact: false, last };
    },
    place() {
      // Read entries are views of a cache: what is kept is a copy.
      return { order: 'name', after: after && new Uint8Array(after) } as const;
    },
  };
}

/** A place behind all names below one, and in front of all that follow: no level of a name begins with this octet. */
function endOf(dnKey: Uint8Array): Uint8Array {
  return concat([keysBelow(dnKey).from, Uint8Array.of(0xff)]);
}
