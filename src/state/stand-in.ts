import { type Clock, createBoundedMap } from '#base';
import { Refusal } from '#catalogue';
import { type Counted, type Counter, type StateRow, type StateStore, storeErrors } from '#store';
import type { CountingNews } from './news.ts';

/** Counting, as the state does it. */
export interface Counting extends Pick<StateStore, 'countUp' | 'countDown'> {
  /** Whether a counter has reached its limit, by what was last seen of it: no reading while nobody counts by it. Nothing is written. */
  isFull(counter: Counter): boolean;
  /** How far a counter is, and when it ends. Nothing is written. */
  standing(counter: Counter): { readonly count: number; readonly expiresAtMs: number };
  /** True when nothing of some kinds is counted, which is found out without reading most of the time. */
  isEmpty(kinds: readonly string[]): boolean;
}

/** Names and addresses that are remembered at most; the one not asked for longest is forgotten. */
const rememberedMax = 10_000;

/**
 * Counts in the state, and in the memory of this process while the state cannot be written: a full disk keeps nobody out who is right, and lets nobody
 * guess on. What stands in the state already counts, too.
 */
export function countingOf(
  store: Pick<StateStore, 'get' | 'look' | 'countUp' | 'countDown' | 'isNone'>,
  clock: Clock,
  news: Pick<CountingNews, 'counted' | 'inMemory'> = toldNobody,
): Counting {
  const remembered = createBoundedMap<string, { readonly count: number; readonly expiresAtMs: number }>(rememberedMax);
  const nameOf = ({ kind, key }: Pick<Counter, 'kind' | 'key'>) => `${kind}#${key}`;
  const inMemory = (counter: Pick<Counter, 'kind' | 'key'>) => {
    if (remembered.size === 0) return undefined;
    const known = remembered.get(nameOf(counter));
    return known !== undefined && known.expiresAtMs > clock.nowMs() ? known : undefined;
  };

  const add = (counter: Pick<Counter, 'kind' | 'key'>, count: number, expiresAtMs: number) => {
    const known = inMemory(counter);
    const ends = known?.expiresAtMs ?? expiresAtMs;
    remembered.set(nameOf(counter), { count: (known?.count ?? 0) + count, expiresAtMs: ends });
    news.inMemory(ends);
    return ends;
  };

  /** By the state and the memory together. */
  const standing: Counting['standing'] = (counter) => standingBy(counter, store.get(counter.kind, counter.key));
  const standingBy = (counter: Counter, stored: StateRow | undefined): ReturnType<Counting['standing']> => {
    const known = inMemory(counter);
    const row = rowOf(stored, counter);
    return {
      count: countIn(stored, counter) + (known?.count ?? 0),
      expiresAtMs: row?.expiresAtMs ?? known?.expiresAtMs ?? counter.expiresAtMs,
    };
  };
  const isFullNow = (counter: Counter) => standing(counter).count >= counter.limit;

  const standIn = (counters: readonly Counter[]): ReturnType<Counting['countUp']> => {
    const full = counters.filter(isFullNow).map((counter) => ({ ...counter, expiresAtMs: standing(counter).expiresAtMs }));
    if (full.length > 0) return { kind: 'full', full };
    return { kind: 'counted', counted: counters.map((each) => ({ ...each, expiresAtMs: add(each, 1, each.expiresAtMs) })) };
  };

  return {
    isFull: (counter) => standingBy(counter, store.look(counter.kind, counter.key)).count >= counter.limit,
    standing,
    isEmpty: (kinds) => remembered.size === 0 && kinds.every((kind) => store.isNone(kind)),
    countUp: (counters) => {
      const result = unlessUnwritten(
        () => {
          const counted = store.countUp(counters);
          // What could not be taken back when it should have been is not held against anybody.
          return counted.kind === 'full' && counters.some((each) => (inMemory(each)?.count ?? 0) < 0) ? standIn(counters) : counted;
        },
        () => standIn(counters),
      );
      news.counted();
      return result;
    },
    countDown: (counted) => {
      const there: Counted[] = [];
      for (const each of counted) {
        if ((inMemory(each)?.count ?? 0) > 0) add(each, -1, each.expiresAtMs);
        else there.push(each);
      }
      unlessUnwritten(
        () => store.countDown(there),
        () => {
          for (const each of there) add(each, -1, each.expiresAtMs);
        },
      );
      news.counted();
    },
  };
}

const toldNobody: Pick<CountingNews, 'counted' | 'inMemory'> = { counted: () => undefined, inMemory: () => undefined };

/** How far a counter is by what stands of it in the state. */
export function countIn(stored: StateRow | undefined, counter: Counter): number {
  return Number(rowOf(stored, counter)?.value ?? 0);
}

/** One that would end later than one that begins now is left over from before the clock was set back. */
function rowOf(stored: StateRow | undefined, counter: Counter): StateRow | undefined {
  return stored !== undefined && stored.expiresAtMs <= counter.expiresAtMs ? stored : undefined;
}

function unlessUnwritten<T>(act: () => T, otherwise: () => T): T {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.row === storeErrors.stateNotWritten) return otherwise();
    throw thrown;
  }
}
