import { equalBytes } from '#base';
import type { SearchRequest } from '#ldap';
import { formOf, isWithin, keysBelow, parentKey } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Call } from '../call.ts';
import { hasAny } from '../dse.ts';
import { areTogether, type RealmDesk } from '../realms.ts';
import { type Alias, type Aliases, aliasesIn } from './aliases.ts';
import { searches } from './sieve.ts';

/** A scope that aliases make wider than its base (RFC 4511 §4.5.1.3, derefInSearching). */
export interface Extent {
  holds(entry: ReadableEntry): boolean;
  /** What stands for the scope, none below another: trees, and for a search of one level the entries that are in scope beside those below the base. */
  readonly roots: readonly Uint8Array[];
}

/** None of them below another. */
export type Edges = readonly Uint8Array[];

/** What other realms make of the scope below a base. @param extent  where aliases make it wider: they lead anywhere in the realm */
export function realmScope(
  { realms }: RealmDesk,
  snapshot: Snapshot,
  { dnKey, parent }: ReadableEntry,
  extent?: Extent,
): Pick<Scope, 'edges' | 'whole'> {
  const here = realms.in(snapshot);
  if (here.all.length === 1) return parent === undefined ? wholeScope : partScope;
  const edges = here.edgesBelow(extent === undefined ? dnKey : (here.owning(dnKey)?.suffix.key ?? dnKey));
  return edges.length === 0 ? partScope : { edges, whole: false };
}

const wholeScope = { edges: undefined, whole: true };
const partScope = { edges: undefined, whole: false };

/** Whether a name stands behind an edge. */
export function isBeyond(edges: Edges | undefined, dnKey: Uint8Array): boolean {
  return edges?.some((edge) => isWithin(dnKey, edge)) === true;
}

/** What a search looks in: its base, and more where aliases lead out of that. */
export interface Scope {
  readonly base: ReadableEntry;
  readonly extent: Extent | undefined;
  /** Suffixes of other realms below the base: what is there is in no scope of it. Nothing where there are none. */
  readonly edges: Edges | undefined;
  /** The base has all there is below it: it is the suffix of the only realm. */
  readonly whole: boolean;
}

/**
 * Follows the aliases in the scope of a search, and those in what they lead to. What an alias leads to is in scope; below it, too, unless only one level
 * is searched. Aliases that lead nowhere, or to what the asker may not see, are passed over. The base of one level is not
 * part of it, even where an alias leads to it.
 *
 * @returns nothing when no alias leads out of the scope
 * @throws Refusal `aliasesMany` (11)
 */
export function extentOf(call: Call, request: SearchRequest, base: ReadableEntry, snapshot: Snapshot): Extent | undefined {
  const { scope } = request;
  if (scope === 'base' || !searches(request)) return undefined;
  if (!hasAny(call.engine, snapshot, 'alias')) return undefined;
  const aliases = aliasesIn(call.engine, snapshot);
  return scope === 'one' ? besideOneLevel(call, aliases, base, snapshot) : trees(call, aliases, base, snapshot, scope === 'sub');
}

function besideOneLevel(call: Call, aliases: Aliases, base: ReadableEntry, snapshot: Snapshot): Extent | undefined {
  const targets = new Map<string, Uint8Array>();
  for (const alias of aliases.inOrder) {
    const target = alias.parent === base.uuid ? followed(call, aliases, alias, snapshot) : undefined;
    if (target !== undefined && target.parent !== base.uuid && target.uuid !== base.uuid) targets.set(target.uuid, target.dnKey);
  }
  if (targets.size === 0) return undefined;
  return { holds: (entry) => entry.parent === base.uuid || targets.has(entry.uuid), roots: [...targets.values()] };
}

