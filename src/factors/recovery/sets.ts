import { type Chance, type Clock, text, token, utf8 } from '#base';
import type { SettingValues } from '#catalogue';
import { type SealingKey, seal, unseal } from '#keys';
import { type Ending, endingOf, type State } from '#state';
import type { Holder } from '../written.ts';
import { drawCodes, printedCode } from './codes.ts';
import type { settings as rows } from './settings.ts';

/** A set of recovery codes that was shown to its person, who has not said yet that it is saved: it is worth nothing until then. */
export interface PendingSet {
  /** By which it is found again. */
  readonly handle: string;
  readonly untilMs: number;
  /** As they are printed. */
  readonly codes: readonly string[];
}

/** Sets between being shown and being confirmed. */
export interface RecoverySets {
  /** Draws a set by the settings in force and keeps it, sealed, for `backupCodes.pendingTtlS`. */
  begin(holder: Holder): Promise<PendingSet>;
  /** One that was begun by the same person; `undefined` when its time is over. */
  find(holder: Holder, handle: string): Promise<PendingSet | undefined>;
  /** The same, and it waits no longer: of several askers one gets it. */
  take(holder: Holder, handle: string): Promise<PendingSet | undefined>;
  /** With an account ends what it was shown and has not confirmed. */
  readonly ending: Ending;
}

export interface RecoverySetsOptions {
  readonly state: Pick<State, 'kind'>;
  readonly clock: Clock;
  readonly chance: Chance;
  /** What the codes lie under. */
  readonly key: SealingKey;
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

const handleOctets = 32;
/** Sets of one realm that wait: only who has signed in is shown one. */
const waitingMax = 10_000;

export function openRecoverySets({ state, clock, chance, key, settingsOf }: RecoverySetsOptions): RecoverySets {
  const kind = state.kind<string>({
    name: 'recovery.set',
    parse: (value) => (typeof value === 'string' ? value : undefined),
    rowsMax: () => waitingMax,
  });
  const opened = (holder: Holder, handle: string, kept: Awaited<ReturnType<typeof kind.get>>): PendingSet | undefined => {
    if (kept === undefined || kept.expiresAtMs <= clock.nowMs()) return undefined;
    // Another's does not open.
    const codes = text(unseal(key, utf8(kept.value), placeOf(holder)) ?? new Uint8Array());
    return codes === undefined || codes === '' ? undefined : { handle, untilMs: kept.expiresAtMs, codes: codes.split(' ') };
  };
  return {
    begin: async (holder) => {
      const settings = settingsOf(holder.realm);
      const codes = drawCodes(chance, settings['backupCodes.count'], settings['backupCodes.length']).map((code) =>
        printedCode(code, settings['backupCodes.groupSize']),
      );
      const handle = token(chance, handleOctets);
      const untilMs = clock.nowMs() + settings['backupCodes.pendingTtlS'] * 1000;
      const sealed = seal(key, utf8(codes.join(' ')), placeOf(holder));
      await kind.put(holder.realm, handle, text(sealed) ?? '', untilMs, holder.entryUuid);
      return { handle, untilMs, codes };
    },
    find: async (holder, handle) => opened(holder, handle, await kind.get(holder.realm, handle)),
    take: async (holder, handle) => opened(holder, handle, await kind.take(holder.realm, handle)),
    ending: endingOf({ name: 'recovery sets', kind }),
  };
}

function placeOf({ realm, entryUuid }: Holder): string {
  return `${realm} ${entryUuid}`;
}
