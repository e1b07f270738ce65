import { z } from 'zod';
import type { Clock } from '#base';
import { refuse } from '#catalogue';
import { sha256 } from '#keys';
import type { Kind, State } from '#state';
import { errors } from '../errors.ts';
import type { Caller, Operation } from '../operations/row.ts';
import { Unfit } from '../operations/unfit.ts';

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

/** @see draft-ietf-httpapi-idempotency-key-header */
export function openIdempotency(state: State, clock: Clock): Idempotency {
  const kind: Kind<KeptCall> = state.kind<KeptCall>({
    name: 'adminCall',
    parse: (value) => keptShape.safeParse(value).data,
    rowsMax: () => ofRealmMax,
    ownerRowsMax: ofCallerMax,
  });

  return {
    once: async ({ realm, caller, row, key }, given, run) => {
      const token = JSON.stringify([caller.entryUuid, row.name, key]);
      const asked = Buffer.from(sha256(JSON.stringify(given))).toString('base64url');
      // Of two that come at one moment, to whichever web processes, one is noted; the other finds it.
      while (!(await kind.putNew(realm, token, { asked, done: false }, clock.nowMs() + underWayMs, caller.entryUuid))) {
        const known = await kind.get(realm, token);
        // It has ended in between, and left nothing.
        if (known === undefined) continue;
        if (known.value.asked !== asked) throw refuse(errors.keyOfAnother);
        if (known.value.answer === undefined) throw refuse(errors.keyUnderWay);
        return known.value.answer;
      }
      const settle = async (made: Readonly<Record<string, unknown>> | undefined) => {
        const kept = await kind.get(realm, token);
        if (kept === undefined || kept.value.done) return;
        if (made === undefined) {
          await kind.remove(kept);
          return;
        }
        const isShort = row.once === undefined && JSON.stringify(made).length <= answerLengthMax;
        await kind.replace(kept, { asked, done: true, ...(isShort ? { answer: { ...made } } : {}) }, clock.nowMs() + keptMs);
      };
      try {
        const { value, made } = await run();
        await settle(made);
        return value;
      } catch (error) {
        await settle(undefined);
        throw error;
      }
    },
  };
}

/** What a key may be: a structured-field string (RFC 8941), or the same without its quotes. @throws Unfit */
export function keyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = /^(?:"([\x20-\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/.exec(header.trim());
  if (key === null) throw new Unfit({ message: 'Idempotency-Key takes up to 255 characters.' });
  return key[1] ?? key[2];
}
