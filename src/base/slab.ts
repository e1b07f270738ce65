/**
 * Octets kept under pairs of numbers, as many as fit: those that were put first go first.
 *
 * A JavaScript map of a million buffers is a million objects for the garbage collector and dies of its evictions. This is a few
 * large segments, one log that goes round through them, and a table of places in typed arrays: nothing in it is looked at by the collector, and to
 * evict is to let go of the oldest segment. Nothing is ever written over, so that a view stays what it is for as long as it is held.
 */
export interface Slab {
  /** What is kept under `a` and `b`, as a view that never changes. */
  get(a: number, b: number): Buffer | undefined;
  /** The same without making a view: where it stands, good until something is put or deleted, or less than 0. */
  find(a: number, b: number): number;
  /** The segment of a place, where in it what is kept begins, and how many octets it has. */
  segmentAt(place: number): Buffer;
  offsetAt(place: number): number;
  octetsAt(place: number): number;
  /** Room to be kept under `a` and `b`, for the caller to fill at once; `undefined` when so much is never kept. */
  put(a: number, b: number, octets: number): Buffer | undefined;
  delete(a: number, b: number): void;
  clear(): void;
  /** Octets that are held, in use or not. */
  readonly octets: number;
}

const segmentOctetsMax = 1_048_576;
const segments = 16;
/** Words of a place: both numbers, the segment's serial number, and in one word offset and length. */
const words = 4;
/** A pair may stand in either of two places side by side. */
const ways = 2;

/**
 * @param octetsMax   octets of all segments together
 * @param placeOctets  a little less than what is kept usually has: the table has a place for each so many octets, and takes 32 of its own for it
 */
export function createSlab(octetsMax: number, placeOctets: number): Slab {
  const segmentOctets = Math.min(segmentOctetsMax, Math.floor(octetsMax / segments));
  const count = Math.floor(octetsMax / segmentOctets);
  const buckets = 2 ** Math.ceil(Math.log2(Math.max(octetsMax / placeOctets / ways, 1)));
  const table = new Float64Array(buckets * ways * words);
  const spans = new Uint32Array(table.buffer);
  const held: (Buffer | undefined)[] = Array.from({ length: count });
  /** Serial numbers begin at 1: a place of zeros is free. */
  let newest = 0;
  let at = segmentOctets;

  const isHeld = (place: number): boolean => (table[place + 2] as number) > Math.max(newest - count, 0);

  const find = (a: number, b: number): number => {
    const first = bucketOf(a, b, buckets - 1) * ways * words;
    for (let place = first; place < first + ways * words; place += words) {
      if (table[place] === a && table[place + 1] === b && isHeld(place)) return place;
    }
    return -1;
  };

  /** The place of the pair itself, else a free one, else the older one. */
  const choose = (a: number, b: number): number => {
    const known = find(a, b);
    if (known >= 0) return known;
    const first = bucketOf(a, b, buckets - 1) * ways * words;
    const second = first + words;
    return (table[first + 2] as number) <= (table[second + 2] as number) ? first : second;
  };

  const segmentAt = (place: number) => held[(table[place + 2] as number) % count] as Buffer;
  const offsetAt = (place: number) => spans[(place + 3) * 2] as number;
  const octetsAt = (place: number) => spans[(place + 3) * 2 + 1] as number;

  return {
    get(a, b) {
      const place = find(a, b);
      return place < 0 ? undefined : segmentAt(place).subarray(offsetAt(place), offsetAt(place) + octetsAt(place));
    },
    find,
    segmentAt,
    offsetAt,
    octetsAt,
    put(a, b, octets) {
      if (octets > segmentOctets / 4) return undefined;
      if (at === segmentOctets || at + octets > segmentOctets) {
        newest++;
        held[newest % count] = Buffer.allocUnsafeSlow(segmentOctets);
        at = 0;
      }
      const place = choose(a, b);
      table[place] = a;
      table[place + 1] = b;
      table[place + 2] = newest;
      spans[(place + 3) * 2] = at;
      spans[(place + 3) * 2 + 1] = octets;
      const room = held[newest % count]?.subarray(at, at + octets);
      at += octets;
      return room;
    },
    delete(a, b) {
      const place = find(a, b);
      if (place >= 0) table[place + 2] = 0;
    },
    clear() {
      table.fill(0);
      held.fill(undefined);
      at = segmentOctets;
    },
    get octets() {
      return held.reduce((sum, segment) => sum + (segment?.length ?? 0), 0);
    },
  };
}

/**
 * What is counted one by one stands side by side: as many entries as fill the table have a place each, and fewer of them keep to a small part of it, near the
 * processor. Spread by a hash they took one wait for memory more each.
 */
function bucketOf(a: number, b: number, mask: number): number {
  return (a + Math.imul(b, 0x9e3779b1)) & mask;
}
