import { z } from 'zod';
import type { Log } from '#audit';
import type { Clock } from '#base';
import { refuse } from '#catalogue';
import { sha256 } from '#keys';
import type { Kind, State } from '#state';
import { errors } from '../errors.ts';
import type { Caller, Operation } from '../operations/row.ts';
import { Unfit } from '../operations/unfit.ts';
import { createUnsettled, type Settled } from './unsettled.ts';

/** What is kept of a call that made something: enough to know it again, and what it was answered. */
const keptShape = z.strictObject({
  /** Of everything that was sent. */
  asked: z.string(),
  /** Absent while it is under way, and for what is told once. */
  answer: z.record(z.string(), z.unknown()).optional(),
  done: z.boolean(),
});
type KeptCall = z.infer<typeof keptShape>;

/** Calls of one caller, and of all of them in a realm, that are remembered; the oldest go first. */
const ofCallerMax = 200;
const ofRealmMax = 10_000;
const keptMs = 24 * 3_600_000;
/** What was under way when its process ended is forgotten so soon. */
const underWayMs = 600_000;
/** Larger answers than this nobody has to make twice. */
const answerLengthMax = 16_384;

export interface Idempotency {
  /**
   * Performs a call once for its key: the same call with the same key is answered as the first was.
   *
   * @throws Refusal STS-API-9014 for a key of another call, 9015 while the first is under way, and for an answer that is told once
   */
  once<T>(at: Keyed, given: unknown, run: () => Promise<Ran<T>>): Promise<T | Readonly<Record<string, unknown>>>;
}

export interface Keyed {
  readonly realm: string;
  readonly caller: Pick<Caller, 'entryUuid'>;
  readonly row: Pick<Operation, 'name' | 'once'>;
  readonly key: string;
}

/** What a call came to. Only what was made is remembered: what was refused may be tried again. */
export interface Ran<T> {
  readonly value: T;
  readonly made?: Readonly<Record<string, unknown>>;
}

/**
 * @param log  for what could not be noted
 * @see draft-ietf-httpapi-idempotency-key-header
 */
export function openIdempotency(state: State, clock: Clock, log: Pick<Log, 'warn'>): Idempotency {
  const kind: Kind<KeptCall> = state.kind<KeptCall>({
    name: 'adminCall',
    parse: (value) => keptShape.safeParse(value).data,
    rowsMax: () => ofRealmMax,
    ownerRowsMax: ofCallerMax,
    atSweep: () => unsettled.retry(),
  });
  const settle = async ({ realm, token, owner, asked, answer, isMade, endsMs }: Settled) => {
    const kept = await kind.get(realm, token);
    // Settled already, or the key is of another call by now.
    if (kept !== undefined && (kept.value.done || kept.value.asked !== asked)) return;
    const value = { asked, done: true, ...(answer === undefined ? {} : { answer: { ...answer } }) };
    if (kept === undefined) {
      // What was under way has ended while there was no room.
      if (isMade) await kind.putNew(realm, token, value, endsMs, owner);
    } else if (isMade) await kind.replace(kept, value, endsMs);
    else await kind.remove(kept);
  };
  const unsettled = createUnsettled(clock, settle, ({ tells }) => log.warn(errors.keyNotNoted, `${errors.keyNotNoted.means} (${tells})`));

  return {
    once: async ({ realm, caller, row, key }, given, run) => {
      const token = JSON.stringify([caller.entryUuid, row.name, key]);
      const asked = Buffer.from(sha256(JSON.stringify(given))).toString('base64url');
      const call = { realm, token, owner: caller.entryUuid, asked };
      await unsettled.retry();
      const waiting = unsettled.known(call);
      if (waiting !== undefined) return answerOf(waiting, asked);
      const beganMs = clock.nowMs();
      // Of two that come at one moment, to whichever web processes, one is noted; the other finds it.
      while (!(await kind.putNew(realm, token, { asked, done: false }, beganMs + underWayMs, caller.entryUuid))) {
        const known = await kind.get(realm, token);
        // It has ended in between, and left nothing.
        if (known !== undefined) return answerOf(known.value, asked);
      }
      const nothing = { ...call, isMade: false, endsMs: beganMs + underWayMs };
      const { value, made } = await run().catch(async (error: unknown) => {
        await unsettled.settle(nothing);
        throw error;
      });
      const isShort = row.once === undefined && JSON.stringify(made ?? {}).length <= answerLengthMax;
      const all = { ...call, isMade: true, endsMs: clock.nowMs() + keptMs, ...(isShort && made !== undefined ? { answer: made } : {}) };
      // What is made is answered, whether it could be noted or not.
      await unsettled.settle(made === undefined ? nothing : all);
      return value;
    },
  };
}

/** @throws Refusal STS-API-9014, 9015 */
function answerOf(known: Pick<KeptCall, 'asked' | 'answer'>, asked: string): Readonly<Record<string, unknown>> {
  if (known.asked !== asked) throw refuse(errors.keyOfAnother);
  if (known.answer === undefined) throw refuse(errors.keyUnderWay);
  return known.answer;
}

/** What a key may be: a structured-field string (RFC 8941), or the same without its quotes. @throws Unfit */
export function keyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/.exec(header.trim());
  if (key === null) throw new Unfit({ message: 'Idempotency-Key takes up to 255 characters.' });
  return key[1] ?? key[2];
}
