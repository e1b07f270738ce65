import type { SettingRows, SettingValues } from './rows.ts';

/** Where the value in force comes from, the strongest first: the environment, what is stored in the directory, the JSON file, the row. */
export type SettingOrigin = 'environment' | 'stored' | 'file' | 'built-in';

/** Where values that are given at a start come from. What is not named stands as its row says. */
export type GivenOrigins = ReadonlyMap<string, 'environment' | 'file'>;

/** The service's settings while it runs: what was given at the start, and above it what is stored, except where the environment says otherwise. */
export interface LiveSettings<Rows extends SettingRows = SettingRows> {
  /** In force now: the same object for good, whose values change. */
  readonly values: SettingValues<Rows>;
  /** As they were at the start, without what is stored. */
  readonly given: SettingValues<Rows>;
  readonly origins: GivenOrigins;
  originOf(name: string): SettingOrigin;
  /**
   * Puts in force what is stored, and takes out of force what was.
   *
   * @param stored  by name, each fit for its row; what the environment gives stays as it is
   * @returns the names whose value is another than before
   */
  apply(stored: ReadonlyMap<string, unknown>): readonly string[];
  /** Told of the names of each change, after it. @returns stops it */
  changed(listener: (names: readonly string[]) => void): () => void;
}

/** Makes them of what was read at the start. */
export function createLiveSettings<Rows extends SettingRows>(given: SettingValues<Rows>, origins: GivenOrigins): LiveSettings<Rows> {
  const standing = Object.freeze({ ...given });
  const values: Record<string, unknown> = { ...given };
  const listeners = new Set<(names: readonly string[]) => void>();
  let kept: ReadonlyMap<string, unknown> = new Map();
  const isPinned = (name: string) => origins.get(name) === 'environment';
  return {
    values: values as SettingValues<Rows>,
    given: standing,
    origins,
    originOf: (name) => (isPinned(name) ? 'environment' : kept.has(name) ? 'stored' : (origins.get(name) ?? 'built-in')),
    apply(stored) {
      const names = new Set([...kept.keys(), ...stored.keys()].filter((name) => Object.hasOwn(values, name) && !isPinned(name)));
      const others = [...names].filter((name) => {
        const value = stored.has(name) ? stored.get(name) : standing[name];
        if (JSON.stringify(value) === JSON.stringify(values[name])) return false;
        values[name] = value;
        return true;
      });
      kept = stored;
      if (others.length > 0) for (const listener of listeners) listener(others);
      return others;
    },
    changed(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
