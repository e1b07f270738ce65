import { type Clock, createBoundedMap } from '#base';
import { Refusal } from '#catalogue';
import { type Counted, type Counter, type StateStore, storeErrors } from '#store';

/** Counting, as the state does it. */
export type Counting = Pick<StateStore, 'countUp' | 'countDown'>;

/** Names and addresses that are remembered at most; the one not asked for longest is forgotten. */
const rememberedMax = 10_000;

/**
 * Counts in the state, and in the memory of this process while the state cannot be written: a full disk keeps nobody out who is right, and lets nobody
 * guess on. What stands in the state already counts, too.
 */
export function countingOf(store: Pick<StateStore, 'get' | 'countUp' | 'countDown'>, clock: Clock): Counting {
  const remembered = createBoundedMap<string, { readonly count: number; readonly expiresAtMs: number }>(rememberedMax);
  const nameOf = ({ kind, key }: Pick<Counter, 'kind' | 'key'>) => `${kind}#${key}`;
  const inMemory = (counter: Pick<Counter, 'kind' | 'key'>) => {
    const known = remembered.get(nameOf(counter));
    return known !== undefined && known.expiresAtMs > clock.nowMs() ? known : undefined;
  };

  const standIn = (counters: readonly Counter[]): ReturnType<Counting['countUp']> => {
    const standing = counters.map((counter) => ({ counter, row: store.get(counter.kind, counter.key), known: inMemory(counter) }));
    const full = standing.flatMap(({ counter, row, known }) => {
      const count = Number(row?.value ?? 0) + (known?.count ?? 0);
      return count >= counter.limit ? { ...counter, expiresAtMs: row?.expiresAtMs ?? known?.expiresAtMs ?? counter.expiresAtMs } : [];
    });
    if (full.length > 0) return { kind: 'full', full };
    const counted = standing.map(({ counter: { kind, key, expiresAtMs }, known }): Counted => {
      const ends = known?.expiresAtMs ?? expiresAtMs;
      remembered.set(nameOf({ kind, key }), { count: (known?.count ?? 0) + 1, expiresAtMs: ends });
      return { kind, key, expiresAtMs: ends };
    });
    return { kind: 'counted', counted };
  };

  return {
    countUp: (counters) =>
      unlessUnwritten(
        () => store.countUp(counters),
        () => standIn(counters),
      ),
    countDown: (counted) => {
      const [here, there] = [
        counted.filter((each) => inMemory(each) !== undefined),
        counted.filter((each) => inMemory(each) === undefined),
      ];
      for (const each of here) {
        const known = inMemory(each);
        if (known !== undefined) remembered.set(nameOf(each), { ...known, count: Math.max(0, known.count - 1) });
      }
      // What cannot be taken back stays counted until its window ends.
      unlessUnwritten(
        () => store.countDown(there),
        () => undefined,
      );
    },
  };
}

function unlessUnwritten<T>(act: () => T, otherwise: () => T): T {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.row === storeErrors.stateNotWritten) return otherwise();
    throw thrown;
  }
}
