/** A map that never holds more than its bound: what was not asked for longest goes first, and half of it at a time, which costs nothing. */
export interface BoundedMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  readonly size: number;
}

/** @param max  entries at most, 2 or more */
export function createBoundedMap<K, V>(max: number): BoundedMap<K, V> {
  const half = Math.max(1, Math.floor(max / 2));
  let young = new Map<K, V>();
  let old = new Map<K, V>();

  const set = (key: K, value: V) => {
    if (young.size >= half && !young.has(key)) {
      old = young;
      young = new Map();
    }
    old.delete(key);
    young.set(key, value);
  };

  return {
    get(key) {
      const known = young.get(key);
      if (known !== undefined) return known;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    get size() {
      return young.size + old.size;
    },
  };
}
