import { utf8 } from '#base';
import type { Schema } from '#schema';
import type { ReadableEntry, Snapshot } from '#store';

/** The entries of a class, found by its index. */
export function entriesOfClass(schema: Schema, snapshot: Snapshot, name: string, max: number): readonly ReadableEntry[] {
  const key = schema.attributeType('objectClass')?.equality?.assertion(utf8(schema.objectClass(name)?.name ?? name));
  if (key === undefined) throw new Error(`no schema defines ${name}`);
  return snapshot.idsEqual('objectclass', key, max).flatMap((id) => snapshot.readable(id) ?? []);
}
