/** How many network connections are open, over all threads that let them in. */
export interface Tally {
  /** @returns how many there are with this one */
  add(): number;
  remove(): void;
  readonly total: number;
}

const slotOctets = Int32Array.BYTES_PER_ELEMENT;

/** What the tallies of so many threads have in common. */
export function createTallyBuffer(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * slotOctets);
}

/** @param slot  the thread's own, so that what a thread has counted can be forgotten when it dies */
export function createTally(buffer = createTallyBuffer(1), slot = 0): Tally {
  const counts = new Int32Array(buffer);
  const total = () => counts.reduce((sum, _, at) => sum + Atomics.load(counts, at), 0);
  return {
    add() {
      // Counted before it is compared: of two that come at once at least one sees the other.
      Atomics.add(counts, slot, 1);
      return total();
    },
    remove: () => void Atomics.sub(counts, slot, 1),
    get total() {
      return total();
    },
  };
}

/** To be called when a thread has died with its connections. */
export function forgetTally(buffer: SharedArrayBuffer, slot: number): void {
  Atomics.store(new Int32Array(buffer), slot, 0);
}
