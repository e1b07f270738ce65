import { type ErrorRow, refuse } from '#catalogue';
import { type LogPlace, type Snapshot, wholeCommit } from '#store';
import { refuseDisabled } from '../account.ts';
import type { Call } from '../call.ts';
import { turnAssertionsMax } from '../search/turn.ts';
import type { Step } from './step.ts';
import { turnToLook } from './turns.ts';

export interface Followed {
  /** Where the changes come from. */
  read(after: LogPlace): readonly Step[] | 'gone';
  /** Of the filter that each change is held against. */
  readonly assertions: number;
  /** Looks at a turn's changes, and gives back what sends what is to be sent of them. */
  look(steps: readonly Step[], snapshot: Snapshot): () => void;
  /** What is refused when changes are not kept any more that were not looked at. */
  readonly gone: ErrorRow;
}

/**
 * Looks at the changes behind a place, in their order and no faster than the peer reads, until there are none for now.
 *
 * @returns the place behind the last of them
 * @throws Refusal `gone`; `accountDisabled` (53) as soon as whoever asks, or has come in, is disabled
 */
export async function catchUp(
  { engine, connection, asker, reply }: Call,
  from: LogPlace,
  { read, look, gone, assertions }: Followed,
): Promise<LogPlace> {
  const stepsMax = Math.max(1, Math.floor(turnAssertionsMax / assertions));
  let place = from;
  for (;;) {
    await reply.full();
    if (reply.ended) return place;
    const unseen = read(place);
    if (unseen === 'gone') throw refuse(gone);
    const steps = unseen.slice(0, stepsMax);
    const end = steps.at(-1);
    if (end === undefined) return place;
    await turnToLook(steps.length, assertions);
    if (reply.ended) return place;
    const snapshot = engine.store.snapshot();
    for (const each of [connection.identity, asker.identity]) refuseDisabled(each, snapshot, engine.clock);
    const send = look(steps, snapshot);
    // The changes are on disk. Values that lie outside of their entries are those of now.
    if (steps.some(({ listed }) => listed)) await engine.store.durable(snapshot.number);
    send();
    place = { number: end.number, part: end.last ? wholeCommit : end.part };
  }
}
