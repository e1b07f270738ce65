import type { Filter } from '#ldap';
import { type AttributeType, describe, type Schema } from '#schema';
import type { Snapshot } from '#store';
import { isIndexed, isIndexedInside } from '../indexing.ts';

/** Where the entries come from that a filter is then held against. */
export type Candidates =
  /** `exact`: every one of them fits the filter, and no other entry does. */
  | { readonly kind: 'ids'; readonly ids: readonly number[]; readonly exact: boolean }
  /** No index helps: the whole scope is walked. */
  | { readonly kind: 'scan' };

/** A part of a filter that an index answers, before it is read. */
interface Branch {
  /** How many ids it has, at most `max + 1`. */
  count(max: number): number;
  /** At most `max + 1`; nothing when finding them would be more reading than that is worth. */
  ids(max: number): number[] | undefined;
  readonly exact: boolean;
}

/** The store cuts longer keys: what an index then names must be held against the filter. */
const keyOctetsMax = 1024;

/**
 * Chooses by counting: of an `and` the branch with the fewest entries is read, of an `or` all branches, when all have an index.
 *
 * @param max  ids at most; with more the scope is walked instead
 */
export function findCandidates(schema: Schema, snapshot: Snapshot, filter: Filter, max: number): Candidates {
  const branch = branchOf(schema, snapshot, filter, { inside: insideMax });
  if (branch === undefined) return { kind: 'scan' };
  const ids = branch.ids(max);
  return ids === undefined || ids.length > max ? { kind: 'scan' } : { kind: 'ids', ids, exact: branch.exact };
}

/** Assertions about what stands inside values that a filter may have looked up: each reads a dozen rows, and all are read in one turn of the loop. */
const insideMax = 128;

/** What a filter may still ask of the indexes. */
interface Left {
  inside: number;
}

function branchOf(schema: Schema, snapshot: Snapshot, filter: Filter, left: Left): Branch | undefined {
  switch (filter.kind) {
    case 'and':
      return cheapest(filter.filters.map((each) => branchOf(schema, snapshot, each, left)));
    case 'or':
      return union(filter.filters.map((each) => branchOf(schema, snapshot, each, left)));
    case 'equality':
    case 'approx':
      return equality(schema, snapshot, filter.description, filter.value);
    case 'substrings':
      return substrings(schema, snapshot, filter, left);
    case 'present':
      return presence(schema, snapshot, filter.description);
    case 'not':
    case 'greaterOrEqual':
    case 'lessOrEqual':
    case 'extensible':
      return undefined;
  }
}

const nothing: Branch = { count: () => 0, ids: () => [], exact: true };

function equality(schema: Schema, snapshot: Snapshot, description: string, value: Uint8Array): Branch | undefined {
  const described = describe(schema, description);
  // What cannot be evaluated is true of no entry (RFC 4511 §4.5.1.7).
  if (described === undefined || described.type.equality === undefined) return nothing;
  const { type } = described;
  if (type.key === 'entryuuid') return byUuid(snapshot, value);
  if (!isIndexed(schema, type)) return undefined;
  const key = type.key === 'objectclass' ? classKey(schema, value) : type.equality?.assertion(value);
  if (key === undefined) return nothing;
  return {
    count: (max) => snapshot.countEqual(type.key, key, max + 1),
    ids: (max) => snapshot.idsEqual(type.key, key, max + 1),
    exact: described.options.length === 0 && key.length < keyOctetsMax,
  };
}

/** The index holds classes by their first names, whatever name or OID an entry or a filter gives. */
function classKey(schema: Schema, value: Uint8Array): Uint8Array | undefined {
  const name = schema.objectClass(Buffer.from(value).toString('utf8'))?.name;
  return name === undefined ? undefined : schema.attributeType('objectClass')?.equality?.assertion(Buffer.from(name));
}

function byUuid(snapshot: Snapshot, value: Uint8Array): Branch {
  const ids = () => {
    const entry = snapshot.byUuid(Buffer.from(value).toString('latin1').toLowerCase());
    return entry === undefined ? [] : [entry.id];
  };
  return { count: () => 1, ids, exact: false };
}

type SubstringsFilter = Filter & { readonly kind: 'substrings' };

