import { refuse } from '#catalogue';
import { isSealed, type Sealer, type SealingKey, seal, sealingKey, unseal } from '#keys';
import type { PartialAttribute } from '#ldap';
import { describe, formOf, type Schema } from '#schema';
import { errors } from './errors.ts';
import { type NamedEntry, uuidOf } from './named.ts';

/**
 * Values that the schema marks as sealed lie under the key-encryption key in the directory, each bound to its entry and attribute, and under a key that is
 * given for the way in a file, bound to the name that its record has there.
 */

/** The key for the way, of the octets of a file. */
export function transferKey(octets: Uint8Array): SealingKey {
  return sealingKey(octets, 'transfer');
}

/** Where a value belongs in a file. */
export function transferPlace(key: Uint8Array, attribute: string): string {
  return `${Buffer.from(formOf(key), 'latin1').toString('hex')} ${attribute.toLowerCase()}`;
}

/** What was left out of an export, by attribute. */
export type LeftOut = Map<string, number>;

/**
 * Seals an entry's values for the way. Without a key for it, and where a value does not open, they are left out and counted: never silently.
 *
 * @param stored  opens what the directory keeps
 * @param way  the key for the way
 */
export function resealed(
  schema: Schema,
  entry: NamedEntry,
  keys: { readonly stored: Sealer; readonly way: SealingKey | undefined },
  leftOut: LeftOut,
): NamedEntry {
  if (!entry.attributes.some(({ description }) => describe(schema, description)?.type.sealed === true)) return entry;
  const uuid = uuidOf(entry) ?? '';
  const attributes = entry.attributes.flatMap((attribute): PartialAttribute[] => {
    const described = describe(schema, attribute.description);
    if (described?.type.sealed !== true) return [attribute];
    const { description, key } = described;
    const { way, stored } = keys;
    const values = attribute.values.flatMap((value) => {
      const open = way && stored.open(uuid, key, value)?.value;
      if (way !== undefined && open !== undefined) return [seal(way, open, transferPlace(entry.key, key))];
      leftOut.set(description, (leftOut.get(description) ?? 0) + 1);
      return [];
    });
    return values.length === 0 ? [] : [{ description, values }];
  });
  return { ...entry, attributes };
}

/**
 * Opens what was sealed for the way. Without the key it is left out and counted. What came open stays so.
 *
 * @throws Refusal `transferRefused` with the line where the key is another, or the value was moved from another entry
 */
export function opened(schema: Schema, entry: NamedEntry, way: SealingKey | undefined, leftOut: LeftOut): NamedEntry {
  if (!entry.attributes.some(({ description }) => describe(schema, description)?.type.sealed === true)) return entry;
  const attributes = entry.attributes.flatMap((attribute): PartialAttribute[] => {
    const described = describe(schema, attribute.description);
    if (described?.type.sealed !== true) return [attribute];
    const { description, key } = described;
    const values = attribute.values.flatMap((value): Uint8Array[] => {
      // What came open is sealed where it is written.
      if (!isSealed(value)) return [value];
      if (way === undefined) {
        leftOut.set(description, (leftOut.get(description) ?? 0) + 1);
        return [];
      }
      const open = unseal(way, value, transferPlace(entry.key, key));
      if (open !== undefined) return [open];
      const why = `${description}: it does not open: the transfer key is another, or the value is another entry's`;
      throw refuse(errors.transferRefused, { line: entry.line, dn: entry.dn, why });
    });
    if (values.length === 0) return [];
    return [{ description, values }];
  });
  return { ...entry, attributes };
}

/** Says what was left out, one line for each attribute. */
export function tellLeftOut(leftOut: LeftOut): string[] {
  return [...leftOut].map(
    ([name, count]) =>
      `${name}: ${count.toLocaleString('en')} sealed ${count === 1 ? 'value is' : 'values are'} left out: there is no transfer key that opens them`,
  );
}
