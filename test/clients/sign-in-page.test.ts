import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { builtInAuthnPolicy, mechanisms } from '#policy';
import { stateSettings } from '#state';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { readTestSchema } from '../support/schema.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'sign-in.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);

withLdapUtils(test)('docs/sign-in.md: every command of the page does what it says, one behind the other', async (t) => {
  await using atrium = await startTestAtrium({ settings: { STS_AUTHN_PASSWORD_ALONE_DOORS: 'ldap' } });
  const folder = mkdtempSync(join(tmpdir(), 'atrium-sign-in-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(atrium.dataDir, join(folder, 'data'));
  writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
  const env = {
    ...process.env,
    LDAPURI: atrium.addresses.ldaps,
    LDAPTLS_CACERT: join(folder, 'data/tls/ca.pem'),
    LDAPBASE: atrium.suffix,
    LDAPBINDDN: atrium.adminDn,
  };
  t.true(blocks.length > 5);
  for (const commands of blocks) {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
    const [said, complaints, status] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr), ended]);
    t.is(status, 0, `${commands}\n${said}\n${complaints}`);
  }
  const codes = atrium.audit.flatMap(({ errorCode }) => errorCode ?? []);
  for (const code of ['STS-LDAP-9391', 'STS-AUTHN-0244', 'STS-LDAP-9390']) t.true(codes.includes(code), code);
});

test('docs/sign-in.md: the page has every attribute of the policy, every mechanism, and what holds without them', (t) => {
  const attributes = ['stsAuthnPolicy', 'stsPasswordPolicy'].flatMap((name) => readTestSchema().objectClass(name)?.may ?? []);
  t.true(attributes.length > 14);
  for (const { name } of attributes) {
    if (name !== 'description') t.regex(page, new RegExp(`^\\| \`${name}\` \\|`, 'm'), name);
  }
  for (const word of mechanisms) t.true(page.includes(`\`${word}\``), word);
  const { emailCodeTtlS, emailCodeAttempts, emailFailureLimit } = builtInAuthnPolicy;
  const standing = { stsEmailCodeTtl: emailCodeTtlS, stsEmailCodeAttempts: emailCodeAttempts, stsEmailFailureLimit: emailFailureLimit };
  for (const [name, value] of Object.entries(standing)) t.regex(page, new RegExp(`^\\| \`${name}\` \\|.*\\| ${value} \\|$`, 'm'));
  const limits = Object.keys(stateSettings).filter((name) => name.startsWith('security.rateLimit'));
  t.true(limits.length > 3);
  for (const name of limits) t.true(page.includes(`\`${name}\``), name);
});
