import { text } from '#base';
import { decodeAttributes } from '#ldap';
import type { Schema } from '#schema';
import type { Snapshot } from '#store';
import type { Name } from './realm.ts';
import { isOf } from './said.ts';

export const authnPolicyClass = 'stsAuthnPolicy';
export const passwordPolicyClass = 'stsPasswordPolicy';

/** Values of an attribute, by its key. */
type Values = (attribute: string) => readonly string[];

/**
 * What the entry of a policy says. What stands at its name and is of another class is none: it was not judged as one when it was written, and that it changes
 * is told to nobody who keeps what is in force (`governing.ts`).
 */
export function policyValues(schema: Schema, snapshot: Snapshot, { key }: Pick<Name, 'key'>, objectClass: string): Values | undefined {
  const entry = snapshot.byDnKey(key);
  if (entry === undefined) return undefined;
  const attributes = decodeAttributes(entry.user);
  const get = (attribute: string) => attributes.find(({ description }) => description.toLowerCase() === attribute);
  if (!isOf(schema, { get }, objectClass)) return undefined;
  return (attribute) => (get(attribute)?.values ?? []).flatMap((value) => text(value) ?? []);
}
