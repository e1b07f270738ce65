import test from 'ava';
import { refuse } from '#catalogue';
import { type StateStore, storeErrors } from '#store';
import { countingOf } from '../../src/state/stand-in.ts';

test('a full disk: attempts are counted in memory, with those that stand in the state, and the right one is taken back', (t) => {
  let nowMs = 1000;
  let full = true;
  const never = () => {
    if (full) throw refuse(storeErrors.stateNotWritten, { why: 'no room' });
    return { kind: 'counted' as const, counted: [] };
  };
  const row = { kind: 'k', key: 'known', value: '2', owner: '', expiresAtMs: 61_000 };
  const store: Pick<StateStore, 'get' | 'look' | 'countUp' | 'countDown' | 'isNone'> = {
    get: (_kind, key) => (key === 'known' ? row : undefined),
    look: (kind, key) => store.get(kind, key),
    isNone: () => false,
    countUp: never,
    countDown: () => void never(),
  };
  const counting = countingOf(store, { nowMs: () => nowMs });
  const up = (key: string) => counting.countUp([{ kind: 'k', key, limit: 3, expiresAtMs: nowMs + 60_000 }]);
  t.deepEqual(
    ['a', 'a', 'a', 'a', 'known', 'known'].map((key) => up(key).kind),
    ['counted', 'counted', 'counted', 'full', 'counted', 'full'],
  );
  const right = up('b');
  t.is(right.kind, 'counted');
  if (right.kind === 'counted') counting.countDown(right.counted);
  t.deepEqual(
    ['b', 'b', 'b', 'b'].map((key) => up(key).kind),
    ['counted', 'counted', 'counted', 'full'],
  );
  nowMs += 60_001;
  t.is(up('a').kind, 'counted', 'the window is over');
  full = false;
  t.is(up('a').kind, 'counted', 'the state can be written again, and counts');
});

test('a disk that becomes full between an attempt and its success: what cannot be taken back is not held against who was right', (t) => {
  let full = false;
  let count = 0;
  const written = () => {
    if (full) throw refuse(storeErrors.stateNotWritten, { why: 'no room' });
  };
  const store: Pick<StateStore, 'get' | 'look' | 'countUp' | 'countDown' | 'isNone'> = {
    get: (kind, key) => (count === 0 ? undefined : { kind, key, value: String(count), owner: '', expiresAtMs: 61_000 }),
    look: (kind, key) => store.get(kind, key),
    isNone: () => false,
    countUp: (counters) => {
      written();
      if (count >= 2) return { kind: 'full', full: counters };
      count++;
      return { kind: 'counted', counted: counters };
    },
    countDown: (counted) => {
      written();
      count -= counted.length;
    },
  };
  const counting = countingOf(store, { nowMs: () => 1000 });
  const up = () => counting.countUp([{ kind: 'k', key: 'a', limit: 2, expiresAtMs: 61_000 }]);
  for (let times = 0; times < 5; times++) {
    full = false;
    const right = up();
    t.is(right.kind, 'counted');
    full = true;
    if (right.kind === 'counted') counting.countDown(right.counted);
  }
  t.deepEqual([up().kind, up().kind, up().kind], ['counted', 'counted', 'full']);
});
