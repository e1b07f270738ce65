import { Ended } from './operation.ts';

/** Where those wait who have more to send than the peer has taken. */
interface Room {
  /** Resolves when there is room again, rejects when there never will be. */
  wait(): Promise<void>;
  free(): void;
  close(): void;
}

export function createRoom(): Room {
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    wait() {
      waiting ??= Promise.withResolvers<void>();
      return waiting.promise;
    },
    free() {
      waiting?.resolve();
      waiting = undefined;
    },
    close() {
      // Nobody may be waiting any more.
      waiting?.promise.catch(() => undefined);
      waiting?.reject(new Ended());
      waiting = undefined;
    },
  };
}
