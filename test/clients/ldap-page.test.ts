import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { settings } from '../../src/settings.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'ldap.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands = '']) => commands);

withLdapUtils(test)('docs/ldap.md: every command of the page is answered with success, one behind the other', async (t) => {
  await using atrium = await startTestAtrium();
  const folder = mkdtempSync(join(tmpdir(), 'atrium-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(atrium.dataDir, join(folder, 'data'));
  writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
  const env = {
    ...process.env,
    LDAPURI: atrium.addresses.ldaps,
    LDAPTLS_CACERT: join(folder, 'data/tls/ca.pem'),
    LDAPBASE: atrium.suffix,
    LDAPBINDDN: atrium.adminDn,
    LDAP_PORT: new URL(atrium.addresses.ldap ?? '').port,
  };
  t.true(blocks.length > 5);
  for (const commands of blocks) {
    const shell = spawn('bash', ['-e', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
    const [, complaints, status] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr), ended]);
    t.is(status, 0, `${commands}\n${complaints}`);
  }
});

withLdapUtils(test)('docs/ldap.md: the page names what the root DSE lists, and nothing else', async (t) => {
  await using atrium = await startTestAtrium();
  const listed = ['supportedControl', 'supportedExtension', 'supportedFeatures'];
  const { stdout } = await runLdapTool('ldapsearch', { url: atrium.addresses.ldap ?? '' }, ['-LLL', '-b', '', '-s', 'base', ...listed]);
  const offered = [...stdout.matchAll(/: ([\d.]+)$/gm)].map(([, oid]) => oid);
  const table = page.slice(page.indexOf('## All that the root DSE lists'));
  t.deepEqual([...table.matchAll(/`(\d+(?:\.\d+)+)`/g)].map(([, oid]) => oid).sort(), offered.sort());
});

test('docs/ldap.md: every setting that the page names is a row', (t) => {
  const areas = new Set(Object.keys(settings).map((name) => name.split('.')[0]));
  const named = [...page.matchAll(/`([a-z]+)\.([a-z]+[A-Z]\w*|referral)\b/g)].filter(([, area]) => areas.has(area));
  t.true(named.length > 40);
  for (const [, area, name] of named) t.true(`${area}.${name}` in settings, `${area}.${name}`);
});
