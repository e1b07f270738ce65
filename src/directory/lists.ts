import { refuse } from '#catalogue';
import { encodeValue, type PartialAttribute } from '#ldap';
import { type Described, describe, formOf, type LargeAttribute, type Schema } from '#schema';
import type { Change, EntryRecord, List, Snapshot, StoredEntry } from '#store';
import { errors } from './errors.ts';
import { largeTypes } from './indexing.ts';
import { dropped, largeAttribute, listedAttribute, valuesMax, valuesMin } from './large.ts';
import { type Attributes, recordOf } from './record.ts';

/** A list of an entry while a write decides about it: values are looked up, and none of the others is read. */
export interface EditedList {
  readonly list: List;
  readonly count: number;
  /** Octets of all values as they will be. */
  readonly octets: number;
  readonly removed: readonly Uint8Array[];
  readonly added: readonly Uint8Array[];
  /** As checks look at it. */
  readonly attribute: LargeAttribute;
  /** @throws Refusal `valueExists` (20), `valueUnfit` (21) */
  add(values: readonly Uint8Array[], permissive: boolean): void;
  /** The same for the one at an index, whose normal form is known. */
  addOne(value: Uint8Array, index: number, normal: Uint8Array, permissive: boolean): void;
  /** @throws Refusal `attributeAbsent` (16), `valueUnfit` (21) */
  remove(values: readonly Uint8Array[], permissive: boolean): void;
  removeOne(value: Uint8Array, normal: Uint8Array, permissive: boolean): void;
  /** All values as they will be. */
  values(): readonly Uint8Array[];
  /** The same, each of those that are stored when it is asked for; nothing for one that goes. */
  each(): Iterable<Uint8Array | undefined>;
}

/** The lists of an entry; keys as in `Attributes`. */
export type EditedLists = Map<string, EditedList>;

/** What of a snapshot lists need. */
type ListLook = Pick<Snapshot, 'hasValue' | 'valuesOf'>;

/** The values of an entry that lie outside of it, as they are before a change; nothing is read of them until it is asked for. */
export function editedLists(schema: Schema, snapshot: ListLook, entry: Pick<StoredEntry, 'id' | 'large'>): EditedLists {
  const lists: EditedLists = new Map();
  for (const list of entry.large) {
    const described = describe(schema, list.description);
    if (described === undefined) throw new Error(`a list of an attribute without a type: ${list.description}`);
    const stored = largeAttribute(schema, snapshot, entry.id, list);
    lists.set(
      described.key,
      editedList(described, stored, list, () => listedAttribute(snapshot, list).values),
    );
  }
  return lists;
}

function editedList({ type, description }: Described, stored: LargeAttribute, list: List, read: () => readonly Uint8Array[]): EditedList {
  const removed = new Map<string, Uint8Array>();
  const added = new Map<string, Uint8Array>();

  const normalOf = (value: Uint8Array): Uint8Array => {
    const normal = stored.rule.normalize(value);
    if (normal === undefined)
      throw refuse(errors.valueUnfit, { attribute: description, why: `the value does not fit ${type.syntax.name}` });
    return normal;
  };
  const holds = (normal: Uint8Array): boolean => {
    const form = formOf(normal);
    return added.has(form) || (!removed.has(form) && stored.holds(normal));
  };
  const addOne: EditedList['addOne'] = (value, index, normal, permissive) => {
    if (!holds(normal)) added.set(formOf(normal), value);
    else if (!permissive)
      throw refuse(errors.valueExists, { attribute: `modify/add: ${description}`, why: `value #${index} already exists` });
  };
  const removeOne: EditedList['removeOne'] = (value, normal, permissive) => {
    const form = formOf(normal);
    if (holds(normal)) {
      if (!added.delete(form)) removed.set(form, value);
    } else if (!permissive && !removed.has(form))
      throw refuse(errors.attributeAbsent, { attribute: `modify/delete: ${description}`, why: 'no such value' });
  };
  const octetsOf = (values: Iterable<Uint8Array>) => [...values].reduce((sum, value) => sum + value.length, 0);

  return {
    list,
    get count() {
      return list.count - removed.size + added.size;
    },
    get octets() {
      return list.octets - octetsOf(removed.values()) + octetsOf(added.values());
    },
    get removed() {
      return [...removed.values()];
    },
    get added() {
      return [...added.values()];
    },
    get attribute() {
      return { description, rule: stored.rule, values: [], fresh: [...added.values()], holds };
    },
    add(values, permissive) {
      for (const [index, value] of values.entries()) addOne(value, index, normalOf(value), permissive);
    },
    addOne,
    remove(values, permissive) {
      for (const value of values) removeOne(value, normalOf(value), permissive);
    },
    removeOne,
    values() {
      const held = read();
      const stay = removed.size === 0 ? held : held.filter((value) => !removed.has(formOf(normalOf(value))));
      return [...stay, ...added.values()];
    },
    *each() {
      for (const value of read()) yield removed.has(formOf(normalOf(value))) ? undefined : value;
      yield* added.values();
    },
  };
}

