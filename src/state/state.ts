import type { Clock } from '#base';
import type { StateStore } from '#store';
import { type Kind, type KindRow, nameOf, type OpenKind, openKind } from './kind.ts';

/** What is short-lived and shared. */
export interface State {
  /** Opens a kind. Each name once. */
  kind<T>(row: KindRow<T>): Kind<T>;
  /**
   * Removes what has expired, a batch at a time so that requests get their turn in between.
   *
   * @returns how many rows of each kind went
   */
  sweep(): Promise<ReadonlyMap<string, number>>;
}

export interface StateOptions {
  readonly store: StateStore;
  readonly clock: Clock;
}

const sweepBatch = 500;

/** Opens the short-lived state on its store, which stays the caller's to close. */
export function openState({ store, clock }: StateOptions): State {
  const kinds = new Map<string, Pick<OpenKind<unknown>, 'swept'> & Pick<KindRow<unknown>, 'atSweep'>>();
  const sweepBatchOnce = (gone?: Map<string, number>): boolean => {
    const rows = store.sweep(clock.nowMs(), sweepBatch);
    for (const row of rows) {
      const name = nameOf(row.kind);
      gone?.set(name, (gone.get(name) ?? 0) + 1);
      kinds.get(name)?.swept(row);
    }
    return rows.length === sweepBatch;
  };

  return {
    kind: (row) => {
      if (kinds.has(row.name) || row.name.includes('/')) throw new Error(`the kind ${row.name} is open already, or its name holds a slash`);
      const kind = openKind(row, store, () => {
        while (sweepBatchOnce());
      });
      kinds.set(row.name, { swept: kind.swept, ...(row.atSweep === undefined ? {} : { atSweep: row.atSweep }) });
      return kind;
    },
    sweep: async () => {
      const gone = new Map<string, number>();
      while (sweepBatchOnce(gone)) await new Promise(setImmediate);
      for (const { atSweep } of kinds.values()) await atSweep?.();
      return gone;
    },
  };
}
