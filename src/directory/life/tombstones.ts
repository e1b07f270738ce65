import { text, utf8, uuid4 } from '#base';
import { decodeAttributes, encodeAttributes, type PartialAttribute } from '#ldap';
import { type Schema, typeOfKey } from '#schema';
import type { Change, Expectation, Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import { generalizedTime } from '../csn.ts';
import { isDynamicEntry } from '../dynamic-entries.ts';
import { type Name, nameOfDn } from '../realm.ts';
import { realmOf } from '../realms.ts';
import { type Attributes, recordOf, stampNew } from '../record.ts';
import { referrersTo } from '../relations/references.ts';
import { writerName } from '../write.ts';
import { deletedUuid, isPersonEntry } from './told.ts';

/** What is kept of a person who is deleted: to be made when the deletion is committed. */
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

/**
 * What is to be kept of an entry that is deleted; nothing of one that nobody is here as, and where `directory.tombstoneDays` is 0.
 *
 * @param snapshot  in which the entry stands, and is named by others
 */
export function tombstoneFor(call: Pick<Call, 'engine' | 'asker'>, snapshot: Snapshot, entry: StoredEntry): Tombstone | undefined {
  const { engine, asker } = call;
  const { schema, clock, chance } = engine;
  const realm = realmOf(engine, snapshot, entry.dnKey);
  const top = realm === undefined ? undefined : snapshot.byDnKey(realm.suffix.key);
  const days = realm?.settings['directory.tombstoneDays'] ?? 0;
  if (realm === undefined || top === undefined || top.uuid === entry.uuid || realm.state === 'removing' || days === 0) return undefined;
  if (!isPersonEntry(schema, entry) || isDynamicEntry(schema, entry)) return undefined;
  const name = tombstoneName(schema, entry.uuid, realm.suffix);
  const there = snapshot.byDnKey(name.key);
  const [nowMs, by] = [clock.nowMs(), writerName(engine, asker.identity)];
  const attributes: Attributes = new Map();
  const set = (description: string, ...values: readonly (string | Uint8Array)[]) => {
    const octets = values.map((value) => (typeof value === 'string' ? utf8(value) : value));
    if (octets.length > 0) attributes.set(description.toLowerCase(), { description, values: octets });
  };
  set('objectClass', 'top', 'stsTombstone');
  set(deletedUuid, entry.uuid);
  set('stsDeletedName', calledOf(entry, name));
  set('stsDeletedDN', entry.dn);
  set('stsDeletedTime', generalizedTime(nowMs));
  set('stsPurgeTime', generalizedTime(nowMs + days * dayMs));
  if (by !== '') set('stsDeletedBy', by);
  set('stsDeletedReference', ...referencesOf(call, snapshot, entry));
  set('stsDeletedRecord', keptOf(schema, entry));
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

function tombstoneName(schema: Schema, uuid: string, suffix: Name): Name {
  return nameOfDn(schema, [[{ type: deletedUuid, value: utf8(uuid) }], ...suffix.dn]);
}

/** What people call them: a uid, or what the entry is named by. */
function calledOf({ user, dn }: StoredEntry, name: Name): string {
  const uid = decodeAttributes(user).find(({ description }) => description.toLowerCase() === 'uid')?.values[0];
  const called = (uid && text(uid)) ?? dn.slice(dn.indexOf('=') + 1).split(',')[0] ?? '';
  return called === '' ? name.text : called;
}

/** Who named them: the value goes with the entry, and comes back with it. */
function referencesOf({ engine }: Pick<Call, 'engine'>, snapshot: Snapshot, { dnKey }: StoredEntry): string[] {
  const max = engine.settings['ldap.referencesMax'];
  return referrersTo(engine.schema, snapshot, dnKey, max).map(({ attribute, uuid }) => `${attribute} ${uuid}`);
}

/** User and operational attributes without what somebody signs in with; secrets are in a part of their own, which is not kept. */
function keptOf(schema: Schema, { user, operational }: StoredEntry): Uint8Array {
  const kept = [user, operational].flatMap((part) =>
    decodeAttributes(part).filter(({ description }) => {
      const key = schema.attributeType(typeOfKey(description.toLowerCase()))?.key;
      return key !== undefined && !credentialKeys.has(key);
    }),
  );
  return encodeAttributes(kept);
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
