/** Those who wait until a commit is on disk. */
export interface Sleepers {
  /** Resolves when the commit of that number is on disk. */
  wait(number: number): Promise<void>;
  /** All commits up to that number are. */
  wake(number: number): void;
}

export function createSleepers(): Sleepers {
  let sleepers: { readonly number: number; readonly wake: () => void }[] = [];
  return {
    wait: (number) => new Promise((wake) => void sleepers.push({ number, wake })),
    wake(number) {
      const awake = sleepers.filter((sleeper) => sleeper.number <= number);
      sleepers = sleepers.filter((sleeper) => sleeper.number > number);
      for (const { wake } of awake) wake();
    },
  };
}
