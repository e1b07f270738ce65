/**
 * What the thread that counts attempts tells those beside it, in shared memory: who looks at the counters by themselves must know when to look again, and
 * when what counts is not in the file.
 *
 * Two numbers: how often anything was counted, and until when counters in that thread's memory count at the latest, in milliseconds.
 */
const at = { counted: 0, inMemoryUntil: 1 } as const;
const numbers = 2;

/** @returns what the `newsOf` of every thread is given */
export function createNewsBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(numbers * BigInt64Array.BYTES_PER_ELEMENT);
}

export interface CountingNews {
  /** Moves when anything has been counted, before anybody is told of it. */
  readonly moved: () => number;
  counted(): void;
  /** Until when something may be counted in memory; in the past when nothing is. */
  readonly inMemoryUntilMs: () => number;
  /** Something is, until then. To be called before `counted`. */
  inMemory(untilMs: number): void;
}

export function newsOf(buffer: SharedArrayBuffer): CountingNews {
  const counts = new BigInt64Array(buffer);
  const load = (index: number) => Number(Atomics.load(counts, index));
  return {
    moved: () => load(at.counted),
    counted: () => void Atomics.add(counts, at.counted, 1n),
    inMemoryUntilMs: () => load(at.inMemoryUntil),
    inMemory(untilMs) {
      if (untilMs > load(at.inMemoryUntil)) Atomics.store(counts, at.inMemoryUntil, BigInt(Math.ceil(untilMs)));
    },
  };
}
