import { utf8 } from '#base';
import type { PartialAttribute } from '#ldap';
import { type AttributeType, type ChainedAttribute, formOf, type LargeAttribute, type Schema, type WorkedAttribute } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Asker } from '../access/asker.ts';
import { roleOf } from '../administrators.ts';
import { appPasswordInfoOf } from '../app-passwords.ts';
import { expiryOf, ttlS } from '../dynamic-entries.ts';
import { appOf, codesLeftOf, hasPasswordOf } from '../holders.ts';
import { expiryOfPassword } from '../password-times.ts';
import { subschemaDn } from '../realm.ts';
import { createGroups, createWalk, type DynamicMembers, type Groups, type WalkDesk } from '../relations/chain.ts';

/** What tells an entry from all others. */
export type Identified = Pick<ReadableEntry, 'id' | 'dn' | 'dnKey' | 'uuid' | 'parent'>;

/** What attributes are worked out with. */
interface Workshop extends WalkDesk {
  readonly groups: Groups;
}

/** An attribute that no entry stores: worked out for those who ask for it. */
interface Computed {
  readonly name: string;
  /** Not among those that `+` stands for: others would pay for what nobody looks at. */
  readonly onlyNamed?: true;
  readonly values: (shop: Workshop, entry: Identified, snapshot: Snapshot) => readonly string[];
}

const memberOf = 'memberOf';
const member = 'member';

const table: readonly Computed[] = [
  { name: 'entryDN', values: (_shop, entry) => [entry.dn] },
  { name: 'subschemaSubentry', values: () => [subschemaDn] },
  { name: 'hasSubordinates', values: (_shop, entry, snapshot) => [snapshot.hasChildren(entry.uuid) ? 'TRUE' : 'FALSE'] },
  { name: 'numSubordinates', onlyNamed: true, values: (_shop, entry, snapshot) => [String(snapshot.countChildren(entry.uuid))] },
  // Only for those who name it: the time is in the entry's record, which is read for it.
  { name: 'entryTtl', onlyNamed: true, values: ({ engine }, entry, snapshot) => ttlOf(engine.clock.nowMs(), snapshot.readable(entry.id)) },
  // What OpenLDAP's consumers, and those who watch over them, read at the suffix.
  { name: 'contextCSN', values: (_shop, { parent }, { csn }) => (parent === undefined && csn !== undefined ? [csn] : []) },
  // Only for those who name them: they are worked out of what is secret.
  { name: 'stsAuthenticatorApp', onlyNamed: true, values: ({ engine }, { uuid }, snapshot) => appOf(engine, snapshot.byUuid(uuid)) },
  { name: 'stsRecoveryCodesLeft', onlyNamed: true, values: ({ engine }, { uuid }, snapshot) => codesLeftOf(engine, snapshot.byUuid(uuid)) },
  { name: 'stsHasPassword', onlyNamed: true, values: ({ engine }, { uuid }, snapshot) => hasPasswordOf(engine, snapshot.byUuid(uuid)) },
  {
    name: 'stsAppPasswordInfo',
    onlyNamed: true,
    values: ({ engine }, { uuid }, snapshot) => appPasswordInfoOf(engine, snapshot.byUuid(uuid)),
  },
  // It goes by the policy and the mode of this moment.
  {
    name: 'stsPasswordExpires',
    onlyNamed: true,
    values: ({ engine }, { uuid }, snapshot) => expiryOfPassword(engine, snapshot, snapshot.byUuid(uuid)),
  },
  // Only for those who name it: groups are followed for it.
  { name: 'stsAdministersRealm', onlyNamed: true, values: ({ engine }, { dnKey }, snapshot) => roleOf(engine, snapshot, dnKey) },
  { name: memberOf, values: ({ groups }, entry, snapshot) => groups.namesOf(snapshot, entry) },
];

function ttlOf(nowMs: number, entry: ReadableEntry | undefined): readonly string[] {
  const expiresMs = entry === undefined ? undefined : expiryOf(entry);
  return expiresMs === undefined ? [] : [String(ttlS(expiresMs, nowMs))];
}

const tables = new WeakMap<Schema, ReadonlyMap<AttributeType, Computed>>();

function rowsOf(schema: Schema): ReadonlyMap<AttributeType, Computed> {
  let rows = tables.get(schema);
  if (rows === undefined) {
    rows = new Map(table.flatMap((row) => [[schema.attributeType(row.name), row] as const]).filter(isDefined));
    tables.set(schema, rows);
  }
  return rows;
}

function isDefined(pair: readonly [AttributeType | undefined, Computed]): pair is readonly [AttributeType, Computed] {
  return pair[0] !== undefined;
}

/** True of an attribute that is worked out when it is read: no index and no column has it. */
export function isComputed(schema: Schema, type: AttributeType): boolean {
  return rowsOf(schema).has(type);
}

/** The computed attributes of a kind. @param isAsked  told whether `+` stands for it, too */
export function computedTypes(schema: Schema, isAsked: (type: AttributeType, onlyNamed: boolean) => boolean): readonly AttributeType[] {
  return [...rowsOf(schema)].filter(([type, { onlyNamed }]) => isAsked(type, onlyNamed === true)).map(([type]) => type);
}

