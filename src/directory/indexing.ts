import { concat, equalBytes } from '#base';
import { sha256 } from '#keys';
import { walkAttributes, walkValues } from '#ldap';
import { type AttributeType, equalityKeys, type Schema, typeOfKey } from '#schema';
import { type Indexer, type IndexKey, keyOctetsMax } from '#store';
import { createDecisions, type Decisions } from './search/descriptions.ts';
import { subschemaKey } from './subschema/stored.ts';

interface IndexRow {
  readonly name: string;
  /** Also found by what stands anywhere in a value: those that people are looked for by, since each value costs some thirty octets more. */
  readonly inside?: true;
  /**
   * Very many values leave their entry (`large.ts`). No type above has an index, and what was once marked stays so: entries may have such lists.
   */
  readonly large?: true;
}

/** The attributes that have an index: equality and initial substrings, and presence. A change of this table changes `indexVersion`. */
const indexed: readonly IndexRow[] = [
  { name: 'objectClass' },
  { name: 'uid', inside: true },
  { name: 'cn', inside: true },
  { name: 'sn', inside: true },
  { name: 'givenName', inside: true },
  { name: 'displayName', inside: true },
  { name: 'mail', inside: true },
  { name: 'telephoneNumber', inside: true },
  { name: 'employeeNumber' },
  { name: 'ou', inside: true },
  { name: 'dc' },
  { name: 'member', large: true },
  { name: 'uniqueMember', large: true },
  { name: 'memberUid', large: true },
  { name: 'owner' },
  { name: 'manager' },
  { name: 'secretary' },
  { name: 'seeAlso' },
  { name: 'roleOccupant' },
  { name: 'uidNumber' },
  { name: 'gidNumber' },
  { name: 'stsCredentialId' },
  { name: 'stsClientId' },
  // An operational one: the service looks for the next that ends.
  { name: 'stsValidUntil' },
];

/** Says by which indexer the keys were made: the store makes all of them anew when it differs from what the file was written with. */
export const indexVersion = `2 ${indexed.map(({ name, inside, large }) => (inside ? `*${name}*` : large ? `${name}+` : name)).join(' ')}`;

const tables = new WeakMap<Schema, ReadonlyMap<AttributeType, IndexRow>>();

export function isIndexed(schema: Schema, type: AttributeType): boolean {
  return tableOf(schema).has(type);
}

/** The same by a type's key, and for those above it: a value is found under these, too. */
export function isFoundBy(schema: Schema, key: string): boolean {
  return lineageOf(schema.attributeType(key)).some((type) => isIndexed(schema, type));
}

/** Whether entries are found by what stands anywhere in a value. */
export function isIndexedInside(schema: Schema, type: AttributeType): boolean {
  return tableOf(schema).get(type)?.inside === true;
}

/**
 * The indexer of a store: equality keys of the attributes in the table. A value counts under its own type and under every supertype that has an
 * index, so that an index answers for a whole family; options make no difference.
 */
export function createIndexer(schema: Schema): Indexer {
  const table = tableOf(schema);
  const typesOf = indexedTypesOf(schema);

  return ({ user, operational, dnKey }, other) => {
    // It is no entry of the tree: were it found as a subentry, every search would look for others to leave out.
    if (dnKey.length === subschemaKey.length && equalBytes(dnKey, subschemaKey)) return [];
    const moved = other === undefined ? undefined : movedTypes(user, other.user, typesOf);
    const keys: IndexKey[] = [];
    const gather = (part: Uint8Array, among: ReadonlySet<AttributeType> | undefined) =>
      walkAttributes(part, (_start, _end, descriptionStart, descriptionEnd, valuesStart, valuesEnd) => {
        let values: Uint8Array[] | undefined;
        for (const type of typesOf.of(part, descriptionStart, descriptionEnd)) {
          if (among?.has(type) === false) continue;
          values ??= valuesOf(part, valuesStart, valuesEnd);
          const inside = table.get(type)?.inside === true;
          for (const key of equalityKeys(schema, type, values)) keys.push({ attribute: type.key, key: indexKey(type, key), inside });
        }
      });
    if (moved?.size !== 0) gather(user, moved);
    // Stamps move with every change: that few of these have an index is found faster than which have moved.
    gather(operational, undefined);
    return keys;
  };
}

/** The keys of indexed attributes that may not have the same values in two states of an entry: by their octets, which is less work than by index keys. */
export function movedKeys(schema: Schema, one: Uint8Array, other: Uint8Array): ReadonlySet<string> {
  return new Set([...movedTypes(one, other, indexedTypesOf(schema))].map(({ key }) => key));
}

const lineages = new WeakMap<Schema, Decisions<readonly AttributeType[]>>();

/** The indexed types under which an attribute counts, by its description. */
function indexedTypesOf(schema: Schema): Decisions<readonly AttributeType[]> {
  let types = lineages.get(schema);
  if (types === undefined) {
    const table = tableOf(schema);
    types = createDecisions((description) =>
      lineageOf(schema.attributeType(typeOfKey(description.toLowerCase()))).filter((type) => table.has(type)),
    );
    lineages.set(schema, types);
  }
  return types;
}

/** The indexer of a store whose schema may change: each entry is indexed by the one that is in force. */
export function createLiveIndexer(live: { readonly current: Schema }): Indexer {
  let schema = live.current;
  let indexer = createIndexer(schema);
  return (entry, other) => {
    if (live.current !== schema) {
      schema = live.current;
      indexer = createIndexer(schema);
    }
    return indexer(entry, other);
  };
}

