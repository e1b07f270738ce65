import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { settings } from '../../src/settings.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { lendCli } from '../support/lent-cli.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/ldif.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands = '']) => commands);

withLdapUtils(test)('docs/ldif.md: every command of the page ends with success, one behind the other', async (t) => {
  t.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), 'atrium-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = testEnvironment(join(folder, 'data'));
  t.is((await runCli(['import', join(root, 'ldif/demo.ldif')], environment)).status, 0);
  await using _service = await startTestAtrium({ dataDir: join(folder, 'data') });
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  await using _cli = await lendCli(bin);
  const env = {
    ...environment,
    HOME: folder,
    PATH: [bin, process.env['PATH']].join(delimiter),
    LDAPI: `ldapi://${encodeURIComponent(join(folder, 'data/ldapi'))}`,
  };
  t.true(blocks.length > 5);
  for (const commands of blocks) {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
    const [, complaints, status] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr), ended]);
    t.is(status, 0, `${commands}\n${complaints}`);
    if (commands.includes('wanted.ldif')) t.regex(complaints, /1 change made\n[\s\S]*nothing to do/);
  }
});

test('docs/ldif.md: every setting that the page names is a row', (t) => {
  const named = [...page.matchAll(/`(tasks\.\w+)`/g)].map(([, name = '']) => name);
  t.true(named.length > 2);
  for (const name of named) t.true(name in settings, name);
});
