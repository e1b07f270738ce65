import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import type { PartialAttribute } from '#ldap';
import { describe } from './describe.ts';
import { errors } from './errors.ts';
import type { AttributeType, ObjectClass, Schema } from './types.ts';

/**
 * Puts attributes as they came in an add request into an entry's form: keys resolved, descriptions in the schema's writing, values as given.
 *
 * @throws Refusal for unknown types, attributes without values, and attributes described twice (by name and OID, say)
 */
export function collectAttributes(schema: Schema, given: readonly PartialAttribute[]): Map<string, PartialAttribute> {
  const collected = new Map<string, PartialAttribute>();
  for (const { description, values } of given) {
    const described = describe(schema, description);
    if (described === undefined) throw refuse(errors.attributeTypeUndefined, { attribute: description });
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
  return Buffer.from(normal.buffer, normal.byteOffset, normal.byteLength).toString('latin1');
}

/**
 * The keys under which an equality index holds values of a type: their normal forms, each once. `objectClass` is held under the classes
 * above as well, since a person is found by `(objectClass=top)` too. Values that do not fit are left out; a type without rule has no keys.
 */
export function equalityKeys(schema: Schema, type: AttributeType, values: readonly Uint8Array[]): Uint8Array[] {
  const rule = type.equality;
  if (rule === undefined) return [];
  const all = type.key === 'objectclass' ? values.flatMap((value) => withLineage(schema, value)) : values;
  if (all.length === 1) {
    const only = rule.normalize(all[0] as Uint8Array);
    return only === undefined ? [] : [only];
  }
  const keys = new Map<string, Uint8Array>();
  for (const value of all) {
    const normal = rule.normalize(value);
    if (normal !== undefined) keys.set(formOf(normal), normal);
  }
  return [...keys.values()];
}

function withLineage(schema: Schema, value: Uint8Array): Uint8Array[] {
  const known = schema.objectClass(text(value) ?? '');
  return known === undefined ? [value] : known.lineage.map((each) => nameOctets(each));
}

const octetsOfClasses = new WeakMap<ObjectClass, Uint8Array>();

function nameOctets(objectClass: ObjectClass): Uint8Array {
  let octets = octetsOfClasses.get(objectClass);
  if (octets === undefined) {
    octets = utf8(objectClass.name);
    octetsOfClasses.set(objectClass, octets);
  }
  return octets;
}
