import { equalBytes } from '#base';
import type { Modification, PartialAttribute, Rdn } from '#ldap';
import { type AttributeType, describe, formOf, normalizer, type Schema, typeAt } from '#schema';
import { canonicalAttributes } from './canonical.ts';

/** Which types are held against each other, and which of them only where the entry that is wanted has them. */
export interface Compared {
  readonly isCompared: (type: AttributeType) => boolean;
  readonly isOptional: (type: AttributeType) => boolean;
}

/**
 * What a client may set of an entry. Secrets count only when asked, and then only where the wanted entry has them: a file without a password takes
 * nobody's password away. Sealed values cannot be held against each other: each side has its own key.
 */
export function compared(secrets: boolean): Compared {
  return {
    isCompared: ({ secret, sealed, noUserModification }) => !noUserModification && !sealed && (secrets || !secret),
    isOptional: ({ secret }) => secret,
  };
}

/**
 * The changes that make one entry's content another's, value by value: what goes in front of what comes, by which a value may take the place of one that
 * its rule calls equal.
 *
 * @param before  canonical, as `after`
 * @param only  the types that are looked at; all when it is not given
 */
export function modificationsOf(
  schema: Schema,
  before: readonly PartialAttribute[],
  after: readonly PartialAttribute[],
  { isCompared, isOptional }: Compared,
  only: (type: AttributeType | undefined) => boolean = () => true,
): Modification[] {
  const modifications: Modification[] = [];
  const descriptions = [...new Set([...before, ...after].map(({ description }) => description))];
  for (const description of descriptions) {
    const type = describe(schema, description)?.type;
    if (!only(type) || (type !== undefined && !isCompared(type))) continue;
    const had = valuesOf(before, description);
    const has = valuesOf(after, description);
    if (has.length === 0 && type !== undefined && isOptional(type)) continue;
    const gone = without(had, has);
    const come = without(has, had);
    if (gone.length === 0 && come.length === 0) continue;
    // Without an equality rule no value can be named, and of a secret none is.
    if (type === undefined || type.equality === undefined || isOptional(type)) {
      modifications.push({ operation: 'replace', attribute: { description, values: has } });
      continue;
    }
    if (gone.length > 0) modifications.push({ operation: 'delete', attribute: { description, values: gone } });
    if (come.length > 0) modifications.push({ operation: 'add', attribute: { description, values: come } });
  }
  return modifications;
}

function valuesOf(attributes: readonly PartialAttribute[], description: string): readonly Uint8Array[] {
  return attributes.find((each) => each.description === description)?.values ?? [];
}

const fewMax = 8;

function without(values: readonly Uint8Array[], others: readonly Uint8Array[]): Uint8Array[] {
  if (values.length * others.length <= fewMax * fewMax) return values.filter((value) => !others.some((other) => equalBytes(value, other)));
  const known = new Set(others.map(formOf));
  return values.filter((value) => !known.has(formOf(value)));
}

/** How a rename changes the attributes that name an entry (RFC 4511 §4.9). */
export interface Renaming {
  /** Whether values of the old name go. */
  readonly deleteOldRdn: boolean;
  /** The attributes when it is done, in canonical form. */
  readonly attributes: readonly PartialAttribute[];
}

/**
 * What a rename does to an entry that is to have the attributes `wanted`: values of the old name go when one of them is not among those.
 *
 * @param from  the entry's relative name before, `to` after
 */
export function renaming(
  schema: Schema,
  attributes: readonly PartialAttribute[],
  wanted: readonly PartialAttribute[],
  from: Rdn,
  to: Rdn,
): Renaming {
  const isOf = (rdn: Rdn, description: string, value: Uint8Array) =>
    rdn.some((ava) => {
      const type = schema.attributeType(ava.type);
      return type !== undefined && description.toLowerCase() === type.key && isEqual(type, ava.value, value);
    });
  const isWanted = ({ type, value }: Rdn[number]) =>
    wanted.some(({ description, values }) => values.some((each) => isOf([{ type, value }], description, each)));
  const deleteOldRdn = !from.every(isWanted);
  const left = attributes.map(({ description, values }) => ({
    description,
    // What is in both names stays, but as the new one writes it.
    values: deleteOldRdn ? values.filter((value) => !isOf(from, description, value)) : values,
  }));
  const named = to
    .filter(({ type, value }) => !left.some((each) => each.values.some((one) => isOf([{ type, value }], each.description, one))))
    .map(({ type, value }) => ({ description: type, values: [value] }));
  return { deleteOldRdn, attributes: canonicalAttributes(schema, [...left.filter(({ values }) => values.length > 0), ...named]) };
}

function isEqual(type: AttributeType, one: Uint8Array, other: Uint8Array): boolean {
  const normal = normalizer(type);
  const [a, b] = [normal(one), normal(other)];
  return a !== undefined && b !== undefined && equalBytes(a, b);
}

/** Whether a type names an entry under one of several relative names. */
export function namesBy(schema: Schema, rdns: readonly Rdn[]): (type: AttributeType | undefined) => boolean {
  const keys = new Set(rdns.flat().map(({ type }) => typeAt(schema, type.toLowerCase())?.key));
  return (type) => type !== undefined && keys.has(type.key);
}
