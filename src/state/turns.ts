import type { Clock } from '#base';
import type { AttemptBy } from './counters.ts';
import { type Limited, type Limits, limitedBy, type Standing } from './limits.ts';

/** Attempts of one process, in turn: as `Limits`, and who would find a limit reached by others who are being judged at this moment waits for them. */
export interface Turns {
  enter(attempt: AttemptBy): Promise<Turn>;
  /** As `Limits.isFull`: for what needs no turn, since it is not judged. */
  isFull(attempt: AttemptBy): boolean | Promise<boolean>;
}

/** `end` must be called, whatever happens: others wait for it. */
export type Turn = Limited | { readonly kind: 'admitted'; end(outcome: Outcome): Promise<void> };

/** `unjudged`: nothing was learned of what was presented, such as when too many hashes were waiting. It does not count. */
export type Outcome = 'succeeded' | 'failed' | 'unjudged';

/** One who waits, in the line of each counter that is full; whichever wakes it first. */
interface Waiter {
  woken: boolean;
  readonly wake: () => void;
}

/** How many are being judged whom a counter counts, and who waits for them. */
interface Line {
  inside: number;
  waiting: Waiter[];
}

/**
 * Without this a mail server that opens thirty connections at once, all with right passwords, would find its address at the limit of twenty: each counts
 * until it is judged.
 *
 * Those under way count in the memory of this process, and what has failed is written before it is answered: what succeeds writes nothing. Who is killed in
 * between answers nobody, so that nobody has had a try of it.
 *
 * How many wait is bounded by who asks: a connection has one bind at a time.
 */
export function createTurns(limits: Pick<Limits, 'standing' | 'fail' | 'isFull'>, clock: Clock): Turns {
  const lines = new Map<string, Line>();
  const come = (counter: string) => {
    const line = lines.get(counter) ?? { inside: 0, waiting: [] };
    line.inside++;
    lines.set(counter, line);
  };
  const leave = (counter: string) => {
    const line = lines.get(counter);
    if (line === undefined) return;
    line.inside--;
    if (line.inside === 0) lines.delete(counter);
    const waiting = line.waiting.filter(({ woken }) => !woken);
    // When nobody is left inside nobody would wake the others.
    const next = waiting.splice(0, line.inside === 0 ? waiting.length : 1);
    line.waiting = waiting;
    for (const each of next) each.wake();
  };

  const end = async (attempt: AttemptBy, standing: readonly Standing[], outcome: Outcome): Promise<void> => {
    try {
      if (outcome === 'failed') limits.fail(attempt);
    } finally {
      for (const { counter } of standing) leave(counter);
    }
  };

  return {
    isFull: (attempt) => limits.isFull(attempt),
    enter: async (attempt) => {
      for (;;) {
        const standing = limits.standing(attempt);
        const failed = standing.filter((each) => each.failed >= each.limit);
        if (failed.length > 0) return limitedBy(failed, clock.nowMs());
        const full = standing.flatMap((each) => fullLine(each, lines.get(each.counter)));
        if (full.length === 0) {
          for (const { counter } of standing) come(counter);
          return { kind: 'admitted', end: (outcome) => end(attempt, standing, outcome) };
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        const waiter: Waiter = {
          woken: false,
          wake: () => {
            waiter.woken = true;
            resolve();
          },
        };
        for (const line of full) line.waiting.push(waiter);
        await promise;
      }
    },
  };
}

/** The line of a counter that is full with those who are being judged. */
function fullLine({ failed, limit }: Standing, line: Line | undefined): readonly Line[] {
  return line !== undefined && failed + line.inside >= limit ? [line] : [];
}
