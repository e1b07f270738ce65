import { type BoundedMap, createBoundedMap } from '#base';
import { walkAttributes, walkValues } from '#ldap';
import { type AttributeType, describe, formOf, normalizer, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import { indexKey } from '../indexing.ts';
import { memberTypes, type WalkDesk } from '../relations/chain.ts';
import { type Branch, byIndex, end, nothing, pageOfList } from './branches.ts';
import { createDecisions, type Decisions } from './descriptions.ts';
import type { Source } from './sources.ts';

/** Names that are looked up in one turn of the event loop while candidates are gathered. */
const turnNames = 512;

/** Candidates that are gathered some at a time: until all of them are known a page is empty and goes through nothing. */
function gathered(
  ids: ReadonlySet<number>,
  count: Branch['count'],
  more: (snapshot: Snapshot) => boolean,
  whole: (list: readonly number[], current: Snapshot) => void = () => undefined,
): Branch {
  let list: readonly number[] | undefined;
  return {
    by: byIndex,
    count: (current, max) => (list === undefined ? count(current, max) : Math.min(list.length, max + 1)),
    page(current, afterId, limit) {
      if (list === undefined && more(current)) return { ids: [], through: afterId, exact: false };
      if (list === undefined) {
        list = [...ids].sort((a, b) => a - b);
        whole(list, current);
      }
      return pageOfList(list, afterId, limit, false);
    },
  };
}

/** The one entry of a name. */
export function entryNamed(dnKey: Uint8Array): Branch {
  return {
    by: byIndex,
    count: () => 1,
    page(current, afterId) {
      const id = current.idOf(dnKey);
      return { ids: id === undefined || id <= afterId ? [] : [id], through: end, exact: false };
    },
  };
}

/** All members of a group and of the groups among them, from the values that these have: some names in each turn, however many there are. */
export function membersOf(engine: WalkDesk['engine'], snapshot: Snapshot, groupKey: Uint8Array, namedOnly: boolean): Branch {
  const { schema } = engine;
  const id = snapshot.idOf(groupKey);
  const group = id === undefined ? undefined : snapshot.readable(id);
  if (group === undefined) return nothing;
  const lately = latelyGathered(engine);
  const name = `${namedOnly} ${formOf(groupKey)}`;
  const known = lately.get(name);
  if (known !== undefined && known.number === snapshot.number) return ofList(known.ids);
  const named = countNames(schema, group);
  const ids = new Set<number>();
  const queue: Iterator<Uint8Array>[] = [];
  const sources: Source[] = [];
  const begin = (current: Snapshot, entry: ReadableEntry) => {
    if (countNames(schema, entry) > 0) queue.push(namesIn(schema, current, entry));
    if (!namedOnly && engine.dynamicGroups.groups(current).has(entry.id)) sources.push(...engine.dynamicGroups.sources(current, entry));
  };
  const add = (current: Snapshot, member: number | undefined) => {
    if (member === undefined || ids.has(member)) return;
    ids.add(member);
    const entry = current.readable(member);
    if (entry !== undefined) begin(current, entry);
  };
  let begun: number | undefined;
  return gathered(
    ids,
    (_current, max) => Math.min(ids.size + named, max + 1),
    (current) => {
      // As it is now: the values of a list are those of one state of the store.
      const now = begun === undefined ? current.readable(group.id) : undefined;
      begun ??= current.number;
      if (now !== undefined) begin(current, now);
      for (let looked = 0; looked < turnNames; looked++) {
        const key = queue.at(-1)?.next();
        if (key?.done === true) queue.pop();
        else if (key !== undefined) add(current, current.idOf(key.value));
        else {
          const source = sources.at(-1);
          if (source === undefined) return false;
          const batch = source.next(current, turnNames);
          if (batch.last) sources.splice(sources.indexOf(source), 1);
          for (const each of batch.ids) add(current, each);
          return true;
        }
      }
      return true;
    },
    (list, { number }) => {
      if (number !== begun || number <= 0 || list.length < keptMin || list.length > keptMax) return;
      lately.set(name, { number, ids: Float64Array.from(list) });
    },
  );
}

/** Fewer members are gathered as fast as they are found here. */
const keptMin = 256;
const keptMax = 200_000;
const keptLists = 8;

interface Members {
  /** The commit that they are of: with the next one they are gathered anew. */
  readonly number: number;
  readonly ids: Float64Array;
}

const keptBy = new WeakMap<object, BoundedMap<string, Members>>();

/** Members of large groups as they were gathered for a page: the next page of an unchanged directory costs what it shows. */
function latelyGathered(engine: object): BoundedMap<string, Members> {
  let kept = keptBy.get(engine);
  if (kept === undefined) {
    kept = createBoundedMap(keptLists);
    keptBy.set(engine, kept);
  }
  return kept;
}

/** @param ids  in their order */
function ofList(ids: Float64Array): Branch {
  return {
    by: byIndex,
    count: (_current, max) => Math.min(ids.length, max + 1),
    page(_current, afterId, limit) {
      let [low, high] = [0, ids.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ids[middle] as number) <= afterId) low = middle + 1;
        else high = middle;
      }
      const some = Array.from(ids.subarray(low, low + limit));
      return { ids: some, through: low + limit >= ids.length ? end : (some.at(-1) as number), exact: false };
    },
  };
}

