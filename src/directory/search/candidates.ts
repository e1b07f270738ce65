import type { Filter } from '#ldap';
import { type AttributeType, describe, formOf, type Schema } from '#schema';
import { keyOctetsMax, type Snapshot } from '#store';
import { indexKey, isIndexed, isIndexedInside, prefixOctetsMax } from '../indexing.ts';
import { isFollowable, isInChain, type WalkDesk } from '../relations/chain.ts';
import { type Branch, byColumn, byIndex, cheapest, end, listed, nothing, pageOf, pageOfList, union } from './branches.ts';
import { type ColumnProbe, equalityProbe, orderingProbe, presenceProbe, substringsProbe } from './columns.ts';
import { isComputed } from './computed.ts';
import { entryNamed, membersOf, namersOf } from './related.ts';

/** Keys with one beginning do not stand in the order of ids and are read in one step: with more of them a column is looked through instead. */
const prefixRowsMax = 4096;
/** Assertions about what stands inside values that a filter may have looked up: each reads a dozen rows, and all are read in one turn of the loop. */
const insideMax = 128;
/** Columns that a filter may have looked through, each a little in every turn. */
const columnsMax = 16;

/** Groups and chains of names that a filter may have followed, each a little in every turn. */
const gatheredMax = 8;

/** What candidates are looked for with. */
interface Asking {
  /** Whether groups whose members are found by searches count as groups: not within such a search. */
  readonly namedOnly: boolean;
  readonly engine: WalkDesk['engine'];
  readonly schema: Schema;
  readonly snapshot: Snapshot;
  /** How many entries an `or` may name. */
  readonly max: number;
  /** What the filter may still ask of the store. */
  insideLeft: number;
  columnsLeft: number;
  /** What is gathered from entry to entry: the same only once, however often the filter names it. */
  gathered: Map<string, Branch> | undefined;
}

/**
 * Chooses where the entries come from that a filter is then held against: of an `and` the branch with the fewest, of an `or` all branches, when all
 * have an index or a column.
 *
 * @returns nothing when the whole scope must be walked
 */
export function findCandidates(engine: WalkDesk['engine'], snapshot: Snapshot, filter: Filter, namedOnly = false): Branch | undefined {
  const { schema } = engine;
  const max = engine.settings['ldap.searchCandidatesMax'];
  return branchOf(
    { engine, namedOnly, schema, snapshot, max, insideLeft: insideMax, columnsLeft: columnsMax, gathered: undefined },
    filter,
  );
}

function branchOf(asking: Asking, filter: Filter): Branch | undefined {
  switch (filter.kind) {
    case 'and':
      return cheapest(filter.filters.map((each) => branchOf(asking, each)));
    case 'or':
      return union(
        filter.filters.map((each) => branchOf(asking, each)),
        asking.snapshot,
        asking.max,
      );
    case 'equality':
    case 'approx':
      return equality(asking, filter.description, filter.value);
    case 'substrings':
      return substrings(asking, filter);
    case 'present':
      return presence(asking, filter.description);
    case 'greaterOrEqual':
    case 'lessOrEqual':
      return ordering(asking, filter);
    case 'extensible':
      return inChain(asking, filter);
    case 'not':
      return undefined;
  }
}

function equality(asking: Asking, description: string, value: Uint8Array): Branch | undefined {
  const { schema } = asking;
  const described = describe(schema, description);
  // What cannot be evaluated is true of no entry (RFC 4511 §4.5.1.7).
  if (described === undefined || described.type.equality === undefined) return nothing;
  const { type } = described;
  if (type.key === 'entryuuid') return byUuid(value);
  if (isComputed(schema, type)) return computed(asking, type, value);
  if (!isIndexed(schema, type)) return column(asking, type, equalityProbe(schema, type, value));
  const normal = type.key === 'objectclass' ? classKey(schema, value) : type.equality?.assertion(value);
  if (normal === undefined) return nothing;
  const key = indexKey(type, normal);
  const exact = described.options.length === 0 && normal.length < keyOctetsMax;
  return {
    by: byIndex,
    count: (current, max) => current.countEqual(type.key, key, max + 1),
    page: (current, afterId, limit) => pageOf(current.idsEqual(type.key, key, limit, afterId), limit, exact),
  };
}

