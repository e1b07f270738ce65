import { equalBytes, utf8 } from '#base';
import { refuse } from '#catalogue';
import type { Filter } from '#ldap';
import { type AttributeType, describe, formOf, normalizer, type Schema } from '#schema';
import { keyOctetsMax, type ReadableEntry, type Snapshot } from '#store';
import type { Asker } from '../access/asker.ts';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { indexKey, isIndexed } from '../indexing.ts';
import { userAttributes } from '../large.ts';
import { areTogether } from '../realms.ts';
import type { Source } from '../search/sources.ts';

/** Whether an extensible match asks for the rule that follows names from entry to entry, as Active Directory has it. */
export function isInChain(schema: Schema, { rule }: Filter & { readonly kind: 'extensible' }): boolean {
  return rule !== undefined && schema.matchingRule(rule)?.follows === true;
}

/** Attributes that make an entry a group: what `memberOf` is worked out from. */
const memberNames = ['member', 'uniqueMember'] as const;

export function memberTypes(schema: Schema): readonly AttributeType[] {
  return memberNames.flatMap((name) => schema.attributeType(name) ?? []);
}

/** Whether entries are found by the names that an attribute of theirs holds, so that these can be followed. */
export function isFollowable(schema: Schema, type: AttributeType): boolean {
  return isIndexed(schema, type) && (type.equality?.name === 'distinguishedNameMatch' || type.equality?.name === 'uniqueMemberMatch');
}

/** Whether the in-chain rule can be asked of an attribute: `memberOf`, and what can be followed. Anything else it says nothing about. */
export function isChainable(schema: Schema, description: string | undefined): boolean {
  const type = description === undefined ? undefined : describe(schema, description)?.type;
  return type !== undefined && (type.key === 'memberof' || isFollowable(schema, type));
}

/** Looks at members of dynamic groups for one who asks: only entries that they may see, by attributes that they may read. */
export interface DynamicMembers {
  /** The names of all members. @throws Refusal `dynamicTooLarge` (LDAP adminLimitExceeded) */
  namesOf(snapshot: Snapshot, group: ReadableEntry): readonly string[];
  holds(snapshot: Snapshot, group: ReadableEntry, entry: ReadableEntry): boolean;
  /** The groups that hold an entry, of those that may be seen. */
  groupsOf(snapshot: Snapshot, entry: ReadableEntry): readonly ReadableEntry[];
}

/** Groups whose members are found by searches. */
export interface DynamicGroups {
  /** The row numbers of all of them: looked up once for each state of the store. */
  groups(snapshot: Snapshot): ReadonlySet<number>;
  /** Where the members of one come from; none for what is no such group. */
  sources(snapshot: Snapshot, group: ReadableEntry): readonly Source[];
  membersFor(asker: Asker): DynamicMembers;
}

/** What a walk needs to know: who asks, and how far it may go. */
export interface WalkDesk {
  readonly engine: Pick<Engine, 'schema' | 'settings' | 'clock' | 'dynamicGroups' | 'realms' | 'sealer' | 'access'>;
  readonly asker: Asker;
  /** Groups whose members are found by searches do not count: so within such a search. */
  readonly namedOnly?: true;
}

/** Walks from an entry to those that name it in certain attributes, and on to those that name these, each once, whatever circles there are. */
export interface Walk {
  /** Those that name an entry themselves. */
  direct(snapshot: Snapshot, dnKey: Uint8Array): readonly ReadableEntry[];
  /** All of them, the nearest first. @throws Refusal `chainTooLong` (LDAP adminLimitExceeded) */
  all(snapshot: Snapshot, dnKey: Uint8Array): ReadonlyMap<number, ReadableEntry>;
  /** Whether an entry, by its row number, is among them. @throws Refusal as `all` */
  leadsTo(snapshot: Snapshot, dnKey: Uint8Array, id: number): boolean;
}

/** Where the names were followed to before in the same state of the store. */
const keptMax = 10_000;

/**
 * @param types  attributes in which entries name others
 * @param besides  others that name an entry, in a way that no index knows
 * @param mayFollow  whether who asks may know that an entry names others: one that they may not see leads nowhere
 */
