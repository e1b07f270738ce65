import { type LogPlace, type Store, type WatchedChange, wholeCommit } from '#store';
import type { Engine } from '../engine.ts';
import { type Step, stepOfRow, stepOfWatched } from './step.ts';

/** The changes of a directory for all who follow it: the newest from memory, older ones from the log. */
export interface Feed {
  /** Resolves when nothing is missed any more. */
  readonly begun: Promise<void>;
  /** What came behind a place, at most so much of it as belongs into one turn; `gone` when that is not kept any more. */
  read(after: LogPlace): readonly Step[] | 'gone';
  /** As `read`, and only what says of each entry what it was before. */
  readWhole(after: LogPlace): readonly Step[] | 'gone';
  /** Resolves when more may be there, or with the signal. */
  wait(signal: AbortSignal): Promise<void>;
  /** To be called once by each who joined. */
  leave(): void;
}

/** So much is read at a time. */
const turnSteps = 128;
const turnOctets = 1_048_576;

/** One for each store, while anybody follows it: writes cost nothing more when nobody does. */
const feeds = new WeakMap<Store, { readonly feed: Feed; count: number }>();

/** Joins those who follow the directory. */
export function joinFeed({ store, settings }: Pick<Engine, 'store' | 'settings'>): Feed {
  let joined = feeds.get(store);
  if (joined === undefined) {
    const feed = openFeed(store, () => settings['ldap.followedChangesMib'] * 2 ** 20);
    joined = { feed, count: 0 };
    feeds.set(store, joined);
  }
  const shared = joined;
  shared.count++;
  return {
    ...shared.feed,
    leave() {
      if (--shared.count > 0) return;
      shared.feed.leave();
      feeds.delete(store);
    },
  };
}

function openFeed(store: Store, octetsMax: () => number): Feed {
  const recent = createRecent(octetsMax);
  const sleepers = new Set<() => void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const wake = () => {
    const awake = [...sleepers];
    sleepers.clear();
    for (const each of awake) each();
  };
  const leave = store.watch(
    (changes) => {
      recent.add(changes);
      wake();
    },
    () => {
      begin();
      wake();
    },
  );

  return {
    begun,
    leave,
    read: (after) => recent.behind(after) ?? logged(store, after),
    readWhole: (after) => recent.behind(after) ?? (recent.dropped > after.number ? 'gone' : []),
    wait: (signal) =>
      new Promise((resolve) => {
        const woken = () => {
          sleepers.delete(woken);
          signal.removeEventListener('abort', woken);
          resolve();
        };
        if (signal.aborted) return resolve();
        sleepers.add(woken);
        signal.addEventListener('abort', woken, { once: true });
      }),
  };
}

function logged({ log }: Store, after: LogPlace): readonly Step[] | 'gone' {
  const newest = log.newest();
  if (after.number > newest || (after.number === newest && after.part === wholeCommit)) return [];
  // Of a commit that was begun the rest must be there, too.
  if (log.oldest() > after.number + (after.part === wholeCommit ? 1 : 0)) return 'gone';
  const rows = log.rows(after, turnSteps, turnOctets);
  const end = rows.at(-1);
  const [behind] = end === undefined ? [] : log.marks(end, 1);
  return rows.map((row, at) => stepOfRow(row, (rows[at + 1] ?? behind)?.number !== row.number));
}

interface Recent {
  /** The number of the newest commit that is not here any more. */
  readonly dropped: number;
  add(changes: readonly WatchedChange[]): void;
  /** Nothing when not all of it is here. */
  behind(after: LogPlace): readonly Step[] | undefined;
}

/** The changes that came last, whole commits of them, up to so many octets in all. */
function createRecent(octetsMax: () => number): Recent {
  let steps: Step[] = [];
  let octets = 0;
  let dropped = 0;

  return {
    get dropped() {
      return dropped;
    },
    add(changes) {
      for (const [part, change] of changes.entries()) {
        const step = stepOfWatched(change, part, part === changes.length - 1);
        steps.push(step);
        octets += step.octets;
      }
      if (octets <= octetsMax()) return;
      // Half of it at a time: to take one out of the front is to move all others.
      let from = 0;
      for (; from < steps.length && (octets > octetsMax() / 2 || steps[from]?.part !== 0); from++) octets -= steps[from]?.octets ?? 0;
      dropped = steps[from - 1]?.number ?? dropped;
      steps = steps.slice(from);
    },
    behind(after) {
      const [first] = steps;
      if (first === undefined || first.number > after.number + (after.part === wholeCommit ? 1 : 0)) return undefined;
      const from = firstBehind(steps, after);
      let to = from;
      for (let taken = 0; to < steps.length && to - from < turnSteps && taken < turnOctets; to++) taken += steps[to]?.octets ?? 0;
      return steps.slice(from, to);
    },
  };
}

function firstBehind(steps: readonly Step[], { number, part }: LogPlace): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const step = steps[middle];
    if (step !== undefined && (step.number < number || (step.number === number && step.part <= part))) low = middle + 1;
    else high = middle;
  }
  return low;
}