/** What values begin with is a range of the index. What stands elsewhere in them is found by its grams, and so is the beginning beside it. */
function substrings(schema: Schema, snapshot: Snapshot, filter: SubstringsFilter, left: Left): Branch | undefined {
  const described = describe(schema, filter.description);
  if (described === undefined) return nothing;
  const { type } = described;
  if (!isIndexed(schema, type)) return undefined;
  const prefix = filter.initial && type.substrings?.prefix?.(filter.initial);
  const isOnlyInitial = filter.any.length === 0 && filter.final === undefined;
  const branches: Branch[] = [];
  if (prefix !== undefined) branches.push(range(snapshot, type.key, prefix));
  if (!isOnlyInitial && isIndexedInside(schema, type) && left.inside-- > 0) {
    const branch = inside(snapshot, type, filter);
    if (branch !== undefined) branches.push(branch);
  }
  return cheapest(branches);
}

/** Parts shorter than this are no help. */
const partOctetsMin = 4;

function inside(snapshot: Snapshot, type: AttributeType, { initial, any, final }: SubstringsFilter): Branch | undefined {
  const given = [
    { part: initial, position: 'initial' as const },
    ...any.map((part) => ({ part, position: 'any' as const })),
    { part: final, position: 'final' as const },
  ];
  const parts: Uint8Array[] = [];
  for (const { part, position } of given) {
    const within = part && type.substrings?.within?.(part, position);
    if (within !== undefined && within.length >= partOctetsMin) parts.push(within);
  }
  if (parts.length === 0) return undefined;
  return {
    count: (max) => snapshot.countInside(type.key, parts, max + 1) ?? max + 1,
    ids: (max) => snapshot.idsInside(type.key, parts, max + 1),
    exact: false,
  };
}

function presence(schema: Schema, snapshot: Snapshot, description: string): Branch | undefined {
  const described = describe(schema, description);
  if (described === undefined) return nothing;
  // Every entry has an objectClass: reading that index would be a walk with a detour.
  if (described.type.key === 'objectclass' || !isIndexed(schema, described.type)) return undefined;
  return range(snapshot, described.type.key, new Uint8Array(0));
}

function range(snapshot: Snapshot, attribute: string, prefix: Uint8Array): Branch {
  let read: { readonly max: number; readonly ids: number[] } | undefined;
  const ids = (max: number) => {
    if (read === undefined || read.max < max) read = { max, ids: snapshot.idsPrefix(attribute, prefix, max + 1) };
    return read.ids;
  };
  return { count: (max) => Math.min(ids(max).length, max + 1), ids, exact: false };
}

/** How far branches are counted at first, and by how much further when all have more. */
const countedFirst = 16;
const countedFactor = 8;

/** All branches are counted a little, then further: a rare value beside a common one costs a few rows, not the count of the common one. */
function cheapest(branches: readonly (Branch | undefined)[]): Branch | undefined {
  const usable = branches.filter((branch) => branch !== undefined);
  const only = usable[0];
  if (only === undefined) return undefined;
  if (branches.length === 1) return only;
  if (usable.length === 1) return { ...only, exact: false };

  const choose = (max: number): { readonly branch: Branch; readonly count: number } => {
    for (let bound = Math.min(countedFirst, max); ; bound = Math.min(bound * countedFactor, max)) {
      let best = { branch: only, count: only.count(bound) };
      for (const branch of usable.slice(1)) {
        if (best.count === 0) break;
        const count = branch.count(bound);
        if (count < best.count) best = { branch, count };
      }
      if (best.count <= bound || bound === max) return best;
    }
  };
  return { count: (max) => choose(max).count, ids: (max) => choose(max).branch.ids(max), exact: false };
}

function union(branches: readonly (Branch | undefined)[]): Branch | undefined {
  const usable = branches.filter((branch) => branch !== undefined);
  if (usable.length < branches.length) return undefined;
  const only = usable[0];
  // RFC 4526: an empty or is false.
  if (only === undefined) return nothing;
  if (usable.length === 1) return only;
  return {
    count: (max) => usable.reduce((sum, branch) => (sum > max ? sum : sum + branch.count(max)), 0),
    ids(max) {
      const all = new Set<number>();
      let read = 0;
      for (const branch of usable) {
        const ids = branch.ids(max);
        // What is read counts, not what is new: a branch that stands there a thousand times is read a thousand times.
        read += ids?.length ?? 0;
        if (ids === undefined || read > max) return undefined;
        for (const id of ids) all.add(id);
      }
      return [...all].sort((a, b) => a - b);
    },
    exact: usable.every((branch) => branch.exact),
  };
}
