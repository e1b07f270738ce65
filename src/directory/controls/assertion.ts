import { refuse } from '#catalogue';
import type { Filter } from '#ldap';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import type { Call } from '../call.ts';
import { errors } from '../errors.ts';
import { guardedFilter } from '../search/filter.ts';
import { type ControlKind, readControl } from './kind.ts';

/** As deep as a search's filter may be by default, and of as many items as nobody writes by hand. */
const limits = { depthMax: 50, filterItemsMax: 500 };

/** Assertion (RFC 4528): a filter that must be true of the entry that a request is about. */
export const assertion: ControlKind<Filter> = {
  oid: '1.3.6.1.1.12',
  name: 'assertion',
  operations: ['searchRequest', 'compareRequest', 'addRequest', 'delRequest', 'modifyRequest', 'modifyDNRequest'],
  read: (control) => readControl(control, (ber) => ber.filter(limits)),
};

/**
 * Holds the entry that a request is about against its assertion. What the asker may not read is Undefined in it, as in a search.
 *
 * @param entry  read when there is an assertion
 * @throws Refusal `assertionFailed` (122)
 */
export function checkAssertion(
  { engine, asker, controls }: Pick<Call, 'engine' | 'asker' | 'controls'>,
  snapshot: Snapshot,
  rights: Rights,
  entry: () => ReadableEntry,
): void {
  const asserted = controls.of(assertion);
  if (asserted === undefined) return;
  if (!guardedFilter({ engine, asker }, asserted, rights).fits(entry(), snapshot)) throw refuse(errors.assertionFailed);
}