export function createWalk(
  { engine }: { readonly engine: Pick<Engine, 'settings' | 'realms'> },
  types: readonly AttributeType[],
  mayFollow: (entry: ReadableEntry, snapshot: Snapshot) => boolean,
  besides: (snapshot: Snapshot, dnKey: Uint8Array) => readonly ReadableEntry[] = () => [],
): Walk {
  const { settings } = engine;
  let number = -1;
  let named = new Map<string, readonly ReadableEntry[]>();
  /** For each entry that was asked for, whether others lead to it. */
  let leading = new Map<number, Map<number, boolean>>();

  const direct = (snapshot: Snapshot, dnKey: Uint8Array): readonly ReadableEntry[] => {
    if (number !== snapshot.number) {
      number = snapshot.number;
      named = new Map();
      leading = new Map();
    }
    const form = formOf(dnKey);
    let those = named.get(form);
    if (those === undefined) {
      those = namersOf(snapshot, types, dnKey, settings['ldap.chainEntriesMax']).filter(
        (each) => areTogether(engine, snapshot, each.dnKey, dnKey) && mayFollow(each, snapshot),
      );
      const more = besides(snapshot, dnKey);
      if (more.length > 0) those = [...new Map([...those, ...more].map((each) => [each.id, each])).values()];
      if (named.size >= keptMax) named.clear();
      named.set(form, those);
    }
    return those;
  };

  const visit = (snapshot: Snapshot, dnKey: Uint8Array, look: (entry: ReadableEntry) => 'stop' | 'on' | 'past') => {
    const seen = new Map<number, ReadableEntry>();
    const most = settings['ldap.chainEntriesMax'];
    const queue = [dnKey];
    for (let at = 0; at < queue.length; at++) {
      for (const each of direct(snapshot, queue[at] as Uint8Array)) {
        if (seen.has(each.id)) continue;
        if (seen.size >= most) throw refuse(errors.chainTooLong, { most });
        seen.set(each.id, each);
        const next = look(each);
        if (next === 'stop') return { seen, stopped: true };
        if (next === 'on') queue.push(each.dnKey);
      }
    }
    return { seen, stopped: false };
  };

  return {
    direct,
    all: (snapshot, dnKey) => visit(snapshot, dnKey, () => 'on').seen,
    leadsTo(snapshot, dnKey, id) {
      // Looked at first: it forgets what was known of another state.
      const first = direct(snapshot, dnKey);
      const leads = leading.get(id) ?? new Map<number, boolean>();
      leading.set(id, leads);
      const { seen, stopped } = visit(snapshot, dnKey, (each) => {
        if (each.id === id || leads.get(each.id) === true) return 'stop';
        return leads.get(each.id) === false ? 'past' : 'on';
      });
      if (stopped && first.length === 1) leads.set(first[0]?.id ?? 0, true);
      // From what was seen without meeting it nothing leads there.
      if (!stopped) for (const each of seen.keys()) leads.set(each, false);
      return stopped;
    },
  };
}

function namersOf(snapshot: Snapshot, types: readonly AttributeType[], dnKey: Uint8Array, most: number): ReadableEntry[] {
  const ids = new Set<number>();
  for (const type of types) for (const id of snapshot.idsEqual(type.key, indexKey(type, dnKey), most + 1)) ids.add(id);
  if (ids.size > most) throw refuse(errors.chainTooLong, { most });
  const those: ReadableEntry[] = [];
  for (const id of ids) {
    const entry = snapshot.readable(id);
    // The index has only the beginning of a long key: whether it is this name is seen on the entry.
    if (entry !== undefined && (dnKey.length < keyOctetsMax || types.some((type) => names(snapshot, entry, type, dnKey))))
      those.push(entry);
  }
  return those;
}

function names(snapshot: Snapshot, entry: ReadableEntry, type: AttributeType, dnKey: Uint8Array): boolean {
  const normal = normalizer(type);
  return userAttributes(snapshot, entry).some(
    ({ description, values }) =>
      description.toLowerCase().startsWith(type.key) && values.some((value) => equalBytes(normal(value) ?? utf8(''), dnKey)),
  );
}

/** The groups of entries, as `memberOf` names them. */
export interface Groups {
  readonly walk: Walk;
  /** The names of the groups that hold an entry. */
  namesOf(snapshot: Snapshot, entry: Pick<ReadableEntry, 'dnKey'>): readonly string[];
  isEmpty(snapshot: Snapshot, entry: Pick<ReadableEntry, 'dnKey'>): boolean;
  /** Whether one of them has the name of a key. */
  holds(snapshot: Snapshot, entry: Pick<ReadableEntry, 'dnKey'>, groupKey: Uint8Array): boolean;
  /** The same, through other groups whatever the setting says. */
  reaches(snapshot: Snapshot, entry: Pick<ReadableEntry, 'dnKey'>, groupKey: Uint8Array): boolean;
}

/** Groups that who asks may see, and of which they may see that they are one. */
export function createGroups(desk: WalkDesk): Groups {
  const { engine, asker } = desk;
  let dynamic: DynamicMembers | undefined;
  const besides = (snapshot: Snapshot, dnKey: Uint8Array) => {
    if (desk.namedOnly || engine.dynamicGroups.groups(snapshot).size === 0) return [];
    const id = snapshot.idOf(dnKey);
    const entry = id === undefined ? undefined : snapshot.readable(id);
    dynamic ??= engine.dynamicGroups.membersFor(asker);
    return entry === undefined ? [] : dynamic.groupsOf(snapshot, entry).filter((group) => mayFollow(group, snapshot));
  };
  const types = memberTypes(engine.schema);
  // Who may not read the members of an entry does not learn them by what the members say.
  const mayFollow = (entry: ReadableEntry, snapshot: Snapshot) => {
    const rights = asker.rightsOn(entry, snapshot);
    return types.every((type) => rights.mayRead(type));
  };
  const walk = createWalk(desk, types, mayFollow, besides);
  const isNested = () => engine.settings['ldap.memberOf'] === 'nested';
  const reaches: Groups['reaches'] = (snapshot, { dnKey }, groupKey) => {
    const id = snapshot.idOf(groupKey);
    return id !== undefined && walk.leadsTo(snapshot, dnKey, id);
  };
  return {
    walk,
    namesOf: (snapshot, { dnKey }) =>
      isNested() ? [...walk.all(snapshot, dnKey).values()].map(({ dn }) => dn) : walk.direct(snapshot, dnKey).map(({ dn }) => dn),
    isEmpty: (snapshot, { dnKey }) => walk.direct(snapshot, dnKey).length === 0,
    holds: (snapshot, entry, groupKey) =>
      isNested()
        ? reaches(snapshot, entry, groupKey)
        : walk.direct(snapshot, entry.dnKey).some((group) => equalBytes(group.dnKey, groupKey)),
    reaches,
  };
}
