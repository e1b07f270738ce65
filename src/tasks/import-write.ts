import { refuse } from '#catalogue';
import type { TaskProgress, TaskUpdated } from '#directory';
import type { Change, Expectation } from '#store';
import { errors } from './errors.ts';
import { aboveThem } from './import-above.ts';
import type { Ready } from './import-spool.ts';
import { type Place, placeText } from './place.ts';
import { TaskEnded, type Work } from './task.ts';

const chunkOctetsMax = 8_388_608;
/** Entries of one commit where others come to write meanwhile: they wait for it. */
const besideOthers = 32;
/** Entries above may be changed meanwhile: then they are looked at again. */
const attemptsMax = 20;

/** Writes entries some at a time, and moves the place with each commit. */
export interface Writing {
  /** @returns when to go on, when it is not at once */
  put(ready: Ready): Promise<void> | undefined;
  /** What is left. */
  flush(): Promise<void>;
}

/**
 * @param place    is moved
 * @param percent  how far it is, of all
 */
export function createWriting(work: Work, place: Place, percent: () => number): Writing {
  const { engine, report } = work;
  let waiting: Ready[] = [];
  let octets = 0;
  /** Of the report, until it is written. */
  let untold: TaskProgress = {};

  async function commit(some: readonly Ready[], bulk: boolean): Promise<TaskUpdated> {
    const next = { ...place, line: (some.at(-1) as Ready).line, entries: place.entries + some.length };
    untold = { ...untold, ...report.parts() };
    const progress = { ...untold, place: placeText(next), done: next.entries, percent: percent() };
    const changes = some.map(({ entry }): Change => ({ kind: 'put', entry }));
    const written = await commitBelow(work, progress, changes, bulk);
    // What is written is known to be before anything else: who takes it away again takes away all of it.
    if (written === 'written') {
      Object.assign(place, next);
      untold = {};
    }
    work.signal.throwIfAborted();
    if (written === 'gone') throw new TaskEnded('cancelled');
    if (typeof written !== 'string') throw refuse(errors.taskFailed, { why: 'somebody has added an entry of the same name meanwhile' });
    return written;
  }

  async function flush(): Promise<void> {
    const all = waiting;
    [waiting, octets] = [[], 0];
    if (all.length === 0 || (await commit(all, true)) === 'written') return;
    for (let at = 0; at < all.length; at += besideOthers) await commit(all.slice(at, at + besideOthers), false);
  }

  return {
    put(ready) {
      const { user, operational, secret } = ready.entry;
      waiting.push(ready);
      octets += user.length + operational.length + secret.length;
      return waiting.length >= engine.settings['tasks.entriesAtOnce'] || octets > chunkOctetsMax ? flush() : undefined;
    },
    flush,
  };
}

/** Adds entries while those above them are there. */
async function commitBelow(
  { engine, task, update }: Work,
  progress: TaskProgress,
  changes: readonly Change[],
  bulk: boolean,
): Promise<TaskUpdated> {
  const fresh = changes.flatMap((change): Expectation[] =>
    change.kind === 'put'
      ? [
          { kind: 'absent', dnKey: change.entry.dnKey },
          { kind: 'unused', uuid: change.entry.uuid },
        ]
      : [],
  );
  for (let attempt = 1; ; attempt++) {
    const written = await update(progress, { expected: [...fresh, ...aboveThem(engine, task.realm, changes)], changes, bulk });
    if (typeof written === 'string' || written.kind !== 'unchanged' || attempt === attemptsMax) return written;
  }
}