/** What is worked out when it is read is in no index; but a name leads to an entry, and a group to its members. */
function computed(asking: Asking, type: AttributeType, value: Uint8Array): Branch | undefined {
  if (type.key !== 'entrydn' && type.key !== 'memberof') return undefined;
  const key = type.equality?.assertion(value);
  if (key === undefined || key.length === 0) return nothing;
  return type.key === 'entrydn' ? entryNamed(key) : gathered(asking, type, key);
}

/** @returns nothing beyond what a filter may have followed: then the scope is walked, and each entry asked */
function gathered(asking: Asking, type: AttributeType, key: Uint8Array): Branch | undefined {
  const { engine, snapshot, namedOnly } = asking;
  asking.gathered ??= new Map();
  const known = asking.gathered;
  const name = `${type.key} ${formOf(key)}`;
  let branch = known.get(name);
  if (branch !== undefined || known.size >= gatheredMax) return branch;
  branch = type.key === 'memberof' ? membersOf(engine, snapshot, key, namedOnly) : namersOf(type, key);
  known.set(name, branch);
  return branch;
}

function inChain(asking: Asking, filter: Filter & { readonly kind: 'extensible' }): Branch | undefined {
  const { schema } = asking;
  const type = filter.description === undefined ? undefined : describe(schema, filter.description)?.type;
  if (type === undefined || filter.dnAttributes || !isInChain(schema, filter)) return undefined;
  const key = schema.matchingRule(filter.rule ?? '')?.assertion(filter.value);
  if (key === undefined || key.length === 0) return nothing;
  return type.key === 'memberof' || isFollowable(schema, type) ? gathered(asking, type, key) : undefined;
}

/** The index holds classes by their first names, whatever name or OID an entry or a filter gives. */
function classKey(schema: Schema, value: Uint8Array): Uint8Array | undefined {
  const name = schema.objectClass(Buffer.from(value).toString('utf8'))?.name;
  return name === undefined ? undefined : schema.attributeType('objectClass')?.equality?.assertion(Buffer.from(name));
}

function byUuid(value: Uint8Array): Branch {
  const ids = (current: Snapshot) => {
    const entry = current.byUuid(Buffer.from(value).toString('latin1').toLowerCase());
    return entry === undefined ? [] : [entry.id];
  };
  return { by: byIndex, count: () => 1, page: (current, afterId, limit) => pageOfList(ids(current), afterId, limit, false) };
}

type SubstringsFilter = Filter & { readonly kind: 'substrings' };

/** What values begin with is a range of the index. What stands elsewhere in them is found by its grams, and so is the beginning beside it. */
function substrings(asking: Asking, filter: SubstringsFilter): Branch | undefined {
  const { schema } = asking;
  const described = describe(schema, filter.description);
  if (described === undefined) return nothing;
  const { type } = described;
  if (isComputed(schema, type)) return undefined;
  const probe = substringsProbe(schema, type, filter);
  if (probe === undefined || !isIndexed(schema, type)) return column(asking, type, probe);
  const branches: Branch[] = [];
  const prefix = filter.initial && type.substrings?.prefix?.(filter.initial);
  const isOnlyInitial = filter.any.length === 0 && filter.final === undefined;
  if (prefix !== undefined) {
    const tells = isOnlyInitial && described.options.length === 0 && type.substrings?.prefixTells?.(filter.initial as Uint8Array) === true;
    const exact = tells && prefix.length <= prefixOctetsMax;
    branches.push(range(type, prefix.subarray(0, prefixOctetsMax), probe, exact));
  }
  if (!isOnlyInitial && isIndexedInside(schema, type) && asking.insideLeft-- > 0) {
    const branch = inside(type, filter, probe);
    if (branch !== undefined) branches.push(branch);
  }
  return branches.length === 0 ? column(asking, type, probe) : cheapest(branches);
}

