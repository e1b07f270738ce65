import type { Filter } from '#ldap';
import { describe, type Schema } from '#schema';
import type { Rights } from '../access/rights.ts';
import { isChainable, isInChain } from '../relations/chain.ts';

/** True of nothing and false of nothing: an attribute that no schema defines (RFC 4511 §4.5.1.7). */
const undefinable: Filter = { kind: 'present', description: '' };

/**
 * The filter as one may ask it: what is said of an attribute that they may not search becomes Undefined, so that no answer depends on it,
 * a negated one included.
 */
export function guardFilter(schema: Schema, filter: Filter, rights: Pick<Rights, 'maySearch'>): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map((each) => guardFilter(schema, each, rights)) };
    case 'not':
      return { kind: 'not', filter: guardFilter(schema, filter.filter, rights) };
    case 'equality':
    case 'approx':
    case 'greaterOrEqual':
    case 'lessOrEqual':
    case 'substrings':
    case 'present':
      return mayAsk(schema, filter.description, rights) ? filter : undefinable;
    case 'extensible':
      // Without a description it looks at all attributes: then the entry that it is held against has only what one may search.
      if (filter.description !== undefined && !mayAsk(schema, filter.description, rights)) return undefinable;
      return isInChain(schema, filter) && !isChainable(schema, filter.description) ? undefinable : filter;
  }
}

function mayAsk(schema: Schema, description: string, rights: Pick<Rights, 'maySearch'>): boolean {
  const described = describe(schema, description);
  return described !== undefined && rights.maySearch(described.type);
}
