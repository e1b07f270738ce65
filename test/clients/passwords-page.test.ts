import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { cryptForms, foreignSchemes } from '#keys';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'passwords.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);

(withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd'))(
  'docs/passwords.md: every command of the page does what it says, one behind the other',
  async (t) => {
    await using atrium = await startTestAtrium();
    const folder = mkdtempSync(join(tmpdir(), 'atrium-passwords-page-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(atrium.dataDir, join(folder, 'data'));
    writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
    const env = {
      ...process.env,
      LDAPURI: atrium.addresses.ldaps,
      LDAPTLS_CACERT: join(folder, 'data/tls/ca.pem'),
      PATH: `${process.env['PATH']}:/usr/sbin`,
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
    for (const code of ['STS-LDAP-9391', 'STS-AUTHN-0142', 'STS-AUTHN-9044']) t.true(codes.includes(code), code);
  },
);

test('docs/passwords.md: the page has every scheme whose hashes are judged', (t) => {
  for (const scheme of [...foreignSchemes, ...cryptForms]) t.true(page.includes(`\`${scheme}\``), scheme);
});
