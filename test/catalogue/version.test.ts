import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { startAtrium } from '../../src/main.ts';
import { testEnvironment } from '../support/atrium.ts';
import { observeLog } from '../support/observed.ts';

const installation = join(import.meta.dirname, '../..');

const cases: readonly [rule: string, version: string | undefined, code: string][] = [
  ['STS-CORE-0039: a version file that does not hold M.N is ignored', 'newest', 'STS-CORE-0039'],
  ['STS-CORE-0040: without a version file the version is 0.0', undefined, 'STS-CORE-0040'],
];
for (const [rule, version, code] of cases) {
  test(rule, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'atrium-version-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    for (const folder of ['schema', 'ldif', 'src', 'node_modules']) symlinkSync(join(installation, folder), join(root, folder));
    if (version !== undefined) writeFileSync(join(root, 'VERSION'), version);

    const logStream = new PassThrough({ encoding: 'utf8' });
    const environment = { ...testEnvironment(join(root, 'data')), STS_PERSISTENCE_MODE: 'memory' };
    const started = await startAtrium({ root, environment, logStream });
    t.is(started.kind, 'running');
    if (started.kind === 'running') await started.service.stop();
    const log = String(logStream.read());
    observeLog(log);
    t.true(log.includes(`[${code}]`));
  });
}
