import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test from 'ava';
import { settings } from '../../src/settings.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'realms.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands = '']) => commands);

withLdapUtils(test)(
  'docs/realms.md: every command of the page is answered with success, one behind the other, and the realms go',
  async (t) => {
    await using atrium = await startTestAtrium();
    const folder = mkdtempSync(join(tmpdir(), 'atrium-page-'));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(atrium.dataDir, join(folder, 'data'));
    writeFileSync(join(folder, 'admin.pw'), atrium.adminPassword, { mode: 0o600 });
    const bin = join(folder, 'atrium');
    writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'atrium.mjs')}' "$@"\n`, { mode: 0o755 });
    const env = {
      ...testEnvironment(atrium.dataDir),
      HOME: folder,
      PATH: `${folder}:${process.env['PATH']}`,
      LDAPURI: atrium.addresses.ldaps,
      LDAPTLS_CACERT: join(folder, 'data/tls/ca.pem'),
      LDAPBASE: atrium.suffix,
      LDAPBINDDN: atrium.adminDn,
    };
    const run = async (commands: string) => {
      const shell = spawn('bash', ['-e', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = new Promise<number | null>((resolve) => shell.once('close', resolve));
      const [said, complaints, status] = await Promise.all([textOf(shell.stdout), textOf(shell.stderr), ended]);
      t.is(status, 0, `${commands}\n${complaints}`);
      return said;
    };
    t.true(blocks.length > 3);
    const said: string[] = [];
    for (const commands of blocks) said.push(await run(commands));
    t.regex(said[1] ?? '', /ou=people,dc=north,dc=example,dc=org/);
    t.regex(said[1] ?? '', /namingContexts: o=acme/);
    // The service goes on with both by itself.
    let realms = '';
    do realms = await run('atrium realm list');
    while (/acme|north/.test(realms));
    t.is(await run("ldapsearch -x -LLL -b '' -s base namingContexts | grep -c namingContexts"), '1\n');
  },
);

test('docs/realms.md: every setting that the page names is a row', (t) => {
  const named = [...page.matchAll(/`((?:realms|ldap|admin)\.[a-z]\w*)/g)].map(([, name = '']) => name);
  t.true(named.length > 4);
  for (const name of named) t.true(name in settings, name);
});
