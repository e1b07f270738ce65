import { type Chance, type Clock, text, token, utf8 } from '#base';
import { type SealingKey, seal, unseal } from '#keys';
import { type Ending, endingOf, type State } from '#state';
import type { Holder } from './written.ts';

/** A secret that was shown to its person and is not proved or confirmed yet: nothing of it stands on their entry. */
export interface Waits {
  /** By which it is found again. */
  readonly handle: string;
  readonly untilMs: number;
  readonly secret: string;
}

/** Secrets between being shown and being proved or confirmed. Another's is not found, and neither is one whose time is over. */
export interface Waiting {
  /** Keeps one, sealed. Of a person's own that wait the oldest goes where there are too many. */
  put(holder: Holder, secret: string, untilMs: number): Promise<Waits>;
  find(holder: Holder, handle: string): Promise<Waits | undefined>;
  /** The same, and it waits no longer: of several askers one gets it. */
  take(holder: Holder, handle: string): Promise<Waits | undefined>;
  /** With an account ends what it was shown. */
  readonly ending: Ending;
}

export interface WaitingOptions {
  readonly state: Pick<State, 'kind'>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** What the secrets lie under. */
  readonly key: SealingKey;
}

const handleOctets = 32;
/** Secrets of one realm that wait: only who has shown a first factor gets one. */
const waitingMax = 10_000;
/** As many as somebody has pages open: nobody fills the realm's places alone. */
const ofPersonMax = 3;

/** @param name  of the kind, as it stands on disk */
export function openWaiting({ state, clock, chance, key }: WaitingOptions, name: string): Waiting {
  const kind = state.kind<string>({
    name,
    parse: (value) => (typeof value === 'string' ? value : undefined),
    rowsMax: () => waitingMax,
    ownerRowsMax: ofPersonMax,
  });
  const opened = (holder: Holder, handle: string, kept: Awaited<ReturnType<typeof kind.get>>): Waits | undefined => {
    if (kept === undefined || kept.expiresAtMs <= clock.nowMs()) return undefined;
    // Another's does not open.
    const open = unseal(key, utf8(kept.value), placeOf(holder));
    const secret = open && text(open);
    return secret === undefined ? undefined : { handle, untilMs: kept.expiresAtMs, secret };
  };
  return {
    put: async (holder, secret, untilMs) => {
      const handle = token(chance, handleOctets);
      const sealed = seal(key, utf8(secret), placeOf(holder));
      await kind.put(holder.realm, handle, text(sealed) ?? '', untilMs, holder.entryUuid);
      return { handle, untilMs, secret };
    },
    find: async (holder, handle) => opened(holder, handle, await kind.get(holder.realm, handle)),
    take: async (holder, handle) => {
      // Looked at first: whoever asks for another's takes nothing away.
      if (opened(holder, handle, await kind.get(holder.realm, handle)) === undefined) return undefined;
      return opened(holder, handle, await kind.take(holder.realm, handle));
    },
    ending: endingOf({ name, kind }),
  };
}

function placeOf({ realm, entryUuid }: Holder): string {
  return `${realm} ${entryUuid}`;
}
