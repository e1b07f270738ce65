import type { Filter } from '#ldap';

/**
 * What a search looks at before it lets others have the event loop: entries, their octets, assertions of its filter on them, and rows besides, of those
 * groups that `memberOf` names above all.
 */
const turnEntriesMax = 256;
export const turnAssertionsMax = 4096;
export const turnRowsMax = 4096;
export const turnOctetsMax = 1_048_576;

/**
 * How many entries are held against a filter in one turn.
 *
 * @param besides  assertions that are made of each entry to find out what may be done with it
 */
export function entriesOfTurn(filter: Filter, besides = 0): number {
  return Math.max(1, Math.min(turnEntriesMax, Math.floor(turnAssertionsMax / (assertionsOf(filter) + besides))));
}

/** How many assertions a filter makes, parts of substrings each for itself. */
export function assertionsOf(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, each) => sum + assertionsOf(each), 1);
    case 'not':
      return assertionsOf(filter.filter);
    case 'substrings':
      return 1 + filter.any.length;
    case 'equality':
    case 'approx':
    case 'greaterOrEqual':
    case 'lessOrEqual':
    case 'present':
    case 'extensible':
      return 1;
  }
}