/** Works attributes out for one who asks. */
export interface Working {
  /** As an entry has it; `undefined` for one that it has not, and for one that is stored where it is. */
  attribute(type: AttributeType, entry: Identified, snapshot: Snapshot): PartialAttribute | undefined;
  /** The same for a filter or a comparison, which may need less than all values. */
  askedOf(type: AttributeType, entry: Identified, snapshot: Snapshot): WorkedAttribute | undefined;
  /** The members of a group that are found by searches, where a group has such; nothing for any other entry. */
  members(entry: ReadableEntry, snapshot: Snapshot): PartialAttribute | undefined;
  /** The same for a comparison. */
  membersAsked(entry: ReadableEntry, snapshot: Snapshot): WorkedAttribute | undefined;
  /** An attribute that names entries, as the in-chain rule looks at it: `held` is what the entry has of it. */
  chained(type: AttributeType, held: PartialAttribute, entry: Identified, snapshot: Snapshot): PartialAttribute;
}

export function createWorking(desk: WalkDesk): Working {
  const { schema } = desk.engine;
  let groups: Groups | undefined;
  const shop: Workshop = {
    ...desk,
    get groups() {
      groups ??= createGroups(desk);
      return groups;
    },
  };
  let dynamic: DynamicMembers | undefined;
  const chains = new Map<AttributeType, ReturnType<typeof chainOf>>();

  const attribute: Working['attribute'] = (type, entry, snapshot) => {
    const row = rowsOf(schema).get(type);
    const values = row?.values(shop, entry, snapshot) ?? [];
    return row === undefined || values.length === 0 ? undefined : { description: row.name, values: values.map(utf8) };
  };
  return {
    attribute,
    askedOf(type, entry, snapshot) {
      if (type.name !== memberOf) {
        const worked = attribute(type, entry, snapshot);
        return worked && { ...worked, worked: true };
      }
      return shop.groups.isEmpty(snapshot, entry) ? undefined : groupsAsked(type, shop.groups, entry, snapshot);
    },
    members(entry, snapshot) {
      if (!desk.engine.dynamicGroups.groups(snapshot).has(entry.id)) return undefined;
      dynamic ??= desk.engine.dynamicGroups.membersFor(desk.asker);
      const names = dynamic.namesOf(snapshot, entry);
      return names.length === 0 ? undefined : { description: member, values: names.map(utf8) };
    },
    membersAsked(entry, snapshot) {
      if (!desk.engine.dynamicGroups.groups(snapshot).has(entry.id)) return undefined;
      dynamic ??= desk.engine.dynamicGroups.membersFor(desk.asker);
      return membersAsked(desk, dynamic, entry, snapshot);
    },
    chained(type, held, entry, snapshot) {
      let chain = chains.get(type);
      if (chain === undefined) {
        chain = chainOf(desk, type);
        chains.set(type, chain);
      }
      const reached = chain;
      // Not a copy: what is worked out of it stays so.
      return Object.create(held, { chained: { value: (normal: Uint8Array) => reached(snapshot, normal).has(entry.id) } });
    },
  };
}

/** What works out for one who asks in one state of the store. */
export interface WorkingFor {
  of(asker: Asker, snapshot: Snapshot): Working;
  /** Whether an entry is a group whose members are found by searches. */
  isDynamic(entry: Identified, snapshot: Snapshot): boolean;
}

/** Kept from one entry to the next, since groups of one are groups of others; and only the last, since it holds all that it has met. */
export function lastWorking(engine: WalkDesk['engine']): WorkingFor {
  let last: { readonly asker: Asker; readonly number: number; readonly working: Working } | undefined;
  return {
    of(asker, { number }) {
      if (last === undefined || last.asker !== asker || last.number !== number) {
        last = { asker, number, working: createWorking({ engine, asker }) };
      }
      return last.working;
    },
    isDynamic: ({ id }, snapshot) => engine.dynamicGroups.groups(snapshot).has(id),
  };
}

/** `memberOf` of an entry that is in a group, by what indexes say of it. */
function groupsAsked(
  { equality }: AttributeType,
  groups: Groups,
  entry: Identified,
  snapshot: Snapshot,
): LargeAttribute & ChainedAttribute & WorkedAttribute {
  if (equality === undefined) throw new Error('memberOf has no equality rule');
  return {
    description: memberOf,
    rule: equality,
    fresh: [],
    worked: true,
    get values() {
      return groups.namesOf(snapshot, entry).map(utf8);
    },
    holds: (normal) => groups.holds(snapshot, entry, normal),
    chained: (normal) => groups.reaches(snapshot, entry, normal),
  };
}

/** `member` of a group whose members are found by searches: whether an entry is one is asked of that entry alone. */
function membersAsked(
  { engine }: WalkDesk,
  dynamic: DynamicMembers,
  group: ReadableEntry,
  snapshot: Snapshot,
): LargeAttribute & WorkedAttribute {
  const rule = engine.schema.attributeType(member)?.equality;
  if (rule === undefined) throw new Error('member has no equality rule');
  return {
    description: member,
    rule,
    fresh: [],
    worked: true,
    get values() {
      return dynamic.namesOf(snapshot, group).map(utf8);
    },
    holds(normal) {
      const id = snapshot.idOf(normal);
      const entry = id === undefined ? undefined : snapshot.readable(id);
      return entry !== undefined && dynamic.holds(snapshot, group, entry);
    },
  };
}

/** All entries from which an attribute leads to a name, found from its end and kept as long as nothing changes. */
function chainOf(desk: WalkDesk, type: AttributeType) {
  const walk = createWalk(desk, [type], (entry, snapshot) => desk.asker.rightsOn(entry, snapshot).mayRead(type));
  let number = -1;
  let reached = new Map<string, ReadonlyMap<number, ReadableEntry>>();
  return (snapshot: Snapshot, normal: Uint8Array): ReadonlyMap<number, unknown> => {
    if (number !== snapshot.number) reached = new Map();
    number = snapshot.number;
    const form = formOf(normal);
    let those = reached.get(form);
    if (those === undefined) {
      those = walk.all(snapshot, normal);
      reached.set(form, those);
    }
    return those;
  };
}
