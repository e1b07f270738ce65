/** Lines of those who wait to write one entry. */
export interface Lines {
  /** Whether somebody writes or waits in the line of a key. */
  isBusy(key: string): boolean;
  /** Acts when all who stood in the line before are through. Nobody in it may enter another. */
  wait<T>(key: string, act: () => Promise<T>): Promise<T>;
}

export function createLines(): Lines {
  const ends = new Map<string, Promise<void>>();
  return {
    isBusy: (key) => ends.has(key),
    async wait(key, act) {
      const before = ends.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(key, promise);
      try {
        await before;
        return await act();
      } finally {
        if (ends.get(key) === promise) ends.delete(key);
        resolve();
      }
    },
  };
}
