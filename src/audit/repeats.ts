import type { Clock } from '#base';
import type { AuditEvent } from './row.ts';

/** Something that happens again and again to the same people: counted, and told of in one row for all of a time. */
export interface Repeated {
  /** It has happened again. */
  again(correlationId: string): void;
}

export interface Repeats {
  /** @param event  of which there is a row already: what is told of again */
  of(event: AuditEvent): Repeated;
  /** Tells of what was counted so far. */
  flush(): void;
}

export interface RepeatsOptions {
  readonly record: (event: AuditEvent) => void;
  readonly clock: Clock;
  /** For how long is counted before there is a row; 0 for a row of each. */
  readonly gatherMs: () => number;
}

/** Where more than so many are counted at one time they are told of at once. */
const countedMax = 100_000;
/** Rows that are written in one turn of the event loop. */
const rowsOfTurn = 500;

interface Counted {
  readonly event: AuditEvent;
  times: number;
  sinceMs: number;
  correlationId: string;
}

/** A row costs more than what it tells of where that is known by heart; rows of failures are never gathered. */
export function createRepeats({ record, clock, gatherMs }: RepeatsOptions): Repeats {
  let counted: Counted[] = [];

  const tell = ({ event, times, sinceMs, correlationId }: Counted) => {
    const since = times === 1 ? '' : `, ${times} times since ${new Date(sinceMs).toISOString()}`;
    record({ ...event, summary: event.summary + since, correlationId });
  };
  const taken = (): Counted[] => {
    const all = counted.map((each) => ({ ...each }));
    for (const each of counted) each.times = 0;
    counted = [];
    return all;
  };
  const tellInTurns = (all: readonly Counted[], from = 0): void => {
    for (const each of all.slice(from, from + rowsOfTurn)) tell(each);
    if (from + rowsOfTurn < all.length) setImmediate(tellInTurns, all, from + rowsOfTurn);
  };

  return {
    of: (event) => {
      const own: Counted = { event, times: 0, sinceMs: 0, correlationId: event.correlationId };
      return {
        again: (correlationId) => {
          own.correlationId = correlationId;
          own.times++;
          if (own.times > 1) return;
          own.sinceMs = clock.nowMs();
          const waitMs = gatherMs();
          if (waitMs === 0) {
            tell(own);
            own.times = 0;
            return;
          }
          if (counted.push(own) === 1) setTimeout(() => tellInTurns(taken()), waitMs).unref();
          else if (counted.length > countedMax) tellInTurns(taken());
        },
      };
    },
    flush: () => {
      for (const each of taken()) tell(each);
    },
  };
}
