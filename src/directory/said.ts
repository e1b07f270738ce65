import { text } from '#base';
import type { EntryAttributes, Schema } from '#schema';

/** Attributes as an entry is to have them, by their keys. */
export type Said = Pick<EntryAttributes, 'get'>;

/** Whether an entry is of a class, itself or by one below it, however its name is written. */
export function isOf(schema: Schema, attributes: Said, wanted: string): boolean {
  const values = attributes.get('objectclass')?.values ?? [];
  return values.some((value) => schema.objectClass(text(value) ?? '')?.lineage.some(({ name }) => name === wanted) === true);
}

/** Its values of an attribute, by the attribute’s key. */
export function textsOf(attributes: Said) {
  return (attribute: string) => (attributes.get(attribute)?.values ?? []).map((value) => text(value) ?? '');
}
