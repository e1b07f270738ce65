/** What the two threads of an export know of each other: which range is made next, and how many are written. */
export interface Ranges {
  readonly shared: SharedArrayBuffer;
  readonly lastId: number;
}

/** Row numbers of one range. */
const rangeIds = 250;
/** Ranges that are made and not yet written. */
const aheadMax = 64;

const nextAt = 0;
const writtenAt = 1;

export function createRanges(lastId: number): Ranges {
  return { shared: new SharedArrayBuffer(8), lastId };
}

/** Row numbers above one and up to another. */
export function idsOf({ lastId }: Ranges, range: number): readonly [afterId: number, lastId: number] {
  return [range * rangeIds, Math.min(lastId, (range + 1) * rangeIds)];
}

export function countOf({ lastId }: Ranges): number {
  return Math.ceil(lastId / rangeIds);
}

/** The number of a range that nobody else makes; `undefined` when all are taken. */
export function takeRange(ranges: Ranges): number | undefined {
  const range = Atomics.add(new Int32Array(ranges.shared), nextAt, 1);
  return range < countOf(ranges) ? range : undefined;
}

/** Whether a range lies so far ahead of what is written that it has to wait. */
export function isAhead({ shared }: Ranges, range: number): boolean {
  return range - Atomics.load(new Int32Array(shared), writtenAt) >= aheadMax;
}

/** Stops this thread until a range is no longer far ahead. Not for the thread that writes. */
export function waitBehind({ shared }: Ranges, range: number): void {
  const numbers = new Int32Array(shared);
  for (let written = Atomics.load(numbers, writtenAt); range - written >= aheadMax; written = Atomics.load(numbers, writtenAt)) {
    Atomics.wait(numbers, writtenAt, written);
  }
}

/** Says how many ranges are written. */
export function noteWritten({ shared }: Ranges, written: number): void {
  const numbers = new Int32Array(shared);
  Atomics.store(numbers, writtenAt, written);
  Atomics.notify(numbers, writtenAt);
}
