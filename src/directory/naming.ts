import { equalBytes } from '#base';
import { refuse } from '#catalogue';
import { describe, type Schema } from '#schema';
import { errors } from './errors.ts';
import type { Name } from './realm.ts';
import type { Attributes } from './record.ts';

/**
 * Gives a new entry the values of its RDN that it does not bring, as slapd does: RFC 4511 §4.7 lets a server.
 *
 * @throws Refusal `namingConflict` (64) for a single-valued attribute that has another value
 */
export function supplyNaming(schema: Schema, { dn }: Name, attributes: Attributes): void {
  for (const { type, value } of dn[0] ?? []) {
    const described = describe(schema, type);
    if (described === undefined) continue;
    const { key, description } = described;
    const held = attributes.get(key)?.values ?? [];
    if (held.some((each) => isEqual(schema, key, each, value))) continue;
    if (held.length > 0 && described.type.singleValue) throw refuse(errors.namingConflict, { attribute: description });
    attributes.set(key, { description, values: [...held, value] });
  }
}

/** Whether two values of a type are one by its equality rule. */
export function isEqual(schema: Schema, key: string, one: Uint8Array, other: Uint8Array): boolean {
  const rule = schema.attributeType(key)?.equality;
  const a = rule?.normalize(one);
  const b = rule?.normalize(other);
  return a !== undefined && b !== undefined && equalBytes(a, b);
}
