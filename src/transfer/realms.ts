import { text, utf8 } from '#base';
import { type Dn, formatDn, type PartialAttribute, parseDn } from '#ldap';
import { normalizeDn, type Schema } from '#schema';

/** Where the entries of other realms stand. */
export function placeOfRealm(defaultSuffix: string): string {
  return `ou=realms,${defaultSuffix}`;
}

/** Where tasks stand. */
export function placeOfTasks(defaultSuffix: string): string {
  return `cn=tasks,${defaultSuffix}`;
}

/** Keys of what lies in the default realm's tree and is no content of it: the entries of other realms, which make and remove these, and tasks. */
export function notContent(schema: Schema, defaultSuffix: string): Uint8Array[] {
  return [placeOfRealm(defaultSuffix), placeOfTasks(defaultSuffix)].map((dn) => keyOfName(schema, dn));
}

/**
 * The id and suffix of a realm by its entry: the `dc` of its domain, or else `o` with its id (RFC 2247).
 *
 * @returns nothing for an entry that is no realm
 */
export function suffixOfRealm(attributes: readonly PartialAttribute[]): { readonly id: string; readonly suffix: string } | undefined {
  const one = (name: string) => {
    const value = attributes.find(({ description }) => description.toLowerCase() === name)?.values[0];
    return value === undefined ? undefined : text(value);
  };
  const classes = attributes.find(({ description }) => description.toLowerCase() === 'objectclass')?.values ?? [];
  const id = one('stsrealmid') ?? one('cn');
  if (id === undefined || !classes.some((value) => text(value)?.toLowerCase() === 'stsrealmentry')) return undefined;
  const domain = one('associateddomain');
  const parts: Dn =
    domain === undefined ? [[{ type: 'o', value: utf8(id) }]] : domain.split('.').map((label) => [{ type: 'dc', value: utf8(label) }]);
  return { id: id.toLowerCase(), suffix: formatDn(parts) };
}

/** @throws Error for a name that no schema can read: suffixes were judged before */
export function keyOfName(schema: Schema, name: string): Uint8Array {
  const dn = parseDn(name);
  const key = dn && normalizeDn(schema, dn);
  if (key === undefined) throw new Error(`no name: ${name}`);
  return key;
}
