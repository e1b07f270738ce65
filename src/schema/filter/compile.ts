import type { Filter } from '#ldap';
import { describe } from '../describe.ts';
import type { Schema } from '../types.ts';
import { testEquality, testOrdering, testPresence, testSubstrings } from './assertions.ts';
import { testExtensible } from './extensible.ts';
import { type Selection, selectValues } from './select.ts';
import { type Filtered, type Test, undefinedTest } from './test.ts';

/**
 * Turns a filter into a function, once for a search: names are looked up and asserted values prepared here, so that an entry costs only
 * comparisons. An assertion that can never be evaluated (unknown attribute, no rule for it, a value that does not fit, an attribute that
 * is only judged) costs nothing at all.
 *
 * @param filter  its depth was limited where it was parsed
 * @see RFC 4511 §4.5.1.7: True, False, Undefined
 */
export function compileFilter(schema: Schema, filter: Filter): Test {
  switch (filter.kind) {
    case 'and':
      return and(filter.filters.map((each) => compileFilter(schema, each)));
    case 'or':
      return or(filter.filters.map((each) => compileFilter(schema, each)));
    case 'not':
      return not(compileFilter(schema, filter.filter));
    case 'present':
      return onValues(schema, filter.description, testPresence);
    // RFC 4511 §4.5.1.7.6: a server without an approximate matching takes equality for it.
    case 'approx':
    case 'equality':
      return onValues(schema, filter.description, (selection) => testEquality(schema, selection, filter.value));
    case 'substrings':
      return onValues(schema, filter.description, (selection) => testSubstrings(selection, filter));
    case 'greaterOrEqual':
    case 'lessOrEqual':
      return onValues(schema, filter.description, (selection) => testOrdering(selection, filter.kind, filter.value));
    case 'extensible':
      return testExtensible(schema, filter);
  }
}

/** Evaluates a filter on one entry. For many entries, compile it. */
export function matches(schema: Schema, filter: Filter, entry: Filtered): boolean | undefined {
  return compileFilter(schema, filter)(entry);
}

function onValues(schema: Schema, description: string, test: (selection: Selection) => Test | undefined): Test {
  const described = describe(schema, description);
  // A filter on a secret would be an oracle: whoever may ask learns it bit by bit.
  if (described === undefined || described.type.secret) return undefinedTest;
  return test(selectValues(described)) ?? undefinedTest;
}

function and(tests: readonly Test[]): Test {
  return (entry) => {
    let result: boolean | undefined = true;
    for (const test of tests) {
      const one = test(entry);
      if (one === false) return false;
      if (one === undefined) result = undefined;
    }
    return result;
  };
}

function or(tests: readonly Test[]): Test {
  return (entry) => {
    let result: boolean | undefined = false;
    for (const test of tests) {
      const one = test(entry);
      if (one === true) return true;
      if (one === undefined) result = undefined;
    }
    return result;
  };
}

function not(test: Test): Test {
  return (entry) => {
    const one = test(entry);
    return one === undefined ? undefined : !one;
  };
}
