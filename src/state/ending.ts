import type { Kept, Kind } from './kind.ts';

/**
 * Something that is over as soon as nobody may be here as a person any more: their account was disabled, its time is over, or it was deleted. Whoever keeps
 * such a thing hands over a row.
 */
export interface Ending {
  /** For the log: `sessions`. */
  readonly name: string;
  /**
   * Ends what there is of a person; it may be called again, and for somebody of whom there is nothing.
   *
   * @param realm      its id
   * @param entryUuid  lower case
   * @returns how much was ended
   */
  end(realm: string, entryUuid: string): Promise<number>;
  /** Whose there is something in a realm: asked where what has happened to people is not known from the log of changes. */
  readonly holders?: (realm: string) => Promise<readonly string[]>;
}

/** Rows that are read at a time while those of a person end; of a whole realm, while it is asked whose there are. */
const endedAtOnce = 1000;
const heldMax = 1_000_000;

interface Owned<T> {
  readonly name: string;
  readonly kind: Pick<Kind<T>, 'list' | 'remove'>;
  /** Stands in front of the entryUUID in the owner of a row. */
  readonly prefix?: string;
  /** Told of each row that was ended. */
  readonly ended?: (kept: Kept<T>) => void;
}

/** The ending of a kind whose rows are owned by people. */
export function endingOf<T>({ name, kind, prefix = '', ended }: Owned<T>): Ending {
  return {
    name,
    end: async (realm, entryUuid) => {
      let count = 0;
      for (;;) {
        const rows = await kind.list(realm, prefix + entryUuid, endedAtOnce);
        let removed = 0;
        for (const kept of rows) {
          if (!(await kind.remove(kept))) continue;
          removed++;
          ended?.(kept);
        }
        count += removed;
        if (rows.length < endedAtOnce || removed === 0) return count;
      }
    },
    holders: async (realm) => {
      const owners = (await kind.list(realm, undefined, heldMax)).map(({ owner }) => owner);
      const held = owners.flatMap((owner) =>
        owner.length > prefix.length && owner.startsWith(prefix) ? [owner.slice(prefix.length)] : [],
      );
      return [...new Set(held)];
    },
  };
}
