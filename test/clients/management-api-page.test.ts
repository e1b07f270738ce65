import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { readDocsPage, runPage } from './page.ts';

const page = readDocsPage('management-api.md');
const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const short = readme.split('\n## By curl\n')[1]?.split('\n## ', 1)[0] ?? '';

withLdapUtils(test)(
  'docs/management-api.md and the short form in README.md: every command does what it says, one behind the other',
  async (t) => {
    await using atrium = await startTestAtrium();
    const blocks = [...page.blocks, ...[...short.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)];
    t.true(blocks.length > 6);
    await runPage(t, { ...page, blocks }, atrium, { WEB: atrium.addresses.http });
    t.is(atrium.audit.filter(({ action, outcome }) => action === 'admin.users.create' && outcome === 'success').length, 2);
  },
);
