import test from 'ava';
import { cryptForms, foreignSchemes } from '#keys';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { readDocsPage, runPage } from './page.ts';

const page = readDocsPage('passwords.md');

(withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd'))(
  'docs/passwords.md: every command of the page does what it says, one behind the other',
  async (t) => {
    await using atrium = await startTestAtrium();
    t.true(page.blocks.length > 4);
    await runPage(t, page, atrium);
    const codes = atrium.audit.flatMap(({ errorCode }) => errorCode ?? []);
    for (const code of ['STS-LDAP-9391', 'STS-AUTHN-0142', 'STS-AUTHN-9044']) t.true(codes.includes(code), code);
  },
);

test('docs/passwords.md: the page has every scheme whose hashes are judged', (t) => {
  for (const scheme of [...foreignSchemes, ...cryptForms]) t.true(page.text.includes(`\`${scheme}\``), scheme);
});
