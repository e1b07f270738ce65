import test from 'ava';
import fc from 'fast-check';
import { createHistogram, median, percentileUs } from '../../bench/statistics.ts';
import { holds } from '../support/holds.ts';

test('the median is the middle value, of an even number the mean of the two in the middle, of none no number', (t) => {
  t.is(median([3, 1, 2]), 2);
  t.is(median([4, 1, 3, 2]), 2.5);
  t.is(median([7]), 7);
  t.is(median([]), Number.NaN);
});

test('the histogram gives a percentile to within 3 % of what sorting all durations gives', (t) => {
  holds(
    t,
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.01, 0.5, 0.9, 0.99, 1),
      (durations, share) => {
        const histogram = createHistogram();
        for (const us of durations) histogram.add(us);
        const exact = [...durations].sort((a, b) => a - b)[Math.ceil(durations.length * share) - 1] ?? Number.NaN;
        const told = percentileUs(histogram.counts(), share);
        return Math.abs(told - exact) <= Math.max(0.5, exact * 0.03);
      },
    ),
  );
});

test('a histogram of nothing has no percentile, and every duration is counted once, however long', (t) => {
  t.is(percentileUs(createHistogram().counts(), 0.99), Number.NaN);
  const histogram = createHistogram();
  for (const us of [0, 0.4, 1, 63, 64, 65, 1e6, 1e12]) histogram.add(us);
  t.is(
    histogram.counts().reduce((sum, [, count]) => sum + count, 0),
    8,
  );
});
