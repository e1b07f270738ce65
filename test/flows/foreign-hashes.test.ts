import { execFileSync } from 'node:child_process';
import test from 'ava';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { openScreen, submit } from './raw.ts';

const password = 'an older horse';
const run = (command: string, args: readonly string[]) => execFileSync(command, args, { encoding: 'utf8' }).trim();

/** Made by others, each in its own way. */
const makers = {
  '{SSHA}': () => run('/usr/sbin/slappasswd', ['-h', '{SSHA}', '-s', password]),
  '{CRYPT} of SHA-512': () => `{CRYPT}${run('openssl', ['passwd', '-6', password])}`,
  '{CRYPT} of SHA-256': () => `{CRYPT}${run('openssl', ['passwd', '-5', password])}`,
  '{SSHA512}': () =>
    run('/usr/sbin/slappasswd', ['-o', 'module-path=/usr/lib/ldap', '-o', 'module-load=pw-sha2', '-h', '{SSHA512}', '-s', password]),
};

async function addWith(atrium: TestAtrium, uid: string, hash: string): Promise<string> {
  const dn = `uid=${uid},ou=people,${atrium.suffix}`;
  const entry = [`dn: ${dn}`, 'objectClass: inetOrgPerson', `uid: ${uid}`, `cn: ${uid}`, `sn: ${uid}`, `userPassword: ${hash}`, ''];
  const administrator = { url: atrium.addresses.ldap ?? '', dn: atrium.adminDn, password: atrium.adminPassword };
  const { status, stderr } = await runLdapTool('ldapadd', administrator, [], entry.join('\n'));
  if (status !== 0) throw new Error(stderr);
  return dn;
}

const withBoth = withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd', 'openssl');

for (const workers of ['0', '2']) {
  withBoth(
    `people whose hashes others made bind with the old password and no other, with ${workers} threads beside the main one`,
    async (t) => {
      await using atrium = await startTestAtrium({ settings: { STS_LDAP_WORKERS: workers } });
      const url = atrium.addresses.ldap ?? '';
      const renewals = () => atrium.audit.filter(({ action }) => action === 'directory.renewHash').length;
      for (const [at, [scheme, make]] of Object.entries(makers).entries()) {
        const dn = await addWith(atrium, `old${at}`, make());
        const bind = async (given: string) => (await runLdapTool('ldapwhoami', { url, dn, password: given }, [])).status;
        t.is(await bind(`${password}?`), 49, scheme);
        t.is(renewals(), at, scheme);
        t.is(await bind(password), 0, scheme);
        // From now on it is one of ours.
        t.is(await bind(password), 0, scheme);
        t.is(await bind(`${password}?`), 49, scheme);
        t.is(renewals(), at + 1, scheme);
      }
    },
  );
}

withBoth('a person whose hash is another system’s signs in at the web page with the old password', async (t) => {
  await using atrium = await startTestAtrium();
  await addWith(atrium, 'old', makers['{CRYPT} of SHA-512']());
  const base = atrium.addresses.http ?? '';
  const screen = await openScreen(base);
  t.is((await submit(base, screen, 'old', 'horse')).status, 200);
  t.false(atrium.audit.some(({ action }) => action === 'directory.renewHash'));
  t.is((await submit(base, screen, 'old', password)).status, 303);
  const { door } = atrium.audit.find(({ action }) => action === 'directory.renewHash') ?? {};
  t.is(door, 'signin');
});