const readers = new WeakMap<Schema, Decisions<AttributeType | undefined>>();

/** Which attribute of names that make a group a description is. */
function readerOf(schema: Schema): Decisions<AttributeType | undefined> {
  let reader = readers.get(schema);
  if (reader === undefined) {
    const types = memberTypes(schema);
    reader = createDecisions((description) => {
      const type = describe(schema, description)?.type;
      return types.find(({ family }) => type !== undefined && family.includes(type));
    });
    readers.set(schema, reader);
  }
  return reader;
}

/** How many names a group has as members; none for what is no group. */
function countNames(schema: Schema, { user, large }: ReadableEntry): number {
  const known = readerOf(schema);
  let count = 0;
  walkAttributes(user, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
    if (known.of(user, descriptionStart, descriptionEnd) !== undefined) walkValues(user, valuesStart, valuesEnd, () => void count++);
  });
  for (const list of large) if (memberTypes(schema).some(({ key }) => key === list.attribute)) count += list.count;
  return count;
}

/** Their keys, each made when it is asked for; what they are made of is read at once. */
function namesIn(schema: Schema, snapshot: Snapshot, { user, large }: ReadableEntry): Iterator<Uint8Array> {
  const known = readerOf(schema);
  const parts: [bytes: Uint8Array, from: number, to: number, type: AttributeType][] = [];
  walkAttributes(user, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
    const type = known.of(user, descriptionStart, descriptionEnd);
    // Read entries are views of a cache: what outlives the turn is a copy.
    if (type !== undefined) parts.push([user.slice(valuesStart, valuesEnd), 0, valuesEnd - valuesStart, type]);
  });
  for (const list of large) {
    const type = memberTypes(schema).find(({ key }) => key === list.attribute);
    if (type !== undefined) for (const piece of snapshot.valuesOf(list)) parts.push([piece, 0, piece.length, type]);
  }
  return keysIn(parts);
}

function* keysIn(parts: readonly [bytes: Uint8Array, from: number, to: number, type: AttributeType][]): Generator<Uint8Array, undefined> {
  for (const [bytes, from, to, type] of parts) {
    const normal = normalizer(type);
    const places: number[] = [];
    walkValues(bytes, from, to, (start, stop) => void places.push(start, stop));
    for (let at = 0; at < places.length; at += 2) {
      const key = normal(bytes.subarray(places[at], places[at + 1]));
      if (key !== undefined && key.length > 0) yield key;
    }
  }
  return undefined;
}

/** All entries that name one in an attribute with an index, and those that name these. */
export function namersOf(type: AttributeType, dnKey: Uint8Array): Branch {
  const ids = new Set<number>();
  const queue = [dnKey];
  const first = (current: Snapshot, max: number) => current.countEqual(type.key, indexKey(type, dnKey), max + 1);
  /** How far the last of the queue has been read. */
  let after = 0;
  return gathered(ids, first, (current) => {
    for (let looked = 0; looked < turnNames; ) {
      const key = queue.at(-1);
      if (key === undefined) return false;
      const some = current.idsEqual(type.key, indexKey(type, key), turnNames, after);
      looked += some.length + 1;
      if (some.length < turnNames) {
        queue.pop();
        after = 0;
      } else after = some.at(-1) ?? 0;
      const fresh = some.filter((id) => !ids.has(id));
      for (const id of fresh) ids.add(id);
      const found = fresh.flatMap((id) => current.readable(id)?.dnKey ?? []);
      // What is left of a name is read before others.
      if (after > 0) queue.splice(queue.length - 1, 0, ...found);
      else queue.push(...found);
    }
    return true;
  });
}
