import type { SearchRequest } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Call } from '../call.ts';
import { manageDsaIt } from '../controls/manage-dsa-it.ts';
import { subentries } from '../controls/subentries.ts';
import { type DseClass, hasAny, hasClass } from '../dse.ts';

/** Whether an entry of a search's scope that fits its filter is left out for what it is. */
export type Sieve = (entry: ReadableEntry) => boolean;

/**
 * Which entries a search leaves out: subentries, or all but them (RFC 3672 §3); aliases that were followed (RFC 4511 §4.5.1.3); referrals, of which it
 * tells otherwise (RFC 3296 §5.4).
 *
 * @returns nothing for nearly all searches, since nearly no directory has such entries
 */
export function sieveOf({ engine, controls }: Call, request: SearchRequest, base: ReadableEntry, snapshot: Snapshot): Sieve | undefined {
  const { schema } = engine;
  const isThere = (name: DseClass) => hasAny(engine, snapshot, name);
  const asked = controls.of(subentries);
  const isBase = request.scope === 'base';
  const sieves: Sieve[] = [];
  if (asked === true) sieves.push((entry) => !hasClass(schema, entry, 'subentry'));
  else if (isThere('subentry') && (asked === false || !isBase)) sieves.push((entry) => hasClass(schema, entry, 'subentry'));
  if (!isBase && searches(request) && isThere('alias')) {
    sieves.push((entry) => entry.uuid !== base.uuid && hasClass(schema, entry, 'alias'));
  }
  if (tellsOfReferrals({ engine, controls }, request, snapshot)) sieves.push((entry) => hasClass(schema, entry, 'referral'));
  if (sieves.length === 0) return undefined;
  return (entry) => sieves.some((isOut) => isOut(entry));
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
