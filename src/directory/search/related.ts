import { walkAttributes, walkValues } from '#ldap';
import { type AttributeType, describe, normalizer, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import { indexKey } from '../indexing.ts';
import { memberTypes, type WalkDesk } from '../relations/chain.ts';
import { type Branch, byIndex, end, nothing, pageOfList } from './branches.ts';
import { createDecisions, type Decisions } from './descriptions.ts';
import type { Source } from './sources.ts';

/** Names that are looked up in one turn of the event loop while candidates are gathered. */
const turnNames = 512;

/** Candidates that are gathered some at a time: until all of them are known a page is empty and goes through nothing. */
function gathered(ids: ReadonlySet<number>, count: Branch['count'], more: (snapshot: Snapshot) => boolean): Branch {
  let list: readonly number[] | undefined;
  return {
    by: byIndex,
    count: (max) => (list === undefined ? count(max) : Math.min(list.length, max + 1)),
    page(current, afterId, limit) {
      if (list === undefined && more(current)) return { ids: [], through: afterId, exact: false };
      list ??= [...ids].sort((a, b) => a - b);
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

/** All members of a group and of the groups among them, from the values that these have. */
export function membersOf(engine: WalkDesk['engine'], snapshot: Snapshot, groupKey: Uint8Array, namedOnly: boolean): Branch {
  const { schema } = engine;
  const group = snapshot.idOf(groupKey);
  const entry = group === undefined ? undefined : snapshot.readable(group);
  if (entry === undefined) return nothing;
  const ids = new Set<number>();
  const names = namesIn(schema, snapshot, entry);
  const queue: Uint8Array[][] = [names];
  const sources: Source[] = namedOnly ? [] : [...engine.dynamicGroups.sources(snapshot, entry)];
  const add = (current: Snapshot, id: number | undefined) => {
    if (id === undefined || ids.has(id)) return;
    ids.add(id);
    const member = current.readable(id);
    if (member === undefined) return;
    const further = namesIn(schema, current, member);
    if (further.length > 0) queue.push(further);
    if (!namedOnly && engine.dynamicGroups.groups(current).has(id)) sources.push(...engine.dynamicGroups.sources(current, member));
  };
  return gathered(
    ids,
    (max) => Math.min(ids.size + names.length, max + 1),
    (current) => {
      for (let looked = 0; looked < turnNames; looked++) {
        const some = queue.at(-1);
        const key = some?.pop();
        if (some?.length === 0) queue.pop();
        if (key !== undefined) add(current, current.idOf(key));
        else if (queue.length === 0) {
          const source = sources.at(-1);
          if (source === undefined) return false;
          const batch = source.next(current, turnNames);
          if (batch.last) sources.splice(sources.indexOf(source), 1);
          for (const id of batch.ids) add(current, id);
          return true;
        }
      }
      return true;
    },
  );
}

const readers = new WeakMap<Schema, Decisions<AttributeType | undefined>>();

/** The keys of the names that a group has as members; none for what is no group. */
function namesIn(schema: Schema, snapshot: Snapshot, { user, large }: ReadableEntry): Uint8Array[] {
  let reader = readers.get(schema);
  if (reader === undefined) {
    const types = memberTypes(schema);
    reader = createDecisions((description) => {
      const type = describe(schema, description)?.type;
      return types.find(({ family }) => type !== undefined && family.includes(type));
    });
    readers.set(schema, reader);
  }
  const known = reader;
  const keys: Uint8Array[] = [];
  const collect = (bytes: Uint8Array, from: number, to: number, type: AttributeType) => {
    const normal = normalizer(type);
    walkValues(bytes, from, to, (start, stop) => {
      const key = normal(bytes.subarray(start, stop));
      if (key !== undefined && key.length > 0) keys.push(key);
    });
  };
  walkAttributes(user, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
    const type = known.of(user, descriptionStart, descriptionEnd);
    if (type !== undefined) collect(user, valuesStart, valuesEnd, type);
  });
  for (const list of large) {
    const type = memberTypes(schema).find(({ key }) => key === list.attribute);
    if (type !== undefined) for (const piece of snapshot.valuesOf(list)) collect(piece, 0, piece.length, type);
  }
  return keys;
}

/** All entries that name one in an attribute with an index, and those that name these. */
export function namersOf(snapshot: Snapshot, type: AttributeType, dnKey: Uint8Array): Branch {
  const ids = new Set<number>();
  const queue = [dnKey];
  const first = (max: number) => snapshot.countEqual(type.key, indexKey(type, dnKey), max + 1);
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
