import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';

test('of a service that keeps its entries in memory the default realm is imported into and exported by asking it, and no secrets', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-memory-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { ...testEnvironment(join(folder, 'data')), STS_PERSISTENCE_MODE: 'memory' };
  const service = startCli(['serve'], environment);
  t.teardown(() => service.child.kill('SIGKILL'));
  await service.until('ready ');
  const run = (...args: string[]) => runCli(args, environment);
  const ann = 'dn: uid=ann,ou=people,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: ann\ncn: Ann\nsn: Ann\n';
  writeFileSync(join(folder, 'ann.ldif'), ann);
  const imported = await run('import', join(folder, 'ann.ldif'));
  t.is(imported.status, 0, imported.stderr);
  const exported = await run('export');
  t.is(exported.status, 0, exported.stderr);
  t.regex(exported.stdout, /^version: 1\n\ndn: dc=example,dc=com\n/);
  t.regex(exported.stdout, /^dn: uid=ann,ou=people,dc=example,dc=com\nobjectClass: inetOrgPerson\ncn: Ann\nsn: Ann\nuid: ann\n$/m);
  t.notRegex(exported.stdout, /cn=tasks|ou=realms/, 'what is no content of a realm is left out here, too');
  t.is((await run('export')).stdout, exported.stdout, 'the same content is the same text');
  const secrets = await run('export', '--secrets');
  t.deepEqual([secrets.status, secrets.stdout], [2, '']);
  t.regex(secrets.stderr, /no secrets/);
});
