import { text, utf8 } from '#base';
import type { SettingRows } from '#catalogue';
import { decodeAttributes } from '#ldap';
import { modeOf, readRealmSettings, settingsInForce } from '#policy';
import { describe, equalityKeys, formOf, isWithin, parentKey, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { EngineSettings } from './engine.ts';
import { defaultRealm, type Name, nameBelow, nameOf, type Realm, realmAt } from './realm.ts';
import type { RealmSeed } from './realm-entries/frame.ts';
import type { RealmRules } from './realm-entries/judge.ts';
import { followService, isServiceEntry, type StoredSettings, serviceSettingsOf } from './realm-entries/service.ts';

/** All realms of one state of the directory. The same object as long as they are the same. */
export interface Realms {
  readonly default: Realm;
  /** The default realm first. */
  readonly all: readonly Realm[];
  /** The realm whose suffix is the longest at or above a name; nothing for a name that stands below none. */
  owning(dnKey: Uint8Array): Realm | undefined;
  byId(id: string): Realm | undefined;
  /** The suffixes of other realms below a name of one, none of them below another: what is there is not that realm's. */
  edgesBelow(dnKey: Uint8Array): readonly Uint8Array[];
}

/** The realms as they are in whichever state of the directory is at hand. */
export interface LiveRealms {
  readonly default: Realm;
  /** Below it stand the entries that say which other realms there are. */
  readonly registry: Name;
  /** What entries of realms are judged by. */
  readonly rules: RealmRules;
  /** What a new realm begins with. */
  readonly seed: RealmSeed;
  /** Two numbers are compared, as long as no entry that governs others is touched. */
  in(snapshot: Snapshot): Realms;
}

/** The class of the entries that say which realms there are. */
export const realmClass = 'stsRealmEntry';

/** More are refused long before (`realms.max`): so many are read. */
const realmsMax = 100_000;

interface Desk {
  readonly schema: Schema;
  readonly settings: EngineSettings;
  readonly default: Realm;
  /** Rows of all settings that a realm may have of its own. */
  readonly rows: SettingRows;
  /** First segments of the service's paths, which no realm may be called. */
  readonly segments: () => ReadonlySet<string>;
  readonly seed: RealmSeed;
  /** What is kept of the service's settings. */
  readonly stored?: StoredSettings | undefined;
}

export function createLiveRealms(desk: Desk): LiveRealms {
  const { schema } = desk;
  const registry = registryOf(desk);
  const key = classKey(schema);
  /** Read anew when the entry of a realm is another. */
  const known = new Map<number, { readonly version: number; readonly realm: Realm | undefined }>();
  const followed = desk.stored && followService(serviceSettingsOf(schema, desk.default), desk.stored, (user) => serviceTexts(schema, user));
  let kept = { number: -1, realms: realmsOf(desk.default, []) };

  const read = (snapshot: Snapshot): Realms => {
    const others: Realm[] = [];
    if (known.size > realmsMax) known.clear();
    for (const id of snapshot.idsEqual('objectclass', key, realmsMax)) {
      const entry = snapshot.readable(id);
      if (entry === undefined) continue;
      let each = known.get(id);
      if (each?.version !== entry.version) {
        each = { version: entry.version, realm: readRealm(desk, registry, entry) };
        known.set(id, each);
      }
      if (each.realm !== undefined) others.push(each.realm);
    }
    const { all } = kept.realms;
    const isSame = others.length === all.length - 1 && others.every((realm, at) => realm === all[at + 1]);
    return isSame ? kept.realms : realmsOf(desk.default, others);
  };

  return {
    default: desk.default,
    registry,
    rules: rulesOf(desk),
    seed: desk.seed,
    in(snapshot) {
      if (snapshot.governing <= kept.number && kept.number <= snapshot.number) return kept.realms;
      // They are in force above what realms have of their own. Of what is not committed nothing is.
      if (snapshot.number >= 0) followed?.(snapshot);
      const realms = read(snapshot);
      // What lies over a snapshot changes while it is looked at: nothing is kept of it.
      if (snapshot.number >= 0) kept = { number: snapshot.number, realms };
      return realms;
    },
  };
}

function classKey(schema: Schema): Uint8Array {
  const type = schema.attributeType('objectClass');
  const key = type && equalityKeys(schema, type, [utf8(realmClass)])[0];
  if (key === undefined) throw new Error(`no schema defines ${realmClass}`);
  return key;
}

const none: readonly Uint8Array[] = [];

function realmsOf(first: Realm, others: readonly Realm[]): Realms {
  const all = [first, ...others];
  const ids = new Map(all.map((realm) => [realm.id, realm]));
  const bySuffix = new Map(all.map((realm) => [formOf(realm.suffix.key), realm]));
  const lengths = [...new Set(all.map(({ suffix }) => suffix.key.length))].sort((a, b) => b - a);
  const isInside = ({ suffix }: Realm) => all.some((other) => other.suffix !== suffix && isWithin(suffix.key, other.suffix.key));
  const nested = all.filter(isInside).map(({ suffix }) => suffix.key);

  const owning = (dnKey: Uint8Array): Realm | undefined => {
    if (others.length === 0) return dnKey.length > 0 && isWithin(dnKey, first.suffix.key) ? first : undefined;
    for (const length of lengths) {
      if (length > dnKey.length) continue;
      const realm = bySuffix.get(formOf(length === dnKey.length ? dnKey : dnKey.subarray(0, length)));
      if (realm !== undefined && isWithin(dnKey, realm.suffix.key)) return realm;
    }
    return undefined;
  };

  return {
    default: first,
    all,
    owning,
    byId: (id) => ids.get(id),
    edgesBelow(dnKey) {
      if (nested.length === 0) return none;
      const inside = nested.filter((key) => key.length > dnKey.length && isWithin(key, dnKey)).sort(Buffer.compare);
      return inside.length === 0 ? none : outermost(inside);
    },
  };
}

/** Those below no other. @param keys  in the order of the tree, in which a name stands behind all that are above it */
function outermost(keys: readonly Uint8Array[]): Uint8Array[] {
  const kept: Uint8Array[] = [];
  for (const key of keys) {
    const last = kept.at(-1);
    if (last === undefined || !isWithin(key, last)) kept.push(key);
  }
  return kept;
}

/**
 * What the entry of the service's settings says, for `StoredSettings.take`; nothing where another entry has its name.
 *
 * @param user  the entry's attributes as they are stored
 */
export function serviceTexts(schema: Schema, user: Uint8Array): readonly string[] {
  const said = realmValues(schema, user);
  return isServiceEntry(schema, said) ? said.all('stssetting') : [];
}

/** The realms of a folder that nobody has opened, by the entries below `ou=realms`. */
export function realmsAmong(schema: Schema, settings: EngineSettings, rows: SettingRows, entries: readonly RealmEntry[]): Realms {
  const desk = { schema, settings, rows, default: defaultRealm(schema, settings) };
  const registry = registryOf(desk);
  return realmsOf(
    desk.default,
    entries.flatMap((entry) => readRealm(desk, registry, entry) ?? []),
  );
}

/** What entries of realms are judged by. */
export function rulesOf(desk: Omit<Desk, 'seed'>): RealmRules {
  const { schema, settings, rows, segments, stored } = desk;
  return { schema, settings, rows, registry: registryOf(desk), segments, stored };
}

/** Realms and one more. */
export function withRealm(realms: Realms, { rows, schema, settings }: RealmRules, entry: RealmEntry): Realms {
  const desk = { schema, settings, rows, default: realms.default };
  const realm = readRealm(desk, registryOf(desk), entry);
  return realm === undefined ? realms : realmsOf(realms.default, [...realms.all.slice(1), realm]);
}

/** The name below which the entries of realms stand. */
export function registryOf({ schema, default: first }: Pick<Desk, 'schema' | 'default'>): Name {
  return nameBelow(schema, first.suffix, ['ou', 'realms']);
}

type RealmEntry = Pick<ReadableEntry, 'uuid' | 'dn' | 'dnKey' | 'user'>;

/** What the entry of a realm says; nothing for one that stands elsewhere, or of which no realm can be made. */
function readRealm(desk: Omit<Desk, 'segments' | 'seed' | 'stored'>, registry: Name, entry: RealmEntry): Realm | undefined {
  if (Buffer.compare(parentKey(entry.dnKey) ?? entry.dnKey, registry.key) !== 0) return undefined;
  const { schema, settings, rows } = desk;
  const said = realmValues(schema, entry.user);
  const id = said.one('stsrealmid');
  if (id === undefined || said.all('objectclass').every((name) => schema.objectClass(name)?.name !== realmClass)) return undefined;
  const domain = said.one('associateddomain')?.toLowerCase();
  const mode = modeOf(said.one('stsrealmmode'), settings['global.mode']);
  const { values } = readRealmSettings(rows, said.all('stssetting'), mode);
  return realmAt(schema, nameOf(schema, suffixText(id, domain)), {
    id,
    domain,
    mode,
    settings: settingsInForce(settings, values, mode) as EngineSettings,
    state: (said.one('stsrealmstate') ?? 'active').toLowerCase() === 'active' ? 'active' : 'removing',
    entry: { uuid: entry.uuid, dn: entry.dn },
  });
}

/** The suffix of a realm: the parts of its domain (RFC 2247), else its id. */
export function suffixText(id: string, domain: string | undefined): string {
  if (domain === undefined) return `o=${id}`;
  const parts = domain.split('.').map((label) => `dc=${label}`);
  return parts.join(',');
}

/** What the entry of a realm has, by attribute. */
export function realmValues(schema: Schema, user: Uint8Array) {
  const attributes = new Map<string, string[]>();
  for (const { description, values } of decodeAttributes(user)) {
    const key = describe(schema, description)?.key ?? description.toLowerCase();
    attributes.set(key, [...(attributes.get(key) ?? []), ...values.flatMap((value) => text(value) ?? [])]);
  }
  return { all: (key: string): readonly string[] => attributes.get(key) ?? [], one: (key: string) => attributes.get(key)?.[0] };
}

/** What a realm is asked of. */
export interface RealmDesk {
  readonly realms: LiveRealms;
}

/** The realm that a name belongs to; nothing for a name of none. */
export function realmOf({ realms }: RealmDesk, snapshot: Snapshot, dnKey: Uint8Array): Realm | undefined {
  return realms.in(snapshot).owning(dnKey);
}

/** Whether two names belong to one realm. */
export function areTogether({ realms }: RealmDesk, snapshot: Snapshot, one: Uint8Array, other: Uint8Array): boolean {
  const here = realms.in(snapshot);
  if (here.all.length === 1) return true;
  return here.owning(one) === here.owning(other);
}

/** The settings in force where a name stands. */
export function settingsAt({ realms }: RealmDesk, snapshot: Snapshot, dnKey: Uint8Array): EngineSettings {
  const here = realms.in(snapshot);
  // Most often there is only one.
  return (here.all.length === 1 ? undefined : here.owning(dnKey)?.settings) ?? realms.default.settings;
}

/** Whether an entry says that there is a realm. */
export function isRealmEntry({ realms }: RealmDesk, snapshot: Snapshot, { uuid }: { readonly uuid: string }): boolean {
  return realms.in(snapshot).all.some(({ entry }) => entry?.uuid === uuid);
}
