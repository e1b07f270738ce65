import { Worker } from 'node:worker_threads';
import { matchesDigest } from './digest.ts';
import type { ForeignHash } from './parse.ts';

/** What a thread is asked: its answer is whether they match. */
export interface Asked {
  readonly password: Uint8Array;
  readonly hash: ForeignHash;
}

/** Judges hashes of other systems beside the loop. */
export interface ForeignJudge {
  /** Whether a password is the one of a hash. */
  matches(password: Uint8Array, hash: ForeignHash): Promise<boolean>;
}

/** Such hashes go with their first use: a thread that had nothing to do for so long has most likely nothing to do any more. */
const idleMs = 30_000;

/**
 * SHA-crypt is thousands of hashes, each of which waits for the one before: nothing that libuv's pool could do, and too long for a turn of the loop. So is
 * bcrypt in JavaScript. What OpenSSL computes runs here, too, where it takes none of the pool's threads.
 * Threads are started when they are needed. There are never more than who calls asks for at once: the hasher's queue is their bound.
 */
export function createForeignJudge(): ForeignJudge {
  const idle: Member[] = [];

  async function ask(asked: Asked): Promise<boolean> {
    const member = idle.pop() ?? createMember();
    const answer = await member.ask(asked);
    idle.push(member);
    member.rest(() => {
      const at = idle.indexOf(member);
      // One that has been taken meanwhile has not been idle for that long.
      return at >= 0 && idle.splice(at, 1).length > 0;
    });
    return answer;
  }

  return {
    matches: async (password, hash) =>
      hash.kind === 'digest' ? matchesDigest(password, hash) : await ask({ password: new Uint8Array(password), hash }),
  };
}

interface Member {
  ask(asked: Asked): Promise<boolean>;
  /** Ends the thread when it was idle for long, if it may be taken away then. */
  rest(take: () => boolean): void;
}

function createMember(): Member {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { name: 'hashes' });
  let waiting: { readonly resolve: (matches: boolean) => void; readonly reject: (reason: unknown) => void } | undefined;
  let resting: NodeJS.Timeout | undefined;
  worker.on('message', (matches: boolean) => waiting?.resolve(matches));
  worker.on('error', (error) => waiting?.reject(error));
  worker.on('exit', () => waiting?.reject(new Error('a thread that judges hashes has ended')));

  return {
    async ask(asked) {
      clearTimeout(resting);
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      waiting = { resolve, reject };
      worker.ref();
      worker.postMessage(asked);
      try {
        return await promise;
      } finally {
        waiting = undefined;
        // At rest it keeps no process alive.
        worker.unref();
      }
    },
    rest(take) {
      resting = setTimeout(() => {
        if (take()) void worker.terminate();
      }, idleMs).unref();
    },
  };
}
