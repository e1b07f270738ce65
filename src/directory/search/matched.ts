import { concat } from '#base';
import { decodeAttributes, encodeAttributes, type Filter, type PartialAttribute } from '#ldap';
import { compileFilter, describe, type Schema } from '#schema';

/** Leaves in attributes only the values that a values return filter (RFC 3876) asks for. */
export type MatchedValues = (attributes: readonly PartialAttribute[]) => readonly PartialAttribute[];

/**
 * Each value is held against each item as if it were the only one of its entry, so that subtypes, options and rules count as in a search filter. An
 * attribute without such a value stays, with none (RFC 3876 §2).
 */
export function matchedValuesOf(schema: Schema, items: readonly Filter[]): MatchedValues {
  const tests = items.map((item) => compileFilter(schema, item));
  return (attributes) =>
    attributes.map(({ description, values }) => {
      const key = describe(schema, description)?.key;
      if (key === undefined) return { description, values: [] };
      const fits = (value: Uint8Array) => {
        const alone = { dn: [], attributes: new Map([[key, { description, values: [value] }]]) };
        return tests.some((test) => test(alone) === true);
      };
      return { description, values: values.filter(fits) };
    });
}

/** The same of attributes as they travel, in pieces. */
export function matchedPieces(matched: MatchedValues, pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  return [encodeAttributes(matched(decodeAttributes(concat(pieces))))];
}
