import { parseDn } from '#ldap';
import { normalizeDn, type Schema } from '#schema';

/** Where the entries of other realms stand. */
function placeOfRealm(defaultSuffix: string): string {
  return `ou=realms,${defaultSuffix}`;
}

/** Where tasks stand. */
function placeOfTasks(defaultSuffix: string): string {
  return `cn=tasks,${defaultSuffix}`;
}

/** Keys of what lies in the default realm's tree and is no content of it: the entries of other realms, which make and remove these, and tasks. */
export function notContent(schema: Schema, defaultSuffix: string): Uint8Array[] {
  return [placeOfRealm(defaultSuffix), placeOfTasks(defaultSuffix)].map((dn) => keyOfName(schema, dn));
}

/** @throws Error for a name that no schema can read: suffixes were judged before */
export function keyOfName(schema: Schema, name: string): Uint8Array {
  const dn = parseDn(name);
  const key = dn && normalizeDn(schema, dn);
  if (key === undefined) throw new Error(`no name: ${name}`);
  return key;
}
