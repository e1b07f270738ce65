import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { rights } from '../../src/directory/access/rule.ts';
import { strengthWords } from '../../src/directory/access/strength.ts';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { readDocsPage, runPage } from './page.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readDocsPage('access.md', ['sh', 'ldif']);

withLdapUtils(test)('docs/access.md: every command of the page does what it says, one behind the other', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-access-page-data-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
  t.is((await runCli(['import', join(root, 'ldif/demo.ldif')], testEnvironment(dataDir))).status, 0);
  await using atrium = await startTestAtrium({ dataDir });
  t.true(page.blocks.length > 6);
  await runPage(t, page, atrium);
});

test('docs/access.md: the page has every right and every word of a strength', (t) => {
  for (const word of [...rights, ...strengthWords]) t.true(page.text.includes(`\`${word}\``), word);
});
