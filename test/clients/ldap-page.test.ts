import test from 'ava';
import { settings } from '../../src/settings.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { readDocsPage, runPage } from './page.ts';

const page = readDocsPage('ldap.md');

withLdapUtils(test)('docs/ldap.md: every command of the page is answered with success, one behind the other', async (t) => {
  await using atrium = await startTestAtrium();
  t.true(page.blocks.length > 5);
  await runPage(t, page, atrium, { LDAP_PORT: new URL(atrium.addresses.ldap ?? '').port });
});

withLdapUtils(test)('docs/ldap.md: the page names what the root DSE lists, and nothing else', async (t) => {
  await using atrium = await startTestAtrium();
  const listed = ['supportedControl', 'supportedExtension', 'supportedFeatures'];
  const { stdout } = await runLdapTool('ldapsearch', { url: atrium.addresses.ldap ?? '' }, ['-LLL', '-b', '', '-s', 'base', ...listed]);
  const offered = [...stdout.matchAll(/: ([\d.]+)$/gm)].map(([, oid]) => oid);
  const table = page.text.slice(page.text.indexOf('## All that the root DSE lists'));
  t.deepEqual([...table.matchAll(/`(\d+(?:\.\d+)+)`/g)].map(([, oid]) => oid).sort(), offered.sort());
});

test('docs/ldap.md: every setting that the page names is a row', (t) => {
  const areas = new Set(Object.keys(settings).map((name) => name.split('.')[0]));
  const named = [...page.text.matchAll(/`([a-z]+)\.([a-z]+[A-Z]\w*|referral)\b/g)].filter(([, area]) => areas.has(area));
  t.true(named.length > 40);
  for (const [, area, name] of named) t.true(`${area}.${name}` in settings, `${area}.${name}`);
});
