import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

/** A measurement that has begun: it has a folder, a server, and work that fails when the server is gone. */
const measurement = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createEnds } from './bench/process.ts';
const ends = createEnds();
try {
  ends.push(() => rmSync(process.env.FOLDER, { recursive: true }));
  const server = spawn('sleep', ['600']);
  ends.push(async () => { server.kill('SIGKILL'); await once(server, 'exit'); });
  process.stdout.write('begun');
  await once(server, 'exit');
} finally {
  await ends.end();
}
`;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`a benchmark that is ended by ${signal} leaves no folder behind`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-ends-test-'));
    const child = spawn(process.execPath, ['--input-type=module', '-e', measurement], {
      cwd: join(import.meta.dirname, '..', '..'),
      env: { ...process.env, FOLDER: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill(signal);
    t.deepEqual(await once(child, 'exit'), [1, null]);
    t.false(existsSync(folder));
  });
}
