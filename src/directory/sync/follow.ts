import { setImmediate as turnOver } from 'node:timers/promises';
import { type ErrorRow, refuse } from '#catalogue';
import type { Snapshot } from '#store';
import { type LogPlace, wholeCommit } from '#store';
import type { Call } from '../call.ts';
import type { Step } from './step.ts';

export interface Followed {
  /** Where the changes come from. */
  read(after: LogPlace): readonly Step[] | 'gone';
  /** Looks at a turn's changes, and gives back what sends what is to be sent of them. */
  look(steps: readonly Step[], snapshot: Snapshot): () => void;
  /** What is refused when changes are not kept any more that were not looked at. */
  readonly gone: ErrorRow;
}

/**
 * Looks at the changes behind a place, in their order and no faster than the peer reads, until there are none for now.
 *
 * @returns the place behind the last of them
 * @throws Refusal `gone`
 */
export async function catchUp({ engine, reply }: Call, from: LogPlace, { read, look, gone }: Followed): Promise<LogPlace> {
  let place = from;
  for (;;) {
    await reply.full();
    if (reply.ended) return place;
    const steps = read(place);
    if (steps === 'gone') throw refuse(gone);
    const end = steps.at(-1);
    if (end === undefined) return place;
    const snapshot = engine.store.snapshot();
    const send = look(steps, snapshot);
    // The changes are on disk. Values that lie outside of their entries are those of now.
    if (steps.some(({ listed }) => listed)) await engine.store.durable(snapshot.number);
    send();
    place = { number: end.number, part: end.last ? wholeCommit : end.part };
    await turnOver();
  }
}
