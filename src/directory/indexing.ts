import { decodeAttributes } from '#ldap';
import { type AttributeType, equalityKeys, type Schema, typeOfKey } from '#schema';
import type { Indexer, IndexKey } from '#store';

interface IndexRow {
  readonly name: string;
  /** Also found by what stands anywhere in a value: those that people are looked for by, since each value costs some thirty octets more. */
  readonly inside?: true;
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
  { name: 'member' },
  { name: 'uniqueMember' },
  { name: 'memberUid' },
  { name: 'owner' },
  { name: 'manager' },
  { name: 'uidNumber' },
  { name: 'gidNumber' },
];

/** Says by which indexer the keys were made: the store makes all of them anew when it differs from what the file was written with. */
export const indexVersion = `2 ${indexed.map(({ name, inside }) => (inside ? `*${name}*` : name)).join(' ')}`;

const tables = new WeakMap<Schema, ReadonlyMap<AttributeType, IndexRow>>();

export function isIndexed(schema: Schema, type: AttributeType): boolean {
  return tableOf(schema).has(type);
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
  const underOf = new Map<string, readonly AttributeType[]>();
  const table = tableOf(schema);

  const typesFor = (description: string): readonly AttributeType[] => {
    let types = underOf.get(description);
    if (types === undefined) {
      types = lineageOf(schema.attributeType(typeOfKey(description.toLowerCase()))).filter((type) => table.has(type));
      underOf.set(description, types);
    }
    return types;
  };

  return (entry) => {
    const keys: IndexKey[] = [];
    for (const { description, values } of decodeAttributes(entry.user)) {
      for (const type of typesFor(description)) {
        const inside = table.get(type)?.inside === true;
        for (const key of equalityKeys(schema, type, values)) keys.push({ attribute: type.key, key, inside });
      }
    }
    return keys;
  };
}

function tableOf(schema: Schema): ReadonlyMap<AttributeType, IndexRow> {
  let table = tables.get(schema);
  if (table === undefined) {
    const types = new Map<AttributeType, IndexRow>();
    for (const row of indexed) {
      const type = schema.attributeType(row.name);
      if (type === undefined) throw new Error(`${row.name} is to be indexed, but no schema defines it`);
      if (row.inside && type.substrings?.within === undefined) throw new Error(`${row.name} has no rule for what stands inside a value`);
      types.set(type, row);
    }
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
