import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';

const fixture = fileURLToPath(new URL('./pool.fixture.ts', import.meta.url));

/** How many threads libuv's pool has in a process that sets its size after all its modules were loaded. */
async function poolThreads(size: number): Promise<number> {
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [fixture, String(size), '2'], { env });
  return Number(stdout);
}

// Threads are counted in /proc, and the first use of the pool may start threads of others beside it: so two sizes are compared.
(process.platform === 'linux' ? test : test.skip)(
  'the size of libuv’s pool may be set inside the process, before its first use',
  async (t) => {
    t.is((await poolThreads(9)) - (await poolThreads(3)), 6);
  },
);
