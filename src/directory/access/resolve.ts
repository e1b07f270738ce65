import { equalBytes } from '#base';
import { type AttributeType, isWithin, type Schema } from '#schema';
import type { Realm } from '../realm.ts';
import type { Identity } from '../types.ts';
import { type AccessRow, accessTable, type Place, type When, type Who } from './table.ts';

/** What one may do with the entries of one place. */
export interface Rights {
  /** An entry that one may read nothing of does not exist for them. */
  readonly visible: boolean;
  /** All user attributes, and all operational ones: what is stored may be sent as it is. */
  readonly allUser: boolean;
  readonly allOperational: boolean;
  mayRead(type: AttributeType): boolean;
  mayWrite(type: AttributeType): boolean;
  readonly mayAdd: boolean;
  readonly mayDelete: boolean;
  readonly mayRename: boolean;
}

/** The table, resolved against the schema: rights per asker and place, made once for each setting of the conditions. */
export interface AccessTable {
  /** @param scope  `nothing` for one whom the rules here do not know */
  rights(who: Who, where: Place, conditions: readonly When[], scope?: 'nothing'): Rights;
}

const conditionsAll: readonly When[] = ['anonymousReadPublic', 'development'];

/** @throws Error when the table names an attribute that no schema defines: a defect, not a refusal */
export function resolveAccess(schema: Schema, table: readonly AccessRow[] = accessTable): AccessTable {
  const made = new Map<string, Rights>();
  const nothing = resolveRows(schema, []);
  for (const row of table) for (const name of [...row.reads, ...(row.writes ?? [])]) typesOf(schema, name);

  return {
    rights(who, where, conditions, scope) {
      if (scope === 'nothing') return nothing;
      const holding = conditionsAll.filter((condition) => conditions.includes(condition));
      const key = `${who} ${where} ${holding.join(' ')}`;
      let rights = made.get(key);
      if (rights === undefined) {
        const rows = table.filter(
          (row) => row.who.includes(who) && row.where.includes(where) && (row.when === undefined || holding.includes(row.when)),
        );
        rights = resolveRows(schema, rows);
        made.set(key, rights);
      }
      return rights;
    },
  };
}

function resolveRows(schema: Schema, rows: readonly AccessRow[]): Rights {
  const reads = grant(
    schema,
    rows.flatMap((row) => row.reads),
  );
  const writes = grant(
    schema,
    rows.flatMap((row) => row.writes ?? []),
  );
  return {
    visible: reads.any,
    allUser: reads.allUser,
    allOperational: reads.allOperational,
    mayRead: (type) => !type.secret && !type.sealed && reads.holds(type),
    mayWrite: writes.holds,
    mayAdd: rows.some((row) => row.adds === true),
    mayDelete: rows.some((row) => row.deletes === true),
    mayRename: rows.some((row) => row.renames === true),
  };
}

function grant(schema: Schema, names: readonly string[]) {
  const allUser = names.includes('*');
  const allOperational = names.includes('+');
  const types = new Set<AttributeType>();
  for (const name of names) for (const type of typesOf(schema, name)) types.add(type);
  return {
    any: names.length > 0,
    allUser,
    allOperational,
    holds: (type: AttributeType) => (type.usage === 'userApplications' ? allUser : allOperational) || types.has(type),
  };
}

function typesOf(schema: Schema, name: string): readonly AttributeType[] {
  if (name === '*' || name === '+') return [];
  const type = schema.attributeType(name);
  if (type === undefined) throw new Error(`the access table names ${name}, which no schema defines`);
  return type.family;
}

/** Whose rights count: how someone came in, and whether they are the built-in administrator. */
export function whoIs(realm: Realm, identity: Identity, dnKey: Uint8Array | undefined): Who {
  switch (identity.strength) {
    case 'anonymous':
      return 'anonymous';
    case 'operatorsSocket':
      return 'administrator';
    case 'webLayer':
      return 'webLayer';
    case 'ownPassword':
    case 'certificate':
    case 'onBehalf':
      return dnKey !== undefined && equalBytes(dnKey, realm.administrator.key) ? 'administrator' : 'person';
  }
}

/** Where an entry stands, for one who asks and whose own it may be. */
export function placeOf(realm: Realm, dnKey: Uint8Array, isOwn: boolean): Place {
  if (isOwn) return 'own';
  const { suffix, people, groups } = realm;
  if (isWithin(dnKey, people.key)) return dnKey.length === people.key.length ? 'frame' : 'person';
  if (isWithin(dnKey, groups.key)) return dnKey.length === groups.key.length ? 'frame' : 'group';
  return equalBytes(dnKey, suffix.key) ? 'frame' : 'elsewhere';
}