/** An entry's attributes with its lists among them, as checks look at them. */
export function withLists(attributes: Attributes, lists: EditedLists): Attributes {
  if (lists.size === 0) return attributes;
  const all: Attributes = new Map(attributes);
  for (const [key, list] of lists) if (list.count > 0) all.set(key, list.attribute);
  return all;
}

/**
 * Takes into an entry what is to be a list no more. Where one has become short or is gone, or another attribute is to become one, all of the entry is
 * written anew, its lists too; otherwise only what is changed of them.
 */
export function settleLists(schema: Schema, attributes: Attributes, entry: Pick<StoredEntry, 'large'>, lists: EditedLists): void {
  if (entry.large.length === 0 || stayLists(schema, attributes, entry, lists)) return;
  for (const [key, list] of lists) {
    const values = list.values();
    if (values.length > 0) attributes.set(key, { description: list.list.description, values });
  }
  lists.clear();
}

/** Whether an entry that has lists keeps just these. */
export function stayLists(schema: Schema, attributes: Attributes, entry: Pick<StoredEntry, 'large'>, lists: EditedLists): boolean {
  const stay = lists.size === entry.large.length && [...lists.values()].every(({ count }) => count >= valuesMin);
  return stay && ![...attributes].some(([key, attribute]) => isGrown(schema, key, attribute));
}

function isGrown(schema: Schema, key: string, { values }: PartialAttribute): boolean {
  return values.length > valuesMax && largeTypes(schema).has(key);
}

/** How an entry is written. */
export interface Changed {
  readonly change: Change;
  /** Octets that stay outside of the entry. */
  readonly listedOctets: number;
  /** All of it, with the values of its lists. */
  readonly whole: () => EntryRecord;
}

/** The change that writes an entry whose lists were settled. */
export function changeOf(
  schema: Schema,
  place: Parameters<typeof recordOf>[1],
  attributes: Attributes,
  lists: EditedLists,
  before: Pick<StoredEntry, 'large'>,
): Changed {
  const entry = recordOf(schema, place, attributes);
  if (lists.size === 0) {
    const change: Change = before.large.length === 0 ? { kind: 'put', entry } : { kind: 'put', entry, ...dropped(before) };
    return { change, listedOctets: 0, whole: () => entry };
  }
  const all = [...lists.values()];
  const changes = all.map(({ list: { attribute, description }, removed, added }) => ({
    attribute,
    description,
    removed: removed.map(encodeValue),
    added: added.map(encodeValue),
  }));
  const whole = () => {
    const listed = [...lists].map(([key, list]) => [key, { description: list.list.description, values: list.values() }] as const);
    return recordOf(schema, place, new Map([...attributes, ...listed]));
  };
  return { change: { kind: 'amend', entry, lists: changes }, listedOctets: all.reduce((sum, { octets }) => sum + octets, 0), whole };
}
