import type { Clock } from '#base';
import type { State } from './state.ts';

/** How often something was done within a clock hour, for whom it was done. */
export interface Hourly {
  /** Counts one more. False when there were as many as may be; then it is not counted. */
  enter(realm: string, of: string, most: number): Promise<boolean>;
}

interface Count {
  readonly count: number;
}

const hourMs = 3_600_000;
/** Names of a realm that are counted at a time. */
const namesMax = 100_000;

/**
 * Opens the counts, in the shared state: processes count together.
 *
 * @param name  of the kind, as it stands on disk
 */
export function openHourly(state: Pick<State, 'kind'>, clock: Clock, name: string): Hourly {
  const kind = state.kind<Count>({ name, parse: parseCount, rowsMax: () => namesMax });
  return {
    enter: async (realm, of, most) => {
      const hour = Math.floor(clock.nowMs() / hourMs);
      const key = `${hour} ${of.toLowerCase()}`;
      for (;;) {
        const kept = await kind.get(realm, key);
        if (kept === undefined) {
          // Two that begin a count at once may lose one between them: no more than that.
          await kind.put(realm, key, { count: 1 }, (hour + 1) * hourMs);
          return true;
        }
        if (kept.value.count >= most) return false;
        if ((await kind.replace(kept, { count: kept.value.count + 1 })) !== undefined) return true;
      }
    },
  };
}

function parseCount(value: unknown): Count | undefined {
  const count = typeof value === 'object' && value !== null && 'count' in value ? value.count : undefined;
  return typeof count === 'number' && Number.isSafeInteger(count) ? { count } : undefined;
}
