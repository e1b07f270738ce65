import { byDn, byParent, byUuid, cut, uuidKey } from './format.ts';
import type { EntryRecord, IndexKey } from './types.ts';

/** A key as it stands in the index: the attribute by its number. */
export interface Key {
  readonly attribute: number;
  readonly key: Uint8Array;
  /** The key as it was before it was cut, when the entry is also found by what stands anywhere in it. */
  readonly inside?: Uint8Array;
}

/** A whole key by whose inside entries are found. */
export interface InsideKey {
  readonly attribute: number;
  readonly inside: Uint8Array;
}

/** The keys that an indexer gives, as they stand in the index. */
export function givenKeys(given: readonly IndexKey[], numberOf: (attribute: string) => number): Key[] {
  return given.map(({ attribute, key, inside }) => {
    const number = numberOf(attribute);
    return inside === true ? { attribute: number, key: cut(key), inside: key } : { attribute: number, key: cut(key) };
  });
}

/** Those of some keys by whose inside entries are found. */
export function insideKeys(keys: readonly Key[]): InsideKey[] {
  const found: InsideKey[] = [];
  for (const { attribute, inside } of keys) if (inside !== undefined) found.push({ attribute, inside });
  return found;
}

/** The store's own keys of an entry: by name, by entryUUID and by superior. */
export function ownKeys({ uuid, parent, dnKey }: Pick<EntryRecord, 'uuid' | 'parent' | 'dnKey'>): Key[] {
  const keys: Key[] = [
    { attribute: byDn, key: dnKey },
    { attribute: byUuid, key: keyOfUuid(uuid) },
  ];
  if (parent !== undefined) keys.push({ attribute: byParent, key: keyOfUuid(parent) });
  return keys;
}

/** Keys without repetition: the values of an attribute may have one key. */
export function keySet(keys: readonly Key[]): Map<string, Key> {
  return new Map(keys.map((key) => [textOfKey(key), key]));
}

/** A key as a string, for sets and maps. */
export function textOfKey({ attribute, key }: Key): string {
  return `${attribute}:${Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')}`;
}

/** @throws Error for what is no UUID: no entry has such a one */
export function keyOfUuid(uuid: string): Uint8Array {
  const key = uuidKey(uuid);
  if (key === undefined) throw new Error(`not a UUID: ${uuid}`);
  return key;
}
