import type { Clock } from '#base';
import { Refusal } from '#catalogue';

/** What a call with a key came to. */
export interface Settled {
  readonly realm: string;
  readonly token: string;
  /** Whose call it was. */
  readonly owner: string;
  /** Of everything that was sent. */
  readonly asked: string;
  /** What it is answered, when it is told again; absent for a call that made nothing, or what is told once. */
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly isMade: boolean;
  /** Until when it is of use. */
  readonly endsMs: number;
}

/** Calls, with answers of a few KiB each, that wait for room at most; the oldest go first. Only those that were under way when the room went ever come here. */
const waitingMax = 1000;

/**
 * What the state could not be told, because its disk was full or refused: it is told at the next call with a key, and whenever the state is swept.
 *
 * It is held by this process alone. When that ends before there was room, the key is free ten minutes after its call began (`underWayMs`), and the same call
 * makes a second thing. Another web process says "under way" for that long, and then takes no key at all until there is room.
 */
export function createUnsettled(clock: Clock, settle: (call: Settled) => Promise<void>, told: (refusal: Refusal) => void) {
  const waiting = new Map<string, Settled>();
  const nameOf = ({ realm, token }: Pick<Settled, 'realm' | 'token'>) => JSON.stringify([realm, token]);

  return {
    known: (call: Pick<Settled, 'realm' | 'token'>): Settled | undefined => {
      const known = waiting.get(nameOf(call));
      return known?.isMade === true && known.endsMs > clock.nowMs() ? known : undefined;
    },
    /** Settles a call now, or as soon as it can be. */
    settle: async (call: Settled): Promise<void> => {
      try {
        await settle(call);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        const [oldest] = waiting.keys();
        if (oldest !== undefined && waiting.size >= waitingMax) waiting.delete(oldest);
        waiting.set(nameOf(call), call);
        told(thrown);
      }
    },
    /** Settles those that wait, as far as there is room. */
    retry: async (): Promise<void> => {
      try {
        for (const [name, call] of waiting) {
          if (call.endsMs > clock.nowMs()) await settle(call);
          // Meanwhile the same key may have come to wait once more.
          if (waiting.get(name) === call) waiting.delete(name);
        }
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
      }
    },
  };
}
