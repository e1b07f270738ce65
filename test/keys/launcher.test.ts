import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';

const launcher = join(import.meta.dirname, '../../run.mjs');

async function tunablesWith(given: Readonly<Record<string, string>>): Promise<string> {
  const { GLIBC_TUNABLES: _, ...env } = process.env;
  const asked = [launcher, '--print', 'process.env.GLIBC_TUNABLES'];
  const { stdout } = await promisify(execFile)(process.execPath, asked, { env: { ...env, ...given } });
  return stdout.trim();
}

test('what npm starts gets large pages for its hashes, unless the operator chose tunables', async (t) => {
  t.is(await tunablesWith({}), 'glibc.malloc.hugetlb=1');
  t.is(await tunablesWith({ GLIBC_TUNABLES: 'glibc.malloc.arena_max=3' }), 'glibc.malloc.arena_max=3');
});
