import type { SearchRequest } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Call } from '../call.ts';
import { manageDsaIt } from '../controls/manage-dsa-it.ts';
import { showDeleted } from '../controls/show-deleted.ts';
import { subentries } from '../controls/subentries.ts';
import { hasAny, hasClass } from '../dse.ts';
import { isDeleted } from '../life/told.ts';

/** Whether an entry of a search's scope that fits its filter is left out for what it is. */
export type Sieve = (entry: ReadableEntry) => boolean;

/**
 * Which entries a search leaves out: subentries, or all but them (RFC 3672 §3); aliases that were followed (RFC 4511 §4.5.1.3); referrals, of which it
 * tells otherwise (RFC 3296 §5.4). What is kept of deleted people is for those who manage it, and ask for it.
 *
 * @param leavesReferrals  what `tellsOfReferrals` says
 * @returns nothing for nearly all searches, since nearly no directory has such entries
 */
export function sieveOf(
  { engine, asker, controls }: Call,
  request: SearchRequest,
  base: ReadableEntry,
  snapshot: Snapshot,
  leavesReferrals: boolean,
): Sieve | undefined {
  const { schema } = engine;
  const isBase = request.scope === 'base';
  const asked = controls.of(subentries);
  const leavesSubentries = asked !== true && (asked === false || !isBase) && hasAny(engine, snapshot, 'subentry');
  const hasDeleted = hasAny(engine, snapshot, 'stsTombstone');
  const leavesAliases = !isBase && searches(request) && hasAny(engine, snapshot, 'alias');
  if (asked !== true && !leavesSubentries && !leavesAliases && !leavesReferrals && !hasDeleted) return undefined;
  const showsDeleted = hasDeleted && (isDeleted(base) || controls.has(showDeleted));
  return (entry) =>
    (asked === true && !hasClass(schema, entry, 'subentry')) ||
    (leavesSubentries && hasClass(schema, entry, 'subentry')) ||
    (leavesAliases && entry.uuid !== base.uuid && hasClass(schema, entry, 'alias')) ||
    (leavesReferrals && hasClass(schema, entry, 'referral')) ||
    (hasDeleted && isDeleted(entry) && !(showsDeleted && asker.rightsOn(entry, snapshot).mayManage));
}

/** Whether aliases below the base are followed. */
export function searches({ derefAliases }: SearchRequest): boolean {
  return derefAliases === 'inSearching' || derefAliases === 'always';
}

/** Whether a search tells of referrals in its scope, regardless of its filter, where else it would look (RFC 3296 §5.4). */
export function tellsOfReferrals(
  { engine, controls }: Pick<Call, 'engine' | 'controls'>,
  { scope }: SearchRequest,
  snapshot: Snapshot,
): boolean {
  // A search for subentries goes on nowhere else: a referral is none.
  return scope !== 'base' && hasAny(engine, snapshot, 'referral') && !controls.has(manageDsaIt) && controls.of(subentries) !== true;
}
