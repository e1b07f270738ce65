import { utf8 } from '#base';
import type { Ending } from '#state';
import { type Changing, type Holder, replaceFactor, type Writing } from '../written.ts';
import { openRecoverySets, type PendingSet, type RecoverySetsOptions } from './sets.ts';

/** Recovery codes, but for their use: the directory judges and spends them. */
export interface Recovery {
  /** Draws a set by the settings in force and keeps it, sealed, for `backupCodes.pendingTtlS`; it is worth nothing yet. */
  begin(holder: Holder): Promise<PendingSet>;
  /** A set that was begun by the same person; `undefined` when its time is over. */
  find(holder: Holder, handle: string): Promise<PendingSet | undefined>;
  /**
   * Stores a set that its person says is saved, in the place of any other.
   *
   * @returns false when it waits no longer: nothing was changed
   * @throws Refusal `factorNotWritten`: the set is lost, and the one before it stays
   */
  confirm(changing: Changing, handle: string): Promise<boolean>;
  /** Takes a person's set away. @throws Refusal `factorNotWritten` */
  remove(changing: Changing): Promise<void>;
  /** With an account ends what it was shown and has not confirmed. */
  readonly ending: Ending;
}

export type RecoveryOptions = RecoverySetsOptions & Writing;

const attribute = 'stsRecoveryCode';

export function openRecovery(options: RecoveryOptions): Recovery {
  const sets = openRecoverySets(options);
  return {
    begin: sets.begin,
    find: sets.find,
    ending: sets.ending,
    confirm: async (changing, handle) => {
      const set = await sets.take(changing, handle);
      if (set === undefined) return false;
      // The directory makes hashes of them, all with one salt.
      const values = set.codes.map((code) => utf8(code.replaceAll('-', '')));
      const summary = `a set of ${set.codes.length} recovery codes was stored`;
      await replaceFactor(options, changing, { attribute, values }, { action: 'authn.recovery.enrol', summary });
      return true;
    },
    remove: (changing) => {
      const said = { action: 'authn.recovery.remove', summary: 'the recovery codes were removed' };
      return replaceFactor(options, changing, { attribute, values: [] }, said);
    },
  };
}
