import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import type { PartialAttribute } from '#ldap';
import { describe, isLanguageRange } from './describe.ts';
import { errors } from './errors.ts';
import type { AttributeType, MatchingRule, Schema } from './types.ts';

/**
 * Puts attributes as they came in an add request into an entry's form: keys resolved, descriptions in the schema's writing, values as given.
 *
 * @throws Refusal for unknown types, attributes without values, and attributes described twice (by name and OID, say)
 */
export function collectAttributes(schema: Schema, given: readonly PartialAttribute[]): Map<string, PartialAttribute> {
  const collected = new Map<string, PartialAttribute>();
  for (const { description, values } of given) {
    const described = describe(schema, description);
    if (described === undefined || described.options.some(isLanguageRange))
      throw refuse(errors.attributeTypeUndefined, { attribute: description });
    if (values.length === 0) throw refuse(errors.valuesMissing, { attribute: described.description });
    if (collected.has(described.key)) throw refuse(errors.attributeRepeated, { attribute: described.description });
    collected.set(described.key, { description: described.description, values });
  }
  return collected;
}

/**
 * How values of a type are told apart: by its equality rule, by their octets where it has none (RFC 4512 §2.5.1).
 *
 * @returns a function from a value to its normal form, `undefined` for a value that does not fit
 */
export function normalizer(type: AttributeType): (value: Uint8Array) => Uint8Array | undefined {
  return type.equality === undefined ? (value) => value : type.equality.normalize;
}

/** A normal form as a string, for sets and maps: a character an octet. */
export function formOf(normal: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(normal, 0, normal.length);
}

/**
 * The keys under which an equality index holds values of a type: their normal forms, each once. `objectClass` is held under the classes
 * above as well, since a person is found by `(objectClass=top)` too. Values that do not fit are left out; a type without rule has no keys.
 */
export function equalityKeys(schema: Schema, type: AttributeType, values: readonly Uint8Array[]): Uint8Array[] {
  const rule = type.equality;
  if (rule === undefined) return [];
  if (type.key === 'objectclass') return classKeys(schema, rule, values);
  if (values.length === 1) {
    const only = rule.normalize(values[0] as Uint8Array);
    return only === undefined ? [] : [only];
  }
  const keys = new Map<string, Uint8Array>();
  for (const value of values) {
    const normal = rule.normalize(value);
    if (normal !== undefined) keys.set(formOf(normal), normal);
  }
  return [...keys.values()];
}

/** Nearly all entries have one of a few lists of classes. */
const listsMax = 256;
const lists = new WeakMap<Schema, Map<string, Uint8Array[]>>();

function classKeys(schema: Schema, rule: MatchingRule, values: readonly Uint8Array[]): Uint8Array[] {
  let known = lists.get(schema);
  if (known === undefined) {
    known = new Map();
    lists.set(schema, known);
  }
  let form = '';
  for (const value of values) form += `${value.length} ${formOf(value)}`;
  const before = known.get(form);
  if (before !== undefined) return before;
  const keys = new Map<string, Uint8Array>();
  for (const value of values.flatMap((each) => withLineage(schema, each))) {
    const normal = rule.normalize(value);
    if (normal !== undefined) keys.set(formOf(normal), normal);
  }
  const made = [...keys.values()];
  if (known.size < listsMax) known.set(form, made);
  return made;
}

function withLineage(schema: Schema, value: Uint8Array): Uint8Array[] {
  const known = schema.objectClass(text(value) ?? '');
  return known === undefined ? [value] : known.lineage.map(({ name }) => utf8(name));
}
