import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { rights } from '../../src/directory/access/rule.ts';
import { strengthWords } from '../../src/directory/access/strength.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'access.md'), 'utf8');
/** Commands, and entries that are added as the administrator. */
const blocks = [...page.matchAll(/^```(sh|ldif)\n(.*?)^```/gms)].map(([, kind, text = '']) =>
  kind === 'sh' ? text : `ldapadd -x -y admin.pw <<'LDIF'\n${text}LDIF\n`,
);

withLdapUtils(test)('docs/access.md: every command of the page does what it says, one behind the other', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-access-page-data-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  t.is((await runCli(['import', join(root, 'ldif/demo.ldif')], testEnvironment(dataDir))).status, 0);
  await using atrium = await startTestAtrium({ dataDir });
  const folder = mkdtempSync(join(tmpdir(), 'atrium-access-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(atrium.dataDir, join(folder, 'data'));
  writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'atrium'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'atrium.mjs')}' "$@"\n`, {
    mode: 0o755,
  });
  const env = {
    ...process.env,
    ...testEnvironment(atrium.dataDir),
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    LDAPURI: atrium.addresses.ldaps,
    LDAPTLS_CACERT: join(folder, 'data/tls/ca.pem'),
    LDAPBASE: atrium.suffix,
    LDAPBINDDN: atrium.adminDn,
  };
  t.true(blocks.length > 6);
  for (const commands of blocks) {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
    const [said, complaints, status] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr), ended]);
    t.is(status, 0, `${commands}\n${said}\n${complaints}`);
  }
});

test('docs/access.md: the page has every right and every word of a strength', (t) => {
  for (const word of [...rights, ...strengthWords]) t.true(page.includes(`\`${word}\``), word);
});
