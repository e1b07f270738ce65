import { concat, equalBytes } from '#base';
import { refuse } from '#catalogue';
import { decodeAttributes, encodeAttributes, type Filter, type PartialAttribute } from '#ldap';
import { compileFilter, describe, type LargeAttribute, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import type { Rights } from '../access/rights.ts';
import { errors } from '../errors.ts';
import { largeAttribute, listOctets } from '../large.ts';
import { guardFilter } from './guard.ts';
import type { Projection } from './project.ts';

/** Values that are held against items for one entry. An equality is looked up in a long list, and counts for nothing there. */
const testsMax = 65_536;
/** What one of these is worth of what a turn looks at, in octets. */
const testOctets = 64;

/** Leaves in attributes only the values that a values return filter (RFC 3876) asks for. `listOf` says which of them an entry keeps as lists. */
type MatchedValues = (
  attributes: readonly PartialAttribute[],
  listOf: (description: string) => LargeAttribute | undefined,
) => { readonly attributes: readonly PartialAttribute[]; readonly tests: number };

/** One item of the filter. */
interface Item {
  readonly filter: Filter;
  fits(key: string, attribute: PartialAttribute): boolean;
}

/**
 * Each value is held against each item as if it were the only one of its entry, so that subtypes, options and rules count as in a search filter. An
 * attribute without such a value stays, with none (RFC 3876 §2). What may not be searched has none, not even for items about its supertype.
 *
 * @throws Refusal `matchedValuesMany` (LDAP 11)
 */
function matchedValuesOf(schema: Schema, filters: readonly Filter[], { maySearch }: Pick<Rights, 'maySearch'>): MatchedValues {
  const items = filters.map((filter): Item => {
    const test = compileFilter(schema, filter);
    return { filter, fits: (key, attribute) => test({ dn: [], attributes: new Map([[key, attribute]]) }) === true };
  });
  return (attributes, listOf) => {
    let tests = 0;
    const matched = attributes.map(({ description, values }) => {
      const described = describe(schema, description);
      if (described === undefined || !maySearch(described.type)) return { description, values: [] };
      const { key } = described;
      const list = listOf(description);
      const looked = list && items.map((item) => oneOfList(schema, key, list, values, item));
      const fits = items.map((item, at) => looked?.[at] ?? testOf(key, description, item));
      tests += values.length * items.filter((_item, at) => looked?.[at] === undefined).length;
      if (tests > testsMax) throw refuse(errors.matchedValuesMany, { max: testsMax });
      return { description, values: values.filter((value) => fits.some((each) => each(value))) };
    });
    return { attributes: matched, tests };
  };
}

function testOf(key: string, description: string, { fits }: Item): (value: Uint8Array) => boolean {
  return (value) => fits(key, { description, values: [value] });
}

/**
 * An equality says of a long list that one value fits or none: it is looked up, so that the others need not be prepared.
 *
 * @returns nothing for what asks for something else
 */
function oneOfList(
  schema: Schema,
  key: string,
  { rule, holds }: LargeAttribute,
  values: readonly Uint8Array[],
  { filter }: Item,
): ((value: Uint8Array) => boolean) | undefined {
  if (filter.kind !== 'equality' || describe(schema, filter.description)?.key !== key) return undefined;
  const wanted = rule.assertion(filter.value);
  if (wanted === undefined || !holds(wanted)) return () => false;
  const isEqual = (value: Uint8Array) => {
    const normal = rule.normalize(value);
    return normal !== undefined && equalBytes(normal, wanted);
  };
  const found = values.find((value) => equalBytes(value, filter.value)) ?? values.find(isEqual);
  return (value) => value === found;
}

/** A projection, and what its last entry was to look at. */
export interface MatchedProjection {
  readonly project: Projection;
  /** In octets. */
  looked(): number;
}

/** What a projection shows, without the values that do not fit. An item about what one may not search fits none. */
export function matchedProjection(schema: Schema, filters: readonly Filter[], rights: Rights, project: Projection): MatchedProjection {
  const matched = matchedValuesOf(
    schema,
    filters.map((filter) => guardFilter(schema, filter, rights)),
    rights,
  );
  let octets = 0;
  return {
    looked: () => octets,
    project: (entry, snapshot, asker) => {
      const shown = decodeAttributes(concat(project(entry, snapshot, asker)));
      const { attributes, tests } = matched(shown, (description) => listOf(schema, entry, snapshot, description));
      octets = listOctets(entry) + tests * testOctets;
      return [encodeAttributes(attributes)];
    },
  };
}

/** The same of attributes that no entry has: root DSE and schema. */
export function matchedAttributes(
  schema: Schema,
  filters: readonly Filter[],
  attributes: readonly PartialAttribute[],
): readonly PartialAttribute[] {
  return matchedValuesOf(schema, filters, { maySearch: () => true })(attributes, () => undefined).attributes;
}

function listOf(schema: Schema, entry: ReadableEntry, snapshot: Snapshot, description: string): LargeAttribute | undefined {
  const list = entry.large.find((each) => each.description === description);
  return list && largeAttribute(schema, snapshot, entry.id, list);
}
