import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { factorsErrors } from '#factors';
import { mailErrors, mailSettings } from '#mail';
import { mailedSettings } from '../flows/mailed.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { startSmtp } from '../support/smtp.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'mail.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);

withLdapUtils(test)('docs/mail.md: every command of the page does what it says, one behind the other, and the mail arrives', async (t) => {
  const smtp = await startSmtp(t);
  await using atrium = await startTestAtrium({ settings: mailedSettings(smtp) });
  const folder = mkdtempSync(join(tmpdir(), 'atrium-mail-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(atrium.dataDir, join(folder, 'data'));
  writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
  const env = {
    ...process.env,
    ATRIUM: atrium.addresses.http,
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
  t.deepEqual((await smtp.next()).to, ['mia@example.org']);
});

test('docs/mail.md: the page has every setting of mail, and every code that an administrator looks for', (t) => {
  for (const name of Object.keys(mailSettings)) t.true(page.includes(`\`${name}\``), name);
  for (const { code } of Object.values(mailErrors)) t.true(page.includes(`\`${code}\``), code);
  for (const { code } of [factorsErrors.emailEnded, factorsErrors.emailNotMailed, factorsErrors.emailTurnedOff])
    t.true(page.includes(`\`${code}\``), code);
});
