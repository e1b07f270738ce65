import { turnAssertionsMax } from '../search/turn.ts';

interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** What it costs at least to look at a change for one who follows, in assertions: what is shown of it. */
const weightMin = 64;
/** A filter is made ready with its first change. */
const readyFactor = 4;

const waiting: Waiting[] = [];
let due = false;

/**
 * Resolves when it is one's turn to look at changes. A change wakes all who follow the directory at once, and each has a filter of their own: together they
 * do no more before others have the event loop than one search does.
 *
 * @param steps       changes that are looked at
 * @param assertions  of the filter that each is held against
 */
export function turnToLook(steps: number, assertions: number): Promise<void> {
  return new Promise((begin) => {
    waiting.push({ weight: Math.max(weightMin, (steps + readyFactor) * assertions), begin });
    schedule();
  });
}

function schedule(): void {
  if (due) return;
  due = true;
  setImmediate(() => {
    due = false;
    let left = turnAssertionsMax;
    let at = 0;
    for (; at < waiting.length && left > 0; at++) {
      const next = waiting[at] as Waiting;
      left -= next.weight;
      next.begin();
    }
    waiting.splice(0, at);
    if (waiting.length > 0) schedule();
  });
}
