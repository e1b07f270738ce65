import type { StateBeside } from '#store';
import { type AttemptBy, type CountersOptions, createCounters } from './counters.ts';
import type { CountingNews } from './news.ts';
import { countIn } from './stand-in.ts';
import type { Turns } from './turns.ts';

export interface LimitsBesideOptions extends CountersOptions {
  readonly store: Pick<StateBeside, 'look' | 'isNone'>;
  readonly news: Pick<CountingNews, 'inMemoryUntilMs'>;
  /** Asks the thread that counts. */
  readonly ask: (attempt: AttemptBy) => Promise<boolean>;
}

/**
 * `Limits.isFull` for a thread beside the one that counts: by the same counters, which it reads by itself. The other thread is asked only while some of them may
 * be in its memory, since the state could not be written.
 *
 * What has failed stands in the state before it is answered, so that whoever asks after that answer finds it; what is found full is judged in the other thread.
 */
export function limitsBeside({ store, news, ask, ...options }: LimitsBesideOptions): Turns['isFull'] {
  const { clock } = options;
  const counters = createCounters(options);
  return (attempt) => {
    if (clock.nowMs() < news.inMemoryUntilMs()) return ask(attempt);
    const names = counters.namesOf(attempt);
    if (names.kinds.every(store.isNone)) return false;
    return counters.named(attempt, names).some((counter) => countIn(store.look(counter.kind, counter.key), counter) >= counter.limit);
  };
}
