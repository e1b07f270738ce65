import { decodeAttributes } from '#ldap';
import { type AttributeType, equalityKeys, type Schema, typeOfKey } from '#schema';
import type { Indexer, IndexKey } from '#store';

/** The attributes that have an index: equality and initial substrings, and presence. A change of this table changes `indexVersion`. */
const indexed = [
  'objectClass',
  'uid',
  'cn',
  'sn',
  'givenName',
  'displayName',
  'mail',
  'telephoneNumber',
  'employeeNumber',
  'ou',
  'dc',
  'member',
  'uniqueMember',
  'memberUid',
  'owner',
  'manager',
  'uidNumber',
  'gidNumber',
] as const;

/** Says by which indexer the keys were made: the store makes all of them anew when it differs from what the file was written with. */
export const indexVersion = `1 ${indexed.join(' ')}`;

const tables = new WeakMap<Schema, ReadonlySet<AttributeType>>();

export function isIndexed(schema: Schema, type: AttributeType): boolean {
  return tableOf(schema).has(type);
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
        for (const key of equalityKeys(schema, type, values)) keys.push({ attribute: type.key, key });
      }
    }
    return keys;
  };
}

function tableOf(schema: Schema): ReadonlySet<AttributeType> {
  let table = tables.get(schema);
  if (table === undefined) {
    const types = new Set<AttributeType>();
    for (const name of indexed) {
      const type = schema.attributeType(name);
      if (type === undefined) throw new Error(`${name} is to be indexed, but no schema defines it`);
      types.add(type);
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
