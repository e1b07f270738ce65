import test from 'ava';
import { credentialsSettings } from '#credentials';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { readDocsPage, runPage } from './page.ts';

const page = readDocsPage('app-passwords.md');

withLdapUtils(test)('docs/app-passwords.md: every command of the page does what it says, one behind the other', async (t) => {
  await using atrium = await startTestAtrium();
  t.true(page.blocks.length > 4);
  await runPage(t, page, atrium);
  const codes = atrium.audit.flatMap(({ errorCode }) => errorCode ?? []);
  t.true(codes.includes('STS-AUTHN-0213'));
});

test('docs/app-passwords.md: the page has every setting of app passwords and of the doors', (t) => {
  const names = Object.keys(credentialsSettings).filter((name) =>
    /^(?:appPasswords|authn\.passwordAlone|security\.verifiedBinds)/.test(name),
  );
  t.is(names.length, 6);
  for (const name of names) t.regex(page.text, new RegExp(`^\\| \`${name}\` \\|`, 'm'), name);
});