/** Parts shorter than this are no help. */
const partOctetsMin = 4;

function inside(type: AttributeType, filter: SubstringsFilter, probe: ColumnProbe): Branch | undefined {
  const given = [
    { part: filter.initial, position: 'initial' as const },
    ...filter.any.map((part) => ({ part, position: 'any' as const })),
    { part: filter.final, position: 'final' as const },
  ];
  const parts: Uint8Array[] = [];
  for (const { part, position } of given) {
    const within = part && type.substrings?.within?.(part, position);
    if (within !== undefined && within.length >= partOctetsMin) parts.push(within);
  }
  if (parts.length === 0) return undefined;
  const list = {
    count: (current: Snapshot, max: number) => current.countInside(type.key, parts, max + 1),
    read: (current: Snapshot) => current.idsInside(type.key, parts, Number.POSITIVE_INFINITY),
    exact: false,
  };
  return listed(list, (current) => scan(current, probe));
}

function presence(asking: Asking, description: string): Branch | undefined {
  const { schema } = asking;
  const described = describe(schema, description);
  if (described === undefined) return nothing;
  const { type } = described;
  // Every entry has an objectClass: reading that index would be a walk with a detour.
  if (type.key === 'objectclass') return undefined;
  if (isComputed(schema, type)) return undefined;
  const probe = presenceProbe(schema, type);
  return isIndexed(schema, type) ? range(type, new Uint8Array(0), probe, false) : column(asking, type, probe);
}

function ordering(asking: Asking, filter: Filter & { readonly kind: 'greaterOrEqual' | 'lessOrEqual' }): Branch | undefined {
  const described = describe(asking.schema, filter.description);
  if (described !== undefined && isComputed(asking.schema, described.type)) return undefined;
  return described === undefined ? nothing : column(asking, described.type, orderingProbe(asking.schema, described.type, filter));
}

/** The keys with one beginning; where they are too many for one step, the column that says the same. */
function range(type: AttributeType, prefix: Uint8Array, probe: ColumnProbe, exact: boolean): Branch {
  let read: { readonly number: number; readonly max: number; readonly ids: readonly number[] | undefined } | undefined;
  const upTo = (current: Snapshot, max: number) => {
    const { number } = current;
    if (read?.number !== number || (read.ids === undefined && read.max < max)) {
      read = { number, max, ids: current.idsPrefix(type.key, prefix, max) };
    }
    return read.ids;
  };
  const list = {
    count: (current: Snapshot, max: number) =>
      upTo(current, Math.min(max, prefixRowsMax))?.length ?? (max < prefixRowsMax ? max + 1 : undefined),
    read: (current: Snapshot) => upTo(current, prefixRowsMax),
    exact,
  };
  return listed(list, (current) => scan(current, probe));
}

/** @param probe  nothing for what is true of no entry */
function column(asking: Asking, type: AttributeType, probe: ColumnProbe | undefined): Branch | undefined {
  // No filter sees what is secret or sealed.
  if (probe === undefined || type.secret || type.sealed) return nothing;
  const { snapshot } = asking;
  if (asking.columnsLeft-- <= 0 || snapshot.scanCost(probe.column) === undefined) return undefined;
  return scan(snapshot, probe);
}

/** Without room for the column the scan gives every entry: as much work as a walk, and as right. */
function scan(snapshot: Snapshot, probe: ColumnProbe): Branch {
  // What is made while the scan goes on would only make it longer.
  const throughId = snapshot.lastId();
  const cost = snapshot.scanCost(probe.column) ?? throughId;
  return {
    by: byColumn,
    count: () => cost,
    page(current, afterId, limit) {
      const { ids, through } = current.scan({ ...probe, afterId, throughId, limit });
      return { ids, through: through >= throughId ? end : through, exact: false };
    },
  };
}
