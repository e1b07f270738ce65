import { refuse } from '#catalogue';
import type { Result, SearchRequest } from '#ldap';
import type { Call } from '../call.ts';
import { dereference } from '../controls/dereference.ts';
import type { ControlKind } from '../controls/kind.ts';
import { matchedValues } from '../controls/matched-values.ts';
import { pagedResults } from '../controls/paged-results.ts';
import { persistentSearch } from '../controls/persistent-search.ts';
import { sorting } from '../controls/sorting.ts';
import { syncRequest } from '../controls/sync-request.ts';
import { virtualListView } from '../controls/virtual-list-view.ts';
import { errors } from '../errors.ts';
import { search } from '../search/search.ts';
import { searchPersistently } from './persistent.ts';
import { synchronize } from './synchronize.ts';

/** A copy is of whole entries, in the order of their changes. */
const others: readonly ControlKind<unknown>[] = [pagedResults, sorting, virtualListView, matchedValues, dereference];

/** A search with controls: one that ends, or one that goes on with what changes. @throws Refusal of these; `followedOtherwise` (53) */
export function searchOrFollow(call: Call, request: SearchRequest): Result | Promise<Result> {
  const synced = call.controls.of(syncRequest);
  const persistent = call.controls.of(persistentSearch);
  if (synced === undefined && persistent === undefined) return search(call, request);
  const apart = synced !== undefined && persistent !== undefined ? persistentSearch : others.find((kind) => call.controls.has(kind));
  if (apart !== undefined) throw refuse(errors.followedOtherwise, { oid: apart.oid });
  if (synced !== undefined) return synchronize(call, request, synced);
  return persistent === undefined ? search(call, request) : searchPersistently(call, request, persistent);
}
