import { text, utf8, uuid4 } from '#base';
import { decodeAttributes, encodeAttributes, type PartialAttribute } from '#ldap';
import { type Schema, typeOfKey } from '#schema';
import type { Change, Expectation, Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { generalizedTime } from '../csn.ts';
import { isDynamicEntry } from '../dynamic-entries.ts';
import { userAttributes } from '../large.ts';
import { type Name, nameOfDn } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { type Attributes, recordOf, stampNew } from '../record.ts';
import { referrersTo } from '../relations/references.ts';
import { type Look, writerName } from '../write.ts';
import { membersById } from './members.ts';
import { deletedKind, deletedUuid, type KeptKind, keptKindOf } from './told.ts';

/** What is kept of a person, a group or an application that is deleted: to be made when the deletion is committed. */
export interface Tombstone {
  readonly expected: readonly Expectation[];
  make(): Change;
}

const dayMs = 86_400_000;

/** What somebody signs in with or has proved, and what is left of passwords: none of it comes back. */
const credentialKeys: ReadonlySet<string> = new Set([
  'stscredentialid',
  'stswebauthncredential',
  'stsemailfactor',
  'stsverifiedmail',
  'stsemailfailures',
  'stsemailfirstfailures',
  'ststotplaststep',
  'stslastauthentication',
  'stssecondfactorused',
  'stsapppassword',
  'stsapppasswordlastuse',
  'stsdelegate',
  'pwdreset',
  'pwdchangedtime',
  'pwdhistory',
  'pwdgraceusetime',
  'pwdfailuretime',
  'authzto',
  'authzfrom',
]);

/** The classes of what is kept of others than persons. */
const kindClasses = { group: 'stsDeletedGroup', application: 'stsDeletedApplication' } as const;

/**
 * What is to be kept of an entry that is deleted; nothing of one that is no person, group or application, and where `directory.tombstoneDays` is 0. A group
 * of very many takes pauses.
 *
 * @param look  where the entry stands, and is named by others
 */
export function* tombstoneFor(
  call: Pick<Call, 'engine' | 'asker'>,
  look: Look,
  entry: StoredEntry,
): Generator<undefined, Tombstone | undefined> {
  const { engine, asker } = call;
  const { schema, clock, chance } = engine;
  const kind = keptKindOf(schema, entry);
  if (kind === undefined || isDynamicEntry(schema, entry) || isKeptNot(call, look(), entry)) return undefined;
  const record = yield* keptOf(schema, look, entry, kind);
  const snapshot = look();
  const realm = realmOf(engine, snapshot, entry.dnKey);
  const top = realm === undefined ? undefined : snapshot.byDnKey(realm.suffix.key);
  const days = realm?.settings['directory.tombstoneDays'] ?? 0;
  if (realm === undefined || top === undefined || top.uuid === entry.uuid) return undefined;
  const name = tombstoneName(schema, entry.uuid, kind, realm.suffix);
  const there = snapshot.byDnKey(name.key);
  const [nowMs, by] = [clock.nowMs(), writerName(engine, asker.identity)];
  const attributes: Attributes = new Map();
  const set = (description: string, ...values: readonly (string | Uint8Array)[]) => {
    const octets = values.map((value) => (typeof value === 'string' ? utf8(value) : value));
    if (octets.length > 0) attributes.set(description.toLowerCase(), { description, values: octets });
  };
  set('objectClass', 'top', 'stsTombstone', ...(kind === 'person' ? [] : [kindClasses[kind]]));
  set(deletedUuid, entry.uuid);
  if (kind !== 'person') set(deletedKind, kind);
  set('stsDeletedName', calledOf(entry, kind, name));
  set('stsDeletedDN', entry.dn);
  set('stsDeletedTime', generalizedTime(nowMs));
  set('stsPurgeTime', generalizedTime(nowMs + days * dayMs));
  if (by !== '') set('stsDeletedBy', by);
  set('stsDeletedReference', ...referencesOf(call, snapshot, entry));
  set('stsDeletedRecord', record);
  const uuid = there?.uuid ?? uuid4(chance);
  const expected: Expectation = there === undefined ? { kind: 'absent', dnKey: name.key } : { kind: 'unchanged', uuid, csn: there.csn };
  return {
    expected: [expected],
    make: () => {
      const csn = engine.csn.next();
      stampNew(schema, attributes, uuid, { csn, nowMs, by });
      return { kind: 'put', entry: recordOf(schema, { uuid, parent: top.uuid, name, csn }, attributes) };
    },
  };
}

function isKeptNot({ engine }: Pick<Call, 'engine'>, snapshot: Snapshot, { dnKey }: StoredEntry): boolean {
  const realm = realmOf(engine, snapshot, dnKey);
  return realm === undefined || realm.state === 'removing' || realm.settings['directory.tombstoneDays'] === 0;
}

function tombstoneName(schema: Schema, uuid: string, kind: KeptKind, suffix: Name): Name {
  const rdn = [{ type: deletedUuid, value: utf8(uuid) }];
  if (kind !== 'person') rdn.push({ type: deletedKind, value: utf8(kind) });
  return nameOfDn(schema, [rdn, ...suffix.dn]);
}

/** By what each is found while it is there. */
const calledBy = { person: 'uid', group: 'cn', application: 'cn' } as const;

/** What people call them: a uid or a cn, or what the entry is named by. */
function calledOf({ user, dn }: StoredEntry, kind: KeptKind, name: Name): string {
  const given = decodeAttributes(user).find(({ description }) => description.toLowerCase() === calledBy[kind])?.values[0];
  const called = (given && text(given)) ?? dn.slice(dn.indexOf('=') + 1).split(',')[0] ?? '';
  return called === '' ? name.text : called;
}

/** Who named them: the value goes with the entry, and comes back with it. */
function referencesOf({ engine }: Pick<Call, 'engine'>, snapshot: Snapshot, { dnKey }: StoredEntry): string[] {
  const max = engine.settings['ldap.referencesMax'];
  return referrersTo(engine.schema, snapshot, dnKey, max).map(({ attribute, uuid }) => `${attribute} ${uuid}`);
}

/** User and operational attributes without what somebody signs in with; secrets are in a part of their own, which is not kept. */
function* keptOf(schema: Schema, look: Look, entry: StoredEntry, kind: KeptKind): Generator<undefined, Uint8Array> {
  const kept = [...userAttributes(look(), entry), ...decodeAttributes(entry.operational)].filter(({ description }) => {
    const key = schema.attributeType(typeOfKey(description.toLowerCase()))?.key;
    return key !== undefined && !credentialKeys.has(key);
  });
  return encodeAttributes(kind === 'group' ? yield* membersById(schema, look, kept) : kept);
}

/** What is kept, as it was. */
export function keptIn(tombstone: Pick<StoredEntry, 'secret'>): readonly PartialAttribute[] {
  const record = decodeAttributes(tombstone.secret).find(({ description }) => description.toLowerCase() === 'stsdeletedrecord')?.values[0];
  return record === undefined ? [] : decodeAttributes(record);
}

/** Values of what is told of a person who was deleted. */
export function saidBy(tombstone: Pick<StoredEntry, 'user'>, attribute: string): readonly string[] {
  const found = decodeAttributes(tombstone.user).find(({ description }) => description.toLowerCase() === attribute.toLowerCase());
  return (found?.values ?? []).flatMap((value) => text(value) ?? []);
}