interface Compared {
  readonly one: Uint8Array;
  readonly other: Uint8Array;
  readonly typesOf: Decisions<readonly AttributeType[]>;
  readonly moved: ReadonlySet<AttributeType>;
}

/** A change asks for the keys of what was and of what is to be, one after the other, and before it for what must be unique. */
let compared: Compared | undefined;

/** The indexed types of all attributes that are not the same, octet for octet, in two states of an entry, whichever is named first. An attribute moves its supertypes, too. */
function movedTypes(one: Uint8Array, other: Uint8Array, typesOf: Decisions<readonly AttributeType[]>): ReadonlySet<AttributeType> {
  const isKnown =
    compared?.typesOf === typesOf &&
    ((compared.one === one && compared.other === other) || (compared.one === other && compared.other === one));
  if (!isKnown) compared = { one, other, typesOf, moved: compare(one, other, typesOf) };
  return (compared as Compared).moved;
}

function compare(one: Uint8Array, other: Uint8Array, typesOf: Decisions<readonly AttributeType[]>): ReadonlySet<AttributeType> {
  const moved = new Set<AttributeType>();
  const held = elementsOf(other);
  const note = (bytes: Uint8Array, { descriptionStart, descriptionEnd }: Element) => {
    for (const type of typesOf.of(bytes, descriptionStart, descriptionEnd)) moved.add(type);
  };
  let next = 0;
  for (const element of elementsOf(one)) {
    // A modify leaves attributes in their order: the same one usually stands where it stood.
    let at = next;
    while (at < held.length && !isSame(one, element, other, held[at] as Element)) at++;
    if (at === held.length) note(one, element);
    else {
      for (; next < at; next++) note(other, held[next] as Element);
      next = at + 1;
    }
  }
  for (; next < held.length; next++) note(other, held[next] as Element);
  return moved;
}

interface Element {
  readonly start: number;
  readonly end: number;
  readonly descriptionStart: number;
  readonly descriptionEnd: number;
}

function elementsOf(bytes: Uint8Array): Element[] {
  const elements: Element[] = [];
  walkAttributes(bytes, (start, end, descriptionStart, descriptionEnd) => elements.push({ start, end, descriptionStart, descriptionEnd }));
  return elements;
}

function isSame(one: Uint8Array, a: Element, other: Uint8Array, b: Element): boolean {
  const octets = a.end - a.start;
  if (b.end - b.start !== octets) return false;
  for (let i = 0; i < octets; i++) if (one[a.start + i] !== other[b.start + i]) return false;
  return true;
}

function valuesOf(bytes: Uint8Array, valuesStart: number, valuesEnd: number): Uint8Array[] {
  const values: Uint8Array[] = [];
  walkValues(bytes, valuesStart, valuesEnd, (start, end) => values.push(bytes.subarray(start, end)));
  return values;
}

/** The types that may be lists, by their keys. */
export function largeTypes(schema: Schema): ReadonlyMap<string, AttributeType> {
  let types = largeTables.get(schema);
  if (types === undefined) {
    types = new Map([...tableOf(schema)].filter(([, { large }]) => large === true).map(([type]) => [type.key, type]));
    largeTables.set(schema, types);
  }
  return types;
}

const largeTables = new WeakMap<Schema, ReadonlyMap<string, AttributeType>>();

const largeKeys = new Set(indexed.filter(({ large }) => large === true).map(({ name }) => name.toLowerCase()));

const digestOctets = 32;

/** How much of any long key the index has as it is. */
export const prefixOctetsMax = keyOctetsMax - digestOctets;

/** A key as it stands in the index. One of a type with lists is the key of no other value: a long one is its beginning and a digest of all of it. */
export function indexKey({ key: name }: AttributeType, key: Uint8Array): Uint8Array {
  // What is cut has just this length and what is not never has: neither can be made to look like the other.
  if (key.length < keyOctetsMax || !largeKeys.has(name)) return key;
  return concat([key.subarray(0, prefixOctetsMax), sha256(key)]);
}

function tableOf(schema: Schema): ReadonlyMap<AttributeType, IndexRow> {
  let table = tables.get(schema);
  if (table === undefined) {
    const types = new Map<AttributeType, IndexRow>();
    for (const row of indexed) {
      const type = schema.attributeType(row.name);
      if (type === undefined) throw new Error(`${row.name} is to be indexed, but no schema defines it`);
      if (row.inside && type.substrings?.within === undefined) throw new Error(`${row.name} has no rule for what stands inside a value`);
      if (row.large && (type.equality === undefined || type.singleValue || row.inside)) throw new Error(`${row.name} cannot be a list`);
      types.set(type, row);
    }
    const isAbove = (type: AttributeType) => lineageOf(type.superior).some((each) => types.has(each));
    for (const [type, { large }] of types) if (large && isAbove(type)) throw new Error(`${type.name} is indexed under another type, too`);
    table = types;
    tables.set(schema, table);
  }
  return table;
}

function lineageOf(type: AttributeType | undefined): AttributeType[] {
  const lineage: AttributeType[] = [];
  for (let each = type; each !== undefined; each = each.superior) lineage.push(each);
  return lineage;
}
