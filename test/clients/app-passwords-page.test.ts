import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { credentialsSettings } from '#credentials';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'app-passwords.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);

withLdapUtils(test)('docs/app-passwords.md: every command of the page does what it says, one behind the other', async (t) => {
  await using atrium = await startTestAtrium();
  const folder = mkdtempSync(join(tmpdir(), 'atrium-app-passwords-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(atrium.dataDir, join(folder, 'data'));
  writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
  writeFileSync(join(folder, 'atrium'), `#!/bin/sh\nexec ${process.execPath} ${join(root, 'atrium.mjs')} "$@"\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    ...testEnvironment(atrium.dataDir),
    PATH: `${folder}${delimiter}${process.env['PATH']}`,
    LDAPURI: atrium.addresses.ldaps,
    LDAPTLS_CACERT: join(folder, 'data/tls/ca.pem'),
    LDAPBASE: atrium.suffix,
    LDAPBINDDN: atrium.adminDn,
  };
  t.true(blocks.length > 4);
  for (const commands of blocks) {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
    const [said, complaints, status] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr), ended]);
    t.is(status, 0, `${commands}\n${said}\n${complaints}`);
  }
  const codes = atrium.audit.flatMap(({ errorCode }) => errorCode ?? []);
  t.true(codes.includes('STS-AUTHN-0213'));
});

test('docs/app-passwords.md: the page has every setting of app passwords and of the doors', (t) => {
  const names = Object.keys(credentialsSettings).filter((name) =>
    /^(?:appPasswords|authn\.passwordAlone|security\.verifiedBinds)/.test(name),
  );
  t.is(names.length, 6);
  for (const name of names) t.regex(page, new RegExp(`^\\| \`${name}\` \\|`, 'm'), name);
});
