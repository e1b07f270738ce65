import { concat } from '#base';
import { decodeAttributes, decodeValue, encodeAttributeHead, type PartialAttribute, walkAttributes, walkValues } from '#ldap';
import { type AttributeType, formOf, type LargeAttribute, normalizer, type Schema } from '#schema';
import { atOnce, type EntryRecord, type LargeRules, type List, type Snapshot, type StoredEntry } from '#store';
import { indexKey, largeTypes } from './indexing.ts';
import { createDecisions } from './search/descriptions.ts';

/** With more values than this an attribute leaves its entry, and with fewer than that it comes back: between the two it stays where it is. */
export const valuesMax = 256;
export const valuesMin = 64;

/** No value takes fewer octets, and no list. */
const valueOctetsMin = 2;
const listOctetsMin = valuesMax * valueOctetsMin;

type SplitList = ReturnType<LargeRules['split']>['lists'][number];

const nothingSplit: readonly SplitList[] = [];

/** What the store is told of large attributes: those in the table of `indexing.ts`, without options. */
export function createLargeRules(schema: Schema): LargeRules {
  const types = largeTypes(schema);
  const typeOf = createDecisions((description) => types.get(description.toLowerCase()));
  return {
    split(entry) {
      return hasLong(entry.user) ? atOnce(split(entry, typeOf)) : { entry, lists: nothingSplit };
    },
    splitInSteps(entry) {
      return hasLong(entry.user) ? split(entry, typeOf) : undefined;
    },
    keyOf(attribute, value) {
      const type = types.get(attribute);
      return type === undefined || value.length < valueOctetsMin ? undefined : keyOf(type, decodeValue(value));
    },
  };
}

/** The same where the schema may change. */
export function createLiveLargeRules(live: { readonly current: Schema }): LargeRules {
  let schema = live.current;
  let rules = createLargeRules(schema);
  const now = () => {
    if (live.current !== schema) {
      schema = live.current;
      rules = createLargeRules(schema);
    }
    return rules;
  };
  return {
    split: (entry) => now().split(entry),
    splitInSteps: (entry) => now().splitInSteps(entry),
    keyOf: (attribute, value) => now().keyOf(attribute, value),
  };
}

/** Nearly no entry has such an attribute. */
function hasLong(user: Uint8Array): boolean {
  if (user.length <= listOctetsMin) return false;
  let isLong = false;
  walkAttributes(user, (_start, _end, _descriptionStart, _descriptionEnd, valuesStart, valuesEnd) => {
    if (valuesEnd - valuesStart > listOctetsMin) isLong = true;
  });
  return isLong;
}

type Split = ReturnType<LargeRules['split']>;

function* split(
  entry: EntryRecord,
  typeOf: { of(bytes: Uint8Array, start: number, end: number): AttributeType | undefined },
): Generator<undefined, Split> {
  const { user } = entry;
  const elements: {
    readonly octets: Uint8Array;
    readonly long: { readonly type: AttributeType; readonly values: Uint8Array } | undefined;
  }[] = [];
  walkAttributes(user, (start, end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
    const isLong = valuesEnd - valuesStart > listOctetsMin;
    const type = isLong ? typeOf.of(user, descriptionStart, descriptionEnd) : undefined;
    elements.push({ octets: user.subarray(start, end), long: type && { type, values: user.subarray(valuesStart, valuesEnd) } });
  });
  const lists: SplitList[] = [];
  const kept: Uint8Array[] = [];
  for (const { octets, long } of elements) {
    const values = long && (yield* valuesOf(long.type, long.values));
    if (long === undefined || values === undefined) kept.push(octets);
    else lists.push({ attribute: long.type.key, description: long.type.name, values });
  }
  return lists.length === 0 ? { entry, lists } : { entry: { ...entry, user: concat(kept) }, lists };
}

/** So many values are a small step. */
const stepValues = 32;

/** The values of a list; nothing for what is no list: too few, and values that could not be told apart by their keys. */
function* valuesOf(type: AttributeType, bytes: Uint8Array): Generator<undefined, SplitList['values'] | undefined> {
  const places: [start: number, contentStart: number, end: number][] = [];
  let last = 0;
  walkValues(bytes, 0, bytes.length, (start, end) => {
    places.push([last, start, end]);
    last = end;
  });
  if (places.length <= valuesMax) return undefined;
  const values: { octets: Uint8Array; key: Uint8Array }[] = [];
  const seen = new Set<string>();
  for (const [start, contentStart, end] of places) {
    if (values.length % stepValues === stepValues - 1) yield;
    const key = keyOf(type, bytes.subarray(contentStart, end));
    if (key === undefined || seen.size === seen.add(formOf(key)).size) return undefined;
    values.push({ octets: bytes.subarray(start, end), key });
  }
  return values;
}

function keyOf(type: AttributeType, value: Uint8Array): Uint8Array | undefined {
  const normal = normalizer(type)(value);
  return normal && indexKey(type, normal);
}

/** How many values of lists go with what is written in the place of an entry, for its change; nothing for nearly all entries. */
export function dropped({ large }: Pick<StoredEntry, 'large'>): { readonly drops?: number } {
  return large.length === 0 ? nothingDropped : { drops: large.reduce((sum, { count }) => sum + count, 0) };
}

const nothingDropped = {};

/** Octets of all lists of an entry. */
export function listOctets({ large }: Pick<StoredEntry, 'large'>): number {
  return large.reduce((sum, { octets }) => sum + octets, 0);
}

/** An attribute that an entry keeps as a list, as a filter, a comparison or a check looks at it. Good for one turn, as its snapshot. */
export function largeAttribute(schema: Schema, snapshot: Pick<Snapshot, 'hasValue' | 'valuesOf'>, id: number, list: List): LargeAttribute {
  const type = schema.attributeType(list.attribute);
  const rule = type?.equality;
  if (type === undefined || rule === undefined) throw new Error(`a list of an attribute without an equality rule: ${list.attribute}`);
  let values: readonly Uint8Array[] | undefined;
  return {
    description: list.description,
    rule,
    fresh: [],
    get values() {
      values ??= listedAttribute(snapshot, list).values;
      return values;
    },
    holds: (normal) => snapshot.hasValue(id, list.attribute, indexKey(type, normal)),
  };
}

/** An attribute that an entry keeps as a list, with all of its values. */
export function listedAttribute(snapshot: Pick<Snapshot, 'valuesOf'>, list: List): PartialAttribute {
  const values: Uint8Array[] = [];
  for (const piece of snapshot.valuesOf(list)) {
    walkValues(piece, 0, piece.length, (start, end) => void values.push(piece.subarray(start, end)));
  }
  return { description: list.description, values };
}

/** The same as it travels, in pieces. */
export function listedPieces(snapshot: Snapshot, list: List): Uint8Array[] {
  const pieces = snapshot.valuesOf(list);
  return [
    encodeAttributeHead(
      list.description,
      pieces.reduce((sum, piece) => sum + piece.length, 0),
    ),
    ...pieces,
  ];
}

/** All user attributes of an entry, those that are lists too. */
export function userAttributes(snapshot: Snapshot, { user, large }: Pick<StoredEntry, 'user' | 'large'>): PartialAttribute[] {
  const attributes = decodeAttributes(user);
  return large.length === 0 ? attributes : [...attributes, ...large.map((list) => listedAttribute(snapshot, list))];
}
