import type { Filter } from '#ldap';
import { type ControlKind, malformed, readControl } from './kind.ts';

/** So many items are more than any client has use for: each is held against each value. */
const itemsMax = 64;

/**
 * Matched values (RFC 3876 §2): SEQUENCE OF SimpleFilterItem, the items of a search filter without and, or, not and `:dn`. A value is returned when it
 * fits one of them.
 */
export const matchedValues: ControlKind<readonly Filter[]> = {
  oid: '1.2.826.0.1.3344810.2.3',
  name: 'matched values',
  operations: ['searchRequest'],
  read(control) {
    // An item is no nested filter: depth 1 refuses what is inside of and, or and not.
    const items = readControl(control, (ber) => ber.list(() => ber.filter({ depthMax: 1, filterItemsMax: itemsMax })));
    if (items.length === 0 || items.length > itemsMax || !items.every(isSimple)) throw malformed(control);
    return items;
  },
};

function isSimple(filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
    case 'not':
      return false;
    case 'extensible':
      return !filter.dnAttributes;
    case 'equality':
    case 'substrings':
    case 'greaterOrEqual':
    case 'lessOrEqual':
    case 'present':
    case 'approx':
      return true;
  }
}
