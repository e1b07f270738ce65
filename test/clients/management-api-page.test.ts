import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'management-api.md'), 'utf8');
const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const own = readme.split('\n## By curl\n')[1]?.split('\n## ', 1)[0] ?? '';
const blocks = [page, own].flatMap((text) => [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block));

withLdapUtils(test)(
  'docs/management-api.md and the short form in README.md: every command does what it says, one behind the other',
  async (t) => {
    await using atrium = await startTestAtrium();
    const folder = mkdtempSync(join(tmpdir(), 'atrium-management-page-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(atrium.dataDir, join(folder, 'data'));
    writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
    const env = {
      ...process.env,
      WEB: atrium.addresses.http,
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
    t.is(atrium.audit.filter(({ action, outcome }) => action === 'admin.users.create' && outcome === 'success').length, 2);
  },
);
