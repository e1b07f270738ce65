import { concat, equalBytes } from '#base';
import { decodeAttributes, encodeAttributes, type Filter, type PartialAttribute } from '#ldap';
import { compileFilter, describe, type LargeAttribute, type Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';
import { largeAttribute } from '../large.ts';
import type { Projection } from './project.ts';

/** Leaves in attributes only the values that a values return filter (RFC 3876) asks for. `listOf` says which of them an entry keeps as lists. */
type MatchedValues = (
  attributes: readonly PartialAttribute[],
  listOf: (description: string) => LargeAttribute | undefined,
) => readonly PartialAttribute[];

/** One item of the filter. */
interface Item {
  readonly filter: Filter;
  fits(key: string, attribute: PartialAttribute): boolean;
}

/**
 * Each value is held against each item as if it were the only one of its entry, so that subtypes, options and rules count as in a search filter. An
 * attribute without such a value stays, with none (RFC 3876 §2).
 */
function matchedValuesOf(schema: Schema, filters: readonly Filter[]): MatchedValues {
  const items = filters.map((filter): Item => {
    const test = compileFilter(schema, filter);
    return { filter, fits: (key, attribute) => test({ dn: [], attributes: new Map([[key, attribute]]) }) === true };
  });
  return (attributes, listOf) =>
    attributes.map(({ description, values }) => {
      const key = describe(schema, description)?.key;
      if (key === undefined) return { description, values: [] };
      const list = listOf(description);
      const tests = items.map((item) => (list && oneOfList(schema, key, list, values, item)) ?? testOf(key, description, item));
      return { description, values: values.filter((value) => tests.some((fits) => fits(value))) };
    });
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

/** What a projection shows, without the values that do not fit. */
export function matchedProjection(schema: Schema, filters: readonly Filter[], project: Projection): Projection {
  const matched = matchedValuesOf(schema, filters);
  return (entry, snapshot, asker) => {
    const attributes = decodeAttributes(concat(project(entry, snapshot, asker)));
    return [encodeAttributes(matched(attributes, (description) => listOf(schema, entry, snapshot, description)))];
  };
}

/** The same of attributes that no entry has: root DSE and schema. */
export function matchedAttributes(
  schema: Schema,
  filters: readonly Filter[],
  attributes: readonly PartialAttribute[],
): readonly PartialAttribute[] {
  return matchedValuesOf(schema, filters)(attributes, () => undefined);
}

function listOf(schema: Schema, entry: ReadableEntry, snapshot: Snapshot, description: string): LargeAttribute | undefined {
  const list = entry.large.find((each) => each.description === description);
  return list && largeAttribute(schema, snapshot, entry.id, list);
}
