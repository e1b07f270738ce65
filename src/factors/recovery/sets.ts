import { printedInGroups } from '#base';
import type { SettingValues } from '#catalogue';
import type { Ending } from '#state';
import { openWaiting, type WaitingOptions, type Waits } from '../waiting.ts';
import type { Holder } from '../written.ts';
import { drawCodes } from './codes.ts';
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

export interface RecoverySetsOptions extends WaitingOptions {
  readonly settingsOf: (realm: string) => SettingValues<typeof rows>;
}

export function openRecoverySets(options: RecoverySetsOptions): RecoverySets {
  const { clock, chance, settingsOf } = options;
  const waiting = openWaiting(options, 'recovery.set');
  return {
    begin: async (holder) => {
      const settings = settingsOf(holder.realm);
      const codes = drawCodes(chance, settings['backupCodes.count'], settings['backupCodes.length']).map((code) =>
        printedInGroups(code, settings['backupCodes.groupSize']),
      );
      return setOf(await waiting.put(holder, codes.join(' '), clock.nowMs() + settings['backupCodes.pendingTtlS'] * 1000));
    },
    find: async (holder, handle) => setOf(await waiting.find(holder, handle)),
    take: async (holder, handle) => setOf(await waiting.take(holder, handle)),
    ending: waiting.ending,
  };
}

function setOf(waits: Waits): PendingSet;
function setOf(waits: Waits | undefined): PendingSet | undefined;
function setOf(waits: Waits | undefined): PendingSet | undefined {
  return waits && { handle: waits.handle, untilMs: waits.untilMs, codes: waits.secret.split(' ') };
}
