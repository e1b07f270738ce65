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

/** The classes of entries as which somebody is here. */
const personClasses: readonly string[] = ['person', 'account', 'posixAccount'];

export function isPersonEntry(schema: Schema, { user }: Pick<EntryRecord, 'user'>): boolean {
  const classes = decodeAttributes(user).find(({ description }) => description.toLowerCase() === 'objectclass')?.values ?? [];
  return classes.some((value) => schema.objectClass(text(value) ?? '')?.lineage.some(({ name }) => personClasses.includes(name)) === true);
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
    const subject = former === undefined ? undefined : deletedUuidIn(former);
    if (subject === undefined) return undefined;
    return isThere(subject) ? { kind: 'account-enabled', subject, why: 'restored' } : { kind: 'account-purged', subject, why: 'purged' };
  }
  const subject = former === undefined ? deletedUuidIn(made.entry.dn) : undefined;
  return subject === undefined ? undefined : { kind: 'account-disabled', subject, why: 'deleted' };
}

/** Whether an entry is what is kept of somebody who was deleted. */
export function isDeleted({ dn }: { readonly dn: string }): boolean {
  return deletedUuidIn(dn) !== undefined;
}

/** Of whom the entry of a name is kept: the name says it. */
export function deletedUuidIn(dn: string): string | undefined {
  // Most names are others': they are not parsed.
  if (!dn.slice(0, deletedUuid.length).toLowerCase().startsWith(deletedUuidKey)) return undefined;
  const [rdn = []] = parseDn(dn) ?? [];
  const value = rdn.find(({ type }) => type.toLowerCase() === deletedUuidKey)?.value;
  return value === undefined ? undefined : text(value)?.toLowerCase();
}
