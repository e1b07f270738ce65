import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { readTestSchema } from '../support/schema.ts';
import { readDocsPage, runPage } from './page.ts';

const page = readDocsPage('openid-connect.md');

withLdapUtils(test)('docs/openid-connect.md: every command of the page does what it says, one behind the other', async (t) => {
  await using atrium = await startTestAtrium();
  t.is(page.blocks.length, 3);
  await runPage(t, page, atrium, { WEB: atrium.addresses.http });
});

test('docs/openid-connect.md: the page has every attribute of a client', (t) => {
  const { must = [], may = [] } = readTestSchema().objectClass('stsOAuthClient') ?? {};
  t.true(may.length > 20);
  for (const { name } of [...must, ...may])
    if (name !== 'userPassword') t.true(page.text.includes(`\`${name}\``) || page.text.includes(`${name}: `), name);
});
