/** Names and texts from outside, as a process is given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. The only place that reads it: everything else gets settings. */
export function processEnvironment(): Environment {
  return { ...process.env };
}

const threadsEnv = 'UV_THREADPOOL_SIZE';

/**
 * Gives libuv's pool its size, unless the operator chose one. Only in time before the pool is first used, by a file read with a promise, say.
 *
 * @param threads  password hashes and the disk share them
 */
export function sizeThreadPool(threads: number): void {
  process.env[threadsEnv] ??= String(threads);
}
