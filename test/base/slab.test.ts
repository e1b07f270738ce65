import test from 'ava';
import fc from 'fast-check';
import { createBoundedMap, createSlab } from '#base';
import { holds } from '../support/holds.ts';

const mebi = 2 ** 20;

test('a slab gives what was put last under a pair, or nothing: never something else, never more octets than its bound', (t) => {
  const pair = fc.tuple(fc.integer({ min: 0, max: 200 }), fc.constantFrom(0, 1, 2 ** 33));
  const step = fc.oneof(
    { weight: 50, arbitrary: fc.record({ kind: fc.constant('put' as const), pair, octets: fc.integer({ min: 0, max: 20_000 }) }) },
    { weight: 10, arbitrary: fc.record({ kind: fc.constant('delete' as const), pair }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), pair }) },
  );
  holds(
    t,
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const slab = createSlab(mebi, 512);
      const last = new Map<string, Buffer>();
      let filled = 0;
      for (const { pair: at, ...each } of steps) {
        if (each.kind === 'clear') {
          slab.clear();
          last.clear();
        } else if (each.kind === 'delete') {
          slab.delete(...at);
          last.delete(String(at));
        } else {
          const room = slab.put(...at, each.octets);
          // A sixteenth is one segment, and none keeps more than four a segment.
          if (room === undefined) {
            if (each.octets <= mebi / 64) throw new Error(`${each.octets} were refused`);
            continue;
          }
          room.fill(++filled % 251);
          last.set(String(at), Buffer.from(room));
          if (slab.get(...at)?.equals(room) !== true) throw new Error('what was just put is not there');
        }
        for (const [text, octets] of last) {
          const [a = 0, b = 0] = text.split(',').map(Number);
          const found = slab.get(a, b);
          if (found !== undefined && !found.equals(octets)) throw new Error(`something else stands under ${text}`);
        }
        if (slab.octets > mebi) throw new Error(`${slab.octets} octets`);
        if (each.kind === 'delete' && slab.get(...at) !== undefined) throw new Error('what was deleted is still there');
      }
    }),
    { numRuns: 20 },
  );
});

test('a view of a slab stays what it is when what it shows has gone', (t) => {
  const slab = createSlab(mebi, 512);
  slab.put(1, 0, 4)?.write('kept');
  const view = slab.get(1, 0);
  for (let number = 2; number < 1000; number++) slab.put(number, 0, 10_000)?.fill(0);
  t.is(slab.get(1, 0), undefined, 'the oldest went first');
  t.is(view?.toString(), 'kept');
});

test('nearly all of what fits into a slab stays there', (t) => {
  const slab = createSlab(16 * mebi, 512);
  for (let number = 0; number < 10_000; number++) slab.put(number, 0, 1000)?.writeUInt32LE(number);
  let held = 0;
  for (let number = 0; number < 10_000; number++) if (slab.get(number, 0)?.readUInt32LE() === number) held++;
  // A pair has two places to stand in: some give way to others although there is room elsewhere.
  t.true(held > 9000, String(held));
});

test('a bounded map holds its bound at most, and what is asked for again and again stays', (t) => {
  const map = createBoundedMap<number, string>(10);
  for (let number = 0; number < 1000; number++) {
    map.set(number, `v${number}`);
    t.true(map.size <= 10);
    if (number > 0) map.set(0, map.get(0) ?? 'lost');
  }
  t.is(map.get(0), 'v0');
  t.is(map.get(999), 'v999');
  t.is(map.get(500), undefined);
});
