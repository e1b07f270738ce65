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
  const store: Pick<StateStore, 'get' | 'countUp' | 'countDown'> = {
    get: (_kind, key) => (key === 'known' ? row : undefined),
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
