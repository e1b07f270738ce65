import { connect } from 'node:net';
import type { Timers } from '#jobs';

/** Whether the service is there, by a connection to its socket that says nothing. */
export interface Presence {
  /** Resolves when it has ended, or another took its place. */
  readonly gone: Promise<void>;
  close(): void;
}

export interface PresenceOptions {
  readonly socketPath: string;
  /** Whether what the service wrote at its start is still there. */
  readonly isSame: () => boolean;
  readonly timers: Timers;
}

/** Times that a connection is tried before the service is taken for gone, and the pause before each but the first. */
const triesMax = 4;
const pauseMs = 250;

/** Watches a service. @returns `undefined` when nobody listens */
export async function watchService({ socketPath, isSame, timers }: PresenceOptions): Promise<Presence | undefined> {
  const ends = new AbortController();
  let held = await hold(socketPath, ends.signal);
  if (held === undefined) return undefined;
  const again = async (): Promise<Held | undefined> => {
    for (let tries = 0; tries < triesMax; tries++) {
      if (ends.signal.aborted || !isSame()) return undefined;
      await new Promise<void>((resolve) => timers.after(pauseMs, resolve));
      const found = await hold(socketPath, ends.signal);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const watch = async (): Promise<void> => {
    while (held !== undefined) {
      await held.ended;
      // It may have been closed because nothing was said on it.
      held = await again();
    }
    if (!ends.signal.aborted) resolve();
  };
  void watch();
  return { gone, close: () => ends.abort() };
}

interface Held {
  readonly ended: Promise<void>;
}

/** Opens a connection; `undefined` when it cannot be. */
function hold(path: string, signal: AbortSignal): Promise<Held | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const cut = () => socket.destroy();
    signal.addEventListener('abort', cut, { once: true });
    if (signal.aborted) cut();
    socket.once('connect', () => resolve({ ended }));
    socket.on('error', () => undefined);
    // What the service says at its end is read, so that the end behind it is heard.
    socket.resume();
    socket.once('close', () => {
      signal.removeEventListener('abort', cut);
      end();
      resolve(undefined);
    });
  });
}
