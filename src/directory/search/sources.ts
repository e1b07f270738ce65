import type { SearchRequest } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Call } from '../call.ts';
import { findCandidates } from './candidates.ts';

/** What a search did, for `explain`. */
export interface Visits {
  visited: number;
  plan: 'base' | 'index' | 'walk';
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
  if (request.scope === 'base') return idsSource([base.id], false, snapshot.number);
  const found = findCandidates(schema, snapshot, request.filter, settings['ldap.searchCandidatesMax']);
  if (visits !== undefined) visits.plan = found.kind === 'ids' ? 'index' : 'walk';
  if (found.kind === 'ids') return idsSource(found.ids, found.exact, snapshot.number);
  return request.scope === 'one' ? childrenSource(base) : subtreeSource(base);
}

function idsSource(ids: readonly number[], exact: boolean, number: number): Source {
  let at = 0;
  return {
    next(snapshot, count) {
      const batch = at === 0 && ids.length <= count ? ids : ids.slice(at, at + count);
      at += batch.length;
      // Since another snapshot the entries may have changed: then each is held against the filter again.
      return { ids: batch, exact: exact && snapshot.number === number, last: at >= ids.length };
    },
  };
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
