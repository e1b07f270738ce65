import type { Attempt, AttemptBy, Limited, Limits } from './limits.ts';

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
 * How many wait is bounded by who asks: a connection has one bind at a time.
 */
export function createTurns(limits: Limits): Turns {
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

  return {
    isFull: (attempt) => limits.isFull(attempt),
    enter: async (attempt) => {
      for (;;) {
        const entered = await limits.enter(attempt);
        if (entered.kind === 'admitted') {
          for (const counter of entered.counters) come(counter);
          return { kind: 'admitted', end: (outcome) => end(entered, outcome, leave) };
        }
        const full = entered.counters.map((counter) => lines.get(counter));
        // Where nobody is inside the counter is full of failures.
        if (!full.every((line) => line !== undefined)) return entered;
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

async function end(entered: Attempt & { kind: 'admitted' }, outcome: Outcome, leave: (counter: string) => void): Promise<void> {
  try {
    if (outcome !== 'failed') await entered.succeeded();
  } finally {
    for (const counter of entered.counters) leave(counter);
  }
}
