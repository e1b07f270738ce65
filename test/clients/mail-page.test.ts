import test from 'ava';
import { factorsErrors } from '#factors';
import { mailErrors, mailSettings } from '#mail';
import { mailedSettings } from '../flows/mailed.ts';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { startSmtp } from '../support/smtp.ts';
import { readDocsPage, runPage } from './page.ts';

const page = readDocsPage('mail.md');

withLdapUtils(test)('docs/mail.md: every command of the page does what it says, one behind the other, and the mail arrives', async (t) => {
  const smtp = await startSmtp(t);
  await using atrium = await startTestAtrium({ settings: mailedSettings(smtp) });
  t.true(page.blocks.length > 6);
  await runPage(t, page, atrium, { ATRIUM: atrium.addresses.http });
  t.deepEqual((await smtp.next()).to, ['mia@example.org']);
});

test('docs/mail.md: the page has every setting of mail, and every code that an administrator looks for', (t) => {
  for (const name of Object.keys(mailSettings)) t.true(page.text.includes(`\`${name}\``), name);
  for (const { code } of Object.values(mailErrors)) t.true(page.text.includes(`\`${code}\``), code);
  for (const { code } of [factorsErrors.emailEnded, factorsErrors.emailNotMailed, factorsErrors.emailTurnedOff])
    t.true(page.text.includes(`\`${code}\``), code);
});
