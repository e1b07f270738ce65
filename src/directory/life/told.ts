import { text } from '#base';
import { decodeAttributes, parseDn } from '#ldap';
import type { Schema } from '#schema';
import type { EntryRecord, LogRow, WatchedChange } from '#store';

/** What others may have to hear of an account. */
export interface LifeEvent {
  /** Its id. */
  readonly realm: string;
  readonly kind: 'account-disabled' | 'account-enabled' | 'account-purged';
  /** entryUUID. */
  readonly subject: string;
  /** `disabled`, `early`, `late`, `deleted`, `enabled`, `restored`, `purged`. */
  readonly why: string;
  /** The same whenever it is found again. */
  readonly name: string;
}

/** The attribute by which what is kept of a deleted person is named: their entryUUID. */
export const deletedUuid = 'stsDeletedUUID';
const deletedUuidKey = deletedUuid.toLowerCase();

/** The attribute that says of what is kept that it is no person: it stands in the name, so that who reads the log knows it, too. */
export const deletedKind = 'stsDeletedKind';
const deletedKindKey = deletedKind.toLowerCase();

/** What is kept when it is deleted. */
export type KeptKind = 'person' | 'group' | 'application';

/** The classes of entries as which somebody is here; what is several is the first of them. */
const classesOf: readonly (readonly [kind: KeptKind, classes: readonly string[]])[] = [
  ['person', ['person', 'account', 'posixAccount']],
  ['application', ['stsApplication']],
  ['group', ['groupOfNames', 'groupOfUniqueNames', 'posixGroup', 'groupOfURLs']],
];

export function isPersonEntry(schema: Schema, entry: Pick<EntryRecord, 'user'>): boolean {
  return keptKindOf(schema, entry) === 'person';
}

/** As what an entry is kept; nothing for one that is deleted for good. */
export function keptKindOf(schema: Schema, { user }: Pick<EntryRecord, 'user'>): KeptKind | undefined {
  const values = decodeAttributes(user).find(({ description }) => description.toLowerCase() === 'objectclass')?.values ?? [];
  const names = new Set(values.flatMap((value) => schema.objectClass(text(value) ?? '')?.lineage.map(({ name }) => name) ?? []));
  return classesOf.find(([, classes]) => classes.some((name) => names.has(name)))?.[0];
}

/**
 * What a change says of what is kept of a deleted person: it came with the deletion, and goes when they are restored, or for good.
 *
 * @param isThere  whether somebody has an entryUUID now
 */
export function tombstoneTurn(
  change: WatchedChange | LogRow,
  isThere: (uuid: string) => boolean,
): Pick<LifeEvent, 'kind' | 'subject' | 'why'> | undefined {
  const { change: made } = change;
  const former = 'former' in change ? change.former : change.before?.dn;
  if (made.kind === 'delete') {
    const subject = former === undefined ? undefined : personIn(former);
    if (subject === undefined) return undefined;
    return isThere(subject) ? { kind: 'account-enabled', subject, why: 'restored' } : { kind: 'account-purged', subject, why: 'purged' };
  }
  const subject = former === undefined ? personIn(made.entry.dn) : undefined;
  return subject === undefined ? undefined : { kind: 'account-disabled', subject, why: 'deleted' };
}

/** Whether an entry is what is kept of somebody who was deleted. */
export function isDeleted({ dn }: { readonly dn: string }): boolean {
  return deletedUuidIn(dn) !== undefined;
}

/** Of which person: nobody signed in as a group. */
function personIn(dn: string): string | undefined {
  const named = deletedIn(dn);
  return named?.kind === 'person' ? named.uuid : undefined;
}

/** Of whom the entry of a name is kept: the name says it. */
export function deletedUuidIn(dn: string): string | undefined {
  return deletedIn(dn)?.uuid;
}

/** The same, with what they were. */
export function deletedIn(dn: string): { readonly uuid: string; readonly kind: KeptKind } | undefined {
  // Most names are others': they are not parsed.
  if (!dn.slice(0, deletedUuid.length).toLowerCase().startsWith(deletedUuidKey)) return undefined;
  const [rdn = []] = parseDn(dn) ?? [];
  const partOf = (key: string) => text(rdn.find(({ type }) => type.toLowerCase() === key)?.value ?? new Uint8Array())?.toLowerCase();
  const [uuid = '', kind] = [partOf(deletedUuidKey), partOf(deletedKindKey)];
  return uuid === '' ? undefined : { uuid, kind: kind === 'group' || kind === 'application' ? kind : 'person' };
}
