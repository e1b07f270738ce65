/** The middle value; of an even number of values the mean of the two in the middle. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const high = sorted[sorted.length >> 1];
  const low = sorted[(sorted.length - 1) >> 1];
  return high === undefined || low === undefined ? Number.NaN : (low + high) / 2;
}

/** A histogram as it travels between processes: bucket and count. */
export type Counts = readonly (readonly [bucket: number, count: number])[];

/** Durations in microseconds, kept to within 3 %, in memory that does not grow with their number. */
export interface Histogram {
  add(us: number): void;
  counts(): Counts;
}

// 32 buckets for each doubling: below 64 µs a bucket is one microsecond wide, above it is at most 1/32 of its value.
const subBits = 5;
const bucketsMax = 28 << subBits;

export function createHistogram(): Histogram {
  const buckets = new Uint32Array(bucketsMax);
  return {
    add(us) {
      const bucket = Math.min(bucketOf(us), bucketsMax - 1);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    },
    counts: () => [...buckets.entries()].filter(([, count]) => count > 0),
  };
}

/**
 * The duration below which a share of all durations lies, in microseconds.
 *
 * @param share  0.99 for the 99th percentile
 * @returns the middle of the bucket that holds it, NaN when nothing was counted
 */
export function percentileUs(counts: Counts, share: number): number {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil(total * share);
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return (lowestUs(bucket) + lowestUs(bucket + 1)) / 2;
  }
  return Number.NaN;
}

function bucketOf(us: number): number {
  const whole = Math.max(0, Math.floor(us));
  const shift = Math.max(0, 31 - Math.clz32(whole) - subBits);
  return (shift << subBits) + (whole >>> shift);
}

/** The smallest duration that falls into a bucket. */
function lowestUs(bucket: number): number {
  const octave = bucket >> subBits;
  const shift = Math.max(0, octave - 1);
  return (bucket - (shift << subBits)) * 2 ** shift;
}
