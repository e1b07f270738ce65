import { equalBytes, hex } from '#base';
import { parentKey } from '#schema';

/** Names and entryUUIDs that an import has met, in some 60 octets each: millions of them are in memory at a time. */
export interface Names {
  /** The number of the entry of that key. */
  find(key: Uint8Array): number | undefined;
  /** The number of the superior's entry; 0 above the uppermost. */
  findAbove(key: Uint8Array): number | undefined;
  /**
   * Takes an entry that is not there.
   *
   * @param above  the number of its superior, 0 for the uppermost
   * @returns its number
   */
  add(key: Uint8Array, above: number, uuid: string): number;
  uuidOf(number: number): string;
  hasUuid(uuid: string): boolean;
}

const slotsAtFirst = 1024;
const uuidOctets = 16;

/**
 * Each entry is kept as its superior's number and its own level of the key.
 *
 * @param isRoot  whether a key is that of an uppermost entry, whose levels count as one
 */
export function createNames(isRoot: (key: Uint8Array) => boolean): Names {
  const levels = createLevels();
  let uuids = Buffer.alloc(slotsAtFirst * uuidOctets);
  let numberOfUuid = new Int32Array(2 * slotsAtFirst);
  let count = 0;
  // Most entries have the superior of the one before.
  let lastAbove: { readonly key: Uint8Array; readonly number: number } | undefined;

  function find(key: Uint8Array): number | undefined {
    const above = findAbove(key);
    if (above === 0) return levels.find(0, key, 0);
    return above === undefined ? undefined : levels.find(above, key, levelStart(key));
  }

  function findAbove(key: Uint8Array): number | undefined {
    const above = parentKey(key);
    if (above === undefined || isRoot(key)) return 0;
    if (lastAbove !== undefined && equalBytes(lastAbove.key, above)) return lastAbove.number;
    const number = find(above);
    if (number !== undefined) lastAbove = { key: above.slice(), number };
    return number;
  }

  function slotOfUuid(octets: Uint8Array): number {
    const mask = numberOfUuid.length - 1;
    let slot = hashOf(octets, 0, 0) & mask;
    for (;;) {
      const number = numberOfUuid[slot] as number;
      if (number === 0 || uuids.compare(octets, 0, uuidOctets, number * uuidOctets, (number + 1) * uuidOctets) === 0) return slot;
      slot = (slot + 1) & mask;
    }
  }

  function grow(): void {
    const bigger = Buffer.alloc(uuids.length * 2);
    uuids.copy(bigger);
    uuids = bigger;
    numberOfUuid = new Int32Array(numberOfUuid.length * 2);
    for (let number = 1; number <= count; number++) {
      numberOfUuid[slotOfUuid(uuids.subarray(number * uuidOctets, (number + 1) * uuidOctets))] = number;
    }
  }

  return {
    find,
    findAbove,
    add(key, above, uuid) {
      if ((count + 2) * uuidOctets > uuids.length) grow();
      const number = levels.add(above, key, above === 0 ? 0 : levelStart(key));
      const octets = octetsOf(uuid);
      count = number;
      const slot = slotOfUuid(octets);
      uuids.set(octets, number * uuidOctets);
      numberOfUuid[slot] = number;
      return number;
    },
    uuidOf(number) {
      const digits = hex(uuids.subarray(number * uuidOctets, (number + 1) * uuidOctets));
      return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
    },
    hasUuid: (uuid) => numberOfUuid[slotOfUuid(octetsOf(uuid))] !== 0,
  };
}

function octetsOf(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Where the lowest level of a key begins. */
function levelStart(key: Uint8Array): number {
  return (parentKey(key) as Uint8Array).length + 1;
}

/** Levels of keys by the number of what is above: a hash table over numbers, whose octets lie one behind the other. */
function createLevels() {
  let slots = new Int32Array(2 * slotsAtFirst);
  let hashes = new Int32Array(slotsAtFirst);
  let aboves = new Int32Array(slotsAtFirst);
  let ends = new Float64Array(slotsAtFirst);
  let octets = Buffer.allocUnsafeSlow(slotsAtFirst * uuidOctets);
  let count = 0;

  function isAt(number: number, hash: number, above: number, key: Uint8Array, start: number): boolean {
    if (hashes[number] !== hash || aboves[number] !== above) return false;
    const from = ends[number - 1] as number;
    if ((ends[number] as number) - from !== key.length - start) return false;
    for (let i = start; i < key.length; i++) if (octets[from + i - start] !== key[i]) return false;
    return true;
  }

  function slotOf(hash: number, above: number, key: Uint8Array, start: number): number {
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot] !== 0 && !isAt(slots[slot] as number, hash, above, key, start)) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    hashes = twice(hashes, new Int32Array(hashes.length * 2));
    aboves = twice(aboves, new Int32Array(aboves.length * 2));
    ends = twice(ends, new Float64Array(ends.length * 2));
    slots = new Int32Array(slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 1; number <= count; number++) {
      let slot = (hashes[number] as number) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
  }

  return {
    find(above: number, key: Uint8Array, start: number): number | undefined {
      return slots[slotOf(hashOf(key, start, above), above, key, start)] || undefined;
    },
    add(above: number, key: Uint8Array, start: number): number {
      if (count + 2 > hashes.length) grow();
      const hash = hashOf(key, start, above);
      const number = ++count;
      const from = ends[number - 1] as number;
      const end = from + key.length - start;
      if (end > octets.length) {
        const bigger = Buffer.allocUnsafeSlow(Math.max(octets.length * 2, end));
        octets.copy(bigger, 0, 0, from);
        octets = bigger;
      }
      octets.set(start === 0 ? key : key.subarray(start), from);
      hashes[number] = hash;
      aboves[number] = above;
      ends[number] = end;
      slots[slotOf(hash, above, key, start)] = number;
      return number;
    },
  };
}

function twice<T extends Int32Array | Float64Array>(array: T, into: T): T {
  into.set(array);
  return into;
}

/** FNV-1a, stirred once more so that its low bits are good for a table. */
function hashOf(octets: Uint8Array, start: number, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = start; i < octets.length; i++) hash = Math.imul(hash ^ (octets[i] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
