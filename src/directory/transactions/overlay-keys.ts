import { type EntryRecord, type Indexer, keyOctetsMax } from '#store';

/** By which index keys entries are found that are changed and not committed. */
export interface TakenKeys {
  /** An entry as it will be; nothing for one that goes. */
  note(uuid: string, entry: EntryRecord | undefined): void;
  /** The entryUUIDs of those that have a key. */
  having(attribute: string, key: Uint8Array): Iterable<string>;
  /** Of those that have a key which begins so, each once. */
  beginning(attribute: string, prefix: Uint8Array): Iterable<string>;
}

/** Each state of an entry is indexed once, when something is asked for: a transaction asks for each of its updates, and a single change mostly never. */
export function takenKeys(indexer: Indexer): TakenKeys {
  const byAttribute = new Map<string, Map<string, Set<string>>>();
  const placesOf = new Map<string, readonly (readonly [attribute: string, key: string])[]>();
  const noted = new Map<string, EntryRecord | undefined>();

  const settle = () => {
    for (const [uuid, entry] of noted) {
      for (const [attribute, key] of placesOf.get(uuid) ?? []) byAttribute.get(attribute)?.get(key)?.delete(uuid);
      const places = entry === undefined ? [] : indexer(entry).map(({ attribute, key }) => [attribute, textOf(key)] as const);
      for (const [attribute, key] of places) {
        const keys = byAttribute.get(attribute) ?? new Map<string, Set<string>>();
        byAttribute.set(attribute, keys.set(key, (keys.get(key) ?? new Set()).add(uuid)));
      }
      placesOf.set(uuid, places);
    }
    noted.clear();
  };

  return {
    note: (uuid, entry) => void noted.set(uuid, entry),
    having(attribute, key) {
      settle();
      return byAttribute.get(attribute)?.get(textOf(key)) ?? [];
    },
    beginning(attribute, prefix) {
      settle();
      const found = new Set<string>();
      const begin = textOf(prefix);
      for (const [key, uuids] of byAttribute.get(attribute) ?? []) if (key.startsWith(begin)) for (const uuid of uuids) found.add(uuid);
      return found;
    },
  };
}

/** As the store cuts keys, so that both find the same. */
function textOf(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, Math.min(octets.length, keyOctetsMax)).toString('latin1');
}
