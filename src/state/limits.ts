import type { Counted, StateStore } from '#store';
import { type AttemptBy, type CountersOptions, createCounters, ofKind } from './counters.ts';
import type { CountingNews } from './news.ts';
import { countingOf } from './stand-in.ts';

/** An attempt counts from when it is admitted, and is taken back when it succeeds. `counters` names those that have reached their limit, or that count it. */
export type Attempt = Limited | { readonly kind: 'admitted'; readonly counters: readonly string[]; succeeded(): Promise<void> };

export interface Limited {
  readonly kind: 'limited';
  /** Whole seconds until the window ends, at least one. */
  readonly waitS: number;
  /** What was tried too often: the name, or from the address. */
  readonly of: 'identity' | 'address';
  readonly counters: readonly string[];
}

/**
 * Failed attempts, counted in fixed windows for each identity and for each address of a realm, in every process that shares the state.
 *
 * @see specification document 1, "Limits"; docs/decisions/0012-failures.md
 */
export interface Limits {
  /**
   * To be asked before anything is verified.
   *
   * @returns `limited` with the seconds until the window ends, also for who would have been right
   */
  enter(attempt: AttemptBy): Promise<Attempt>;
  /** Whether an attempt would be refused at this moment. Nothing is counted. Who asks again and again does it with the same object: its names are made once. */
  isFull(attempt: AttemptBy): boolean;
  /** How an attempt's counters stand, for who counts those under way by themselves (`createTurns`). Nothing is counted. */
  standing(attempt: AttemptBy): readonly Standing[];
  /** Counts an attempt that was not entered, and has failed. */
  fail(attempt: AttemptBy): void;
}

/** A counter of an attempt at this moment. */
export interface Standing {
  readonly counter: string;
  readonly of: Limited['of'];
  readonly failed: number;
  readonly limit: number;
  /** When it ends, or would end if it began now. */
  readonly expiresAtMs: number;
}

export interface LimitsOptions extends CountersOptions {
  readonly store: StateStore;
  /** Where threads beside this one are told of what is counted; without it, nowhere. */
  readonly news?: Pick<CountingNews, 'counted' | 'inMemory'>;
}

export function openLimits({ store, news, ...options }: LimitsOptions): Limits {
  const { clock } = options;
  const counting = countingOf(store, clock, news);
  const counters = createCounters(options);
  return {
    isFull: (attempt) => {
      const names = counters.namesOf(attempt);
      return !counting.isEmpty(names.kinds) && counters.named(attempt, names).some(counting.isFull);
    },
    standing: (attempt) =>
      counters.of(attempt).map((counter) => {
        const { count, expiresAtMs } = counting.standing(counter);
        return { counter: nameOf(counter), of: ofKind(counter.kind), failed: count, limit: counter.limit, expiresAtMs };
      }),
    fail: (attempt) => void counting.countUp(counters.of(attempt)),
    enter: async (attempt) => {
      const result = counting.countUp(counters.of(attempt));
      if (result.kind === 'full')
        return limitedBy(
          result.full.map((each) => ({ counter: nameOf(each), of: ofKind(each.kind), expiresAtMs: each.expiresAtMs })),
          clock.nowMs(),
        );
      return { kind: 'admitted', counters: result.counted.map(nameOf), succeeded: async () => counting.countDown(result.counted) };
    },
  };
}

/**
 * Seconds are rounded up: who waits for so long is not refused again.
 *
 * @param full  the counters that are at their limit
 */
export function limitedBy(full: readonly Pick<Standing, 'counter' | 'of' | 'expiresAtMs'>[], nowMs: number): Limited {
  const waitS = Math.max(1, ...full.map(({ expiresAtMs }) => Math.ceil((expiresAtMs - nowMs) / 1000)));
  const of = full.some((each) => each.of === 'identity') ? 'identity' : 'address';
  return { kind: 'limited', waitS, of, counters: full.map(({ counter }) => counter) };
}

function nameOf({ kind, key }: Pick<Counted, 'kind' | 'key'>): string {
  return `${kind}#${key}`;
}