function trees(call: Call, aliases: Aliases, base: ReadableEntry, snapshot: Snapshot, withBase: boolean): Extent | undefined {
  const targets = new Set<string>();
  const isBelowTarget = (key: Uint8Array) => {
    for (let each: Uint8Array | undefined = key; each !== undefined && each.length > 0; each = parentKey(each)) {
      if (targets.has(formOf(each))) return true;
    }
    return false;
  };
  const roots: Uint8Array[] = [];
  const followedBefore = new Set<Alias>();
  const waiting = [base.dnKey];
  for (let root = waiting.pop(); root !== undefined; root = waiting.pop()) {
    for (const alias of within(aliases.inOrder, root)) {
      // What the base itself leads to is for derefFindingBaseObj to say.
      if (alias.uuid === base.uuid || followedBefore.has(alias)) continue;
      followedBefore.add(alias);
      const target = followed(call, aliases, alias, snapshot);
      if (target === undefined || isBelowTarget(target.dnKey)) continue;
      if (isWithin(target.dnKey, base.dnKey) && (withBase || target.uuid !== base.uuid)) continue;
      targets.add(formOf(target.dnKey));
      roots.push(target.dnKey);
      waiting.push(target.dnKey);
    }
  }
  if (roots.length === 0) return undefined;
  return {
    holds: (entry) => (isWithin(entry.dnKey, base.dnKey) && (withBase || entry.uuid !== base.uuid)) || isBelowTarget(entry.dnKey),
    roots: outermost([base.dnKey, ...roots]),
  };
}

/** Those below no other, each once. */
function outermost(keys: readonly Uint8Array[]): Uint8Array[] {
  const kept: Uint8Array[] = [];
  // In the order of the tree a name stands behind all that are above it, and nothing else stands between.
  for (const key of keys.toSorted(Buffer.compare)) {
    const last = kept.at(-1);
    if (last === undefined || !isWithin(key, last)) kept.push(key);
  }
  return kept;
}

/** The aliases at and below a name. */
function within(inOrder: readonly Alias[], root: Uint8Array): readonly Alias[] {
  const start = firstFrom(inOrder, root);
  const own = inOrder[start];
  const isOwn = own !== undefined && Buffer.compare(own.dnKey, root) === 0;
  const { from, before } = keysBelow(root);
  const below = inOrder.slice(firstFrom(inOrder, from), before === undefined ? undefined : firstFrom(inOrder, before));
  return isOwn ? [own, ...below] : below;
}

/** Where the first stands that is not in front of a key. */
function firstFrom(inOrder: readonly Alias[], key: Uint8Array): number {
  let low = 0;
  let high = inOrder.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare((inOrder[middle] as Alias).dnKey, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entry that an alias leads to, through others too; nothing where one of them, or it, may not be seen. */
function followed({ engine, asker }: Call, aliases: Aliases, alias: Alias, snapshot: Snapshot): ReadableEntry | undefined {
  let dnKey = alias.dnKey;
  for (let depth = 0; depth <= engine.settings['ldap.aliasDepthMax']; depth++) {
    const id = snapshot.idOf(dnKey);
    const entry = id === undefined ? undefined : snapshot.readable(id);
    if (entry === undefined || !asker.rightsOn(entry, snapshot).visible || !areTogether(engine, snapshot, dnKey, alias.dnKey))
      return undefined;
    const next = aliases.at(dnKey);
    if (next === undefined) return entry;
    if (equalBytes(next.target, alias.dnKey)) return undefined;
    dnKey = next.target;
  }
  return undefined;
}

/** Whether an entry is in the scope of a search: an index names entries anywhere, and a row number that was read in an earlier turn may be that of another. */
export function inScope({ base, request, extent, edges }: Scope & { readonly request: SearchRequest }, entry: ReadableEntry): boolean {
  if (edges !== undefined && isBeyond(edges, entry.dnKey)) return false;
  if (extent !== undefined) return extent.holds(entry);
  switch (request.scope) {
    case 'base':
      return entry.uuid === base.uuid;
    case 'one':
      return entry.parent === base.uuid;
    case 'sub':
      return isWithin(entry.dnKey, base.dnKey);
    case 'children':
      return entry.uuid !== base.uuid && isWithin(entry.dnKey, base.dnKey);
  }
}
