import test from 'ava';
import { builtInAuthnPolicy, mechanisms } from '#policy';
import { stateSettings } from '#state';
import { startTestAtrium } from '../support/atrium.ts';
import { withLdapUtils } from '../support/ldap-utils.ts';
import { readTestSchema } from '../support/schema.ts';
import { readDocsPage, runPage } from './page.ts';

const page = readDocsPage('sign-in.md');

withLdapUtils(test)('docs/sign-in.md: every command of the page does what it says, one behind the other', async (t) => {
  await using atrium = await startTestAtrium({ settings: { STS_AUTHN_PASSWORD_ALONE_DOORS: 'ldap' } });
  t.true(page.blocks.length > 5);
  await runPage(t, page, atrium);
  const codes = atrium.audit.flatMap(({ errorCode }) => errorCode ?? []);
  for (const code of ['STS-LDAP-9391', 'STS-AUTHN-0244', 'STS-LDAP-9390']) t.true(codes.includes(code), code);
});

test('docs/sign-in.md: the page has every attribute of the policy, every mechanism, and what holds without them', (t) => {
  const attributes = ['stsAuthnPolicy', 'stsPasswordPolicy'].flatMap((name) => readTestSchema().objectClass(name)?.may ?? []);
  t.true(attributes.length > 14);
  for (const { name } of attributes) {
    if (name !== 'description') t.regex(page.text, new RegExp(`^\\| \`${name}\` \\|`, 'm'), name);
  }
  for (const word of mechanisms) t.true(page.text.includes(`\`${word}\``), word);
  const { emailCodeTtlS, emailCodeAttempts, emailFailureLimit } = builtInAuthnPolicy;
  const standing = { stsEmailCodeTtl: emailCodeTtlS, stsEmailCodeAttempts: emailCodeAttempts, stsEmailFailureLimit: emailFailureLimit };
  for (const [name, value] of Object.entries(standing)) t.regex(page.text, new RegExp(`^\\| \`${name}\` \\|.*\\| ${value} \\|$`, 'm'));
  const limits = Object.keys(stateSettings).filter((name) => name.startsWith('security.rateLimit'));
  t.true(limits.length > 3);
  for (const name of limits) t.true(page.text.includes(`\`${name}\``), name);
});
