import { text } from '#base';
import { refuse } from '#catalogue';
import { decodeAttributes, type Filter, parseLdapUrl, type SearchRequest } from '#ldap';
import { describe, isWithin, parentKey, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import { errors } from '../errors.ts';
import { nameOfDn } from '../realm.ts';
import { areTogether } from '../realms.ts';
import { type GuardedFilter, guardedFilter } from '../search/filter.ts';
import { ownSource, type Source } from '../search/sources.ts';
import type { DynamicGroups, DynamicMembers, WalkDesk } from './chain.ts';

/** Whose members are found by a search: what one URL of a group says. */
interface MemberUrl {
  readonly baseKey: Uint8Array;
  readonly scope: SearchRequest['scope'];
  readonly filter: Filter;
}

const groupsMax = 1000;
const urlsMax = 100;
const turnEntries = 256;
const filterLimits = { depthMax: 20, filterItemsMax: 100 };
const everything: Filter = { kind: 'present', description: 'objectClass' };

/** The groups of a state of the store, and what their URLs say. */
interface Known {
  readonly number: number;
  readonly ids: ReadonlySet<number>;
  readonly urls: Map<number, readonly MemberUrl[]>;
}

/** Finds groups whose members are found by searches (groupOfURLs), and these. */
export function createDynamicGroups(options: Omit<WalkDesk['engine'], 'dynamicGroups'>): DynamicGroups {
  const { schema } = options;
  let known: Known | undefined;
  const knownIn = (snapshot: Snapshot): Known => {
    if (known?.number !== snapshot.number) {
      const key = schema.attributeType('objectClass')?.equality?.assertion(Buffer.from('groupOfURLs'));
      const ids = key === undefined ? [] : snapshot.idsEqual('objectclass', key, groupsMax);
      known = { number: snapshot.number, ids: new Set(ids), urls: new Map() };
    }
    return known;
  };
  const urlsOf = (snapshot: Snapshot, group: ReadableEntry) => {
    const { urls } = knownIn(snapshot);
    let own = urls.get(group.id);
    if (own === undefined) {
      own = urlsIn(schema, group);
      urls.set(group.id, own);
    }
    return own;
  };
  const dynamic: DynamicGroups = {
    groups: (snapshot) => knownIn(snapshot).ids,
    sources: (snapshot, group) => urlsOf(snapshot, group).flatMap((url) => sourceFor(engine, snapshot, url) ?? []),
    membersFor: (asker) => createDynamicMembers({ engine, asker }, urlsOf),
  };
  const engine = { ...options, dynamicGroups: dynamic };
  return dynamic;
}

/** As `slapo-dynlist` with `groupOfURLs memberURL member`: a URL of another host, or one that asks for attributes, names no members. */
function urlsIn(schema: Schema, { user }: ReadableEntry): readonly MemberUrl[] {
  return decodeAttributes(user)
    .filter(({ description }) => describe(schema, description)?.type.key === 'memberurl')
    .flatMap(({ values }) => values.slice(0, urlsMax).flatMap((value) => urlIn(schema, text(value) ?? '')));
}

function urlIn(schema: Schema, value: string): readonly MemberUrl[] {
  const parsed = parseLdapUrl(value, filterLimits);
  if (parsed.kind === 'bad' || parsed.url.host !== '' || parsed.url.attributes.length > 0) return [];
  const { dn, scope = 'base', filter = everything } = parsed.url;
  try {
    return [{ baseKey: nameOfDn(schema, dn).key, scope: scope === 'subordinate' ? 'children' : scope, filter }];
  } catch {
    // A name that cannot be one has no members; whoever wrote it is not the one who reads.
    return [];
  }
}

function createDynamicMembers(
  { engine, asker }: WalkDesk,
  urlsOf: (snapshot: Snapshot, group: ReadableEntry) => readonly MemberUrl[],
): DynamicMembers {
  const filters = new Map<Filter, Map<unknown, GuardedFilter>>();
  // What a URL asks of memberOf is answered by the groups that name their members: else two groups could each ask for the members of the other.
  const named = { engine, asker, namedOnly: true } as const;

  const fits = (filter: Filter, entry: ReadableEntry, snapshot: Snapshot): boolean => {
    const rights = asker.rightsOn(entry, snapshot);
    if (!rights.visible) return false;
    const byRights = filters.get(filter) ?? new Map<unknown, GuardedFilter>();
    filters.set(filter, byRights);
    const guarded = byRights.get(rights) ?? guardedFilter(named, filter, rights);
    byRights.set(rights, guarded);
    return guarded.fits(entry, snapshot);
  };
  const holds: DynamicMembers['holds'] = (snapshot, group, entry) =>
    areTogether(engine, snapshot, group.dnKey, entry.dnKey) &&
    urlsOf(snapshot, group).some((url) => isInScope(url, entry) && fits(url.filter, entry, snapshot));

  return {
    holds,
    namesOf(snapshot, group) {
      const names = new Map<number, string>();
      const most = engine.settings['ldap.dynamicEntriesMax'];
      let looked = 0;
      for (const url of urlsOf(snapshot, group)) {
        if (!areTogether(engine, snapshot, url.baseKey, group.dnKey)) continue;
        const source = sourceFor(engine, snapshot, url);
        for (let last = source === undefined; !last; ) {
          const batch = source?.next(snapshot, turnEntries);
          last = batch?.last !== false;
          looked += batch?.ids.length ?? 0;
          if (looked > most) throw refuse(errors.dynamicTooLarge, { most });
          for (const id of batch?.ids ?? []) {
            const entry = names.has(id) ? undefined : snapshot.readable(id);
            const isHere = entry !== undefined && isInScope(url, entry) && areTogether(engine, snapshot, entry.dnKey, group.dnKey);
            if (isHere && fits(url.filter, entry, snapshot)) names.set(id, entry.dn);
          }
        }
      }
      return [...names.values()];
    },
    groupsOf(snapshot, entry) {
      const those: ReadableEntry[] = [];
      for (const id of engine.dynamicGroups.groups(snapshot)) {
        const group = snapshot.readable(id);
        if (group !== undefined && asker.rightsOn(group, snapshot).visible && holds(snapshot, group, entry)) those.push(group);
      }
      return those;
    },
  };
}

/** Where the entries come from among which the members are. */
function sourceFor(engine: WalkDesk['engine'], snapshot: Snapshot, { baseKey, scope, filter }: MemberUrl): Source | undefined {
  const id = snapshot.idOf(baseKey);
  const base = id === undefined ? undefined : snapshot.readable(id);
  return base && ownSource(engine, { scope, filter }, base, snapshot);
}

function isInScope({ baseKey, scope }: MemberUrl, { dnKey }: ReadableEntry): boolean {
  if (!isWithin(dnKey, baseKey)) return false;
  switch (scope) {
    case 'base':
      return dnKey.length === baseKey.length;
    case 'one':
      return parentKey(dnKey)?.length === baseKey.length && dnKey.length > baseKey.length;
    case 'sub':
      return true;
    case 'children':
      return dnKey.length > baseKey.length;
  }
}
