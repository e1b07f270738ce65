import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { folder } from './support.ts';

const run = promisify(execFile);

test('ten times the entries take hardly more than twice the memory', async (t) => {
  const most = async (count: number) => {
    const script = join(import.meta.dirname, 'children', 'memory.ts');
    return Number((await run(process.execPath, [script, String(count), folder(t)])).stdout);
  };
  const [few, many] = [await most(500), await most(5000)];
  t.log(`${Math.round(few / 1024)} MiB, ${Math.round(many / 1024)} MiB`);
  // Were the entries kept, it would be 2.3 times.
  t.true(many < 2 * few, `${few} KiB, then ${many} KiB`);
});
