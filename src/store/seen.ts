import type { Clock } from '#base';
import type { StateRow } from './state.ts';

/** What the state last held, as far as it was looked at. */
export interface Seen {
  /** Whether no row of a kind is kept, also none that has expired. */
  isNone(kind: string): boolean;
  look(kind: string, key: string): StateRow | undefined;
  /** To be called before each write of this process. What is put out because a kind has too many is remembered for longer than it stands. */
  forget(kind: string, keys: readonly string[]): void;
  forgetAll(): void;
}

export interface SeenOptions {
  /** Changes with each write of another connection. */
  readonly version: () => unknown;
  /** A number that moves when the version may have changed within a turn of the event loop; by default none does. */
  readonly moved?: () => number;
  readonly isNone: (kind: string) => boolean;
  /** A row, expired or not. */
  readonly row: (kind: string, key: string) => StateRow | undefined;
  readonly clock: Clock;
}

/** Rows that are remembered at most; then all are forgotten. */
const rowsMax = 100_000;

/** Remembers rows and that there are none, as long as nobody has written: this process forgets what it writes, and all when another one has written anything. */
export function createSeen({ version, moved = () => 0, isNone, row, clock }: SeenOptions): Seen {
  const none = new Map<string, boolean>();
  const rows = new Map<string, Map<string, StateRow | undefined>>();
  let remembered = 0;
  let seen: unknown;
  let seenMoved = 0;
  let looked = false;

  const forgetAll = () => {
    none.clear();
    rows.clear();
    remembered = 0;
  };
  const again = () => {
    looked = false;
  };
  /** Once in a turn of the event loop, and whenever it has moved: to ask takes the file's locks. */
  const followOthers = () => {
    const nowMoved = moved();
    if (looked && nowMoved === seenMoved) return;
    if (!looked) setImmediate(again);
    looked = true;
    seenMoved = nowMoved;
    const now = version();
    if (now !== seen) forgetAll();
    seen = now;
  };
  const read = (kind: string, key: string): StateRow | undefined => {
    if (remembered >= rowsMax) forgetAll();
    const found = row(kind, key);
    const ofKind = rows.get(kind) ?? new Map<string, StateRow | undefined>();
    ofKind.set(key, found);
    rows.set(kind, ofKind);
    remembered++;
    return found;
  };

  return {
    isNone(kind) {
      followOthers();
      const said = none.get(kind) ?? isNone(kind);
      none.set(kind, said);
      return said;
    },
    look(kind, key) {
      followOthers();
      const ofKind = rows.get(kind);
      const known = ofKind?.get(key);
      const found = known ?? (ofKind?.has(key) === true ? undefined : read(kind, key));
      return found === undefined || found.expiresAtMs <= clock.nowMs() ? undefined : found;
    },
    forget(kind, keys) {
      none.delete(kind);
      const ofKind = rows.get(kind);
      if (ofKind !== undefined) for (const key of keys) if (ofKind.delete(key)) remembered--;
    },
    forgetAll,
  };
}
