import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, type TestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli } from '../support/cli.ts';
import { type LdapUtilsTarget, runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const password = 'Correct-horse-7';
/** Of people who have had their password since long ago: an import brings the time with it. */
const since = 'pwdChangedTime: 20200101000000Z\n';

/** Whole seconds, as an entry has them. */
const hourAgo = () => `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;

const asAdmin = (atrium: TestAtrium): LdapUtilsTarget => ({
  url: atrium.addresses.ldap ?? '',
  dn: atrium.adminDn,
  password: atrium.adminPassword,
});
const named = (atrium: TestAtrium, uid: string) => `uid=${uid},ou=people,${atrium.suffix}`;
const as = (atrium: TestAtrium, uid: string, given = password): LdapUtilsTarget => ({
  url: atrium.addresses.ldap ?? '',
  dn: named(atrium, uid),
  password: given,
});

async function open(t: ExecutionContext, workers: string, policy: string, people: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-ppolicy-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'common'), 'Password-2026!\n');
  const atrium = await startTestAtrium({
    dataDir: join(folder, 'data'),
    settings: {
      STS_LDAP_WORKERS: workers,
      STS_SECURITY_RATE_PER_IDENTITY: '1000',
      STS_SECURITY_RATE_PER_ADDRESS: '1000',
      STS_SECURITY_COMMON_PASSWORDS_FILE: join(folder, 'common'),
    },
  });
  t.teardown(() => atrium.stop());
  const records = Object.entries(people).map(
    ([uid, more]) =>
      `dn: ${named(atrium, uid)}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\nuserPassword: ${password}\n${more}\n`,
  );
  const imported = await runCli(['import', '-'], testEnvironment(atrium.dataDir), records.join(''));
  t.is(imported.status, 0, imported.stderr);
  const entry = `dn: cn=default,ou=passwordPolicies,${atrium.suffix}\nobjectClass: stsPasswordPolicy\ncn: default\n${policy}`;
  const added = await runLdapTool('ldapadd', asAdmin(atrium), [], entry);
  t.is(added.status, 0, added.stderr);
  return atrium;
}

const whoAmI = async (target: LdapUtilsTarget) => {
  const { status, stdout, stderr } = await runLdapTool('ldapwhoami', target, ['-e', 'ppolicy']);
  return { status, said: `${stdout}${stderr}` };
};

for (const workers of ['0', '2']) {
  withLdapUtils(test)(
    `ldapwhoami -e ppolicy: grace, expired, expiring and reset, as ldap-utils say it, with ${workers} threads beside the main one`,
    async (t) => {
      const policy = 'pwdMaxAge: 86400\npwdExpireWarning: 86000\npwdGraceAuthNLimit: 2\n';
      const people = { old: since, reset: 'pwdReset: TRUE\n', fresh: '', soon: `pwdChangedTime: ${hourAgo()}\n` };
      const atrium = await open(t, workers, policy, people);
      const first = await whoAmI(as(atrium, 'old'));
      t.is(first.status, 0);
      t.regex(first.said, /grace/i);
      t.regex((await whoAmI(as(atrium, 'old'))).said, /grace/i);
      const expired = await whoAmI(as(atrium, 'old'));
      t.is(expired.status, 49);
      t.regex(expired.said, /Password expired/);
      t.is((await atrium.recorded(({ errorCode }) => errorCode === 'STS-AUTHN-9440')).subject, named(atrium, 'old'));
      const wrong = await whoAmI(as(atrium, 'old', 'wrong'));
      t.is(wrong.status, 49);
      t.notRegex(wrong.said, /expired/);

      const reset = await whoAmI(as(atrium, 'reset'));
      t.is(reset.status, 49);
      t.regex(reset.said, /Password must be changed/);

      // Came without a time: it does not expire before it is set once more.
      t.notRegex((await whoAmI(as(atrium, 'fresh'))).said, /expire|grace/i);
      const set = await runLdapTool('ldappasswd', as(atrium, 'fresh'), ['-a', password, '-s', 'Correct-horse-8']);
      t.is(set.status, 0, set.stderr);
      t.is((await whoAmI(as(atrium, 'fresh', 'Correct-horse-8'))).status, 0);

      const expiring = await whoAmI(as(atrium, 'soon'));
      t.is(expiring.status, 0);
      t.regex(expiring.said, /expires? in 8[12]\d{3}/i, expiring.said);
      const silent = await runLdapTool('ldapwhoami', as(atrium, 'soon'), []);
      t.notRegex(silent.stdout + silent.stderr, /expire/i);

      // Who manages people sets another, and it is good at once.
      t.is((await runLdapTool('ldappasswd', asAdmin(atrium), ['-s', 'Correct-horse-9', named(atrium, 'old')])).status, 0);
      t.is((await whoAmI(as(atrium, 'old', 'Correct-horse-9'))).status, 0);
    },
  );

  withLdapUtils(test)(
    `the policy holds in ldapadd, ldapmodify, ldappasswd and a transaction; what it refuses is not done, with ${workers} threads beside the main one`,
    async (t) => {
      const atrium = await open(t, workers, 'pwdMinAge: 86400\n', { ann: '' });
      const admin = asAdmin(atrium);
      const replace = (value: string) =>
        `dn: ${named(atrium, 'ann')}\nchangetype: modify\nreplace: title\ntitle: ${value.length}\n-\nreplace: userPassword\nuserPassword: ${value}\n`;
      const weak = ['short', 'correct-horse-7', 'Password-2026!', 'PASSWORD-2026!'];
      for (const value of weak) {
        t.is((await runLdapTool('ldapmodify', admin, [], replace(value))).status, 19, value);
        const set = await runLdapTool('ldappasswd', admin, ['-s', value, named(atrium, 'ann')]);
        t.regex(set.stdout + set.stderr, /Constraint violation \(19\)/, value);
        const person = `dn: ${named(atrium, 'bob')}\nobjectClass: inetOrgPerson\nuid: bob\ncn: b\nsn: b\nuserPassword: ${value}\n`;
        t.is((await runLdapTool('ldapadd', admin, [], person)).status, 19, value);
        const both = `dn: ${named(atrium, 'ann')}\nchangetype: modify\nreplace: title\ntitle: x\n\n${replace(value)}`;
        const ended = await runLdapTool('ldapmodify', admin, ['-E', '!txn=commit'], both);
        t.not(ended.status, 0, value);
      }
      const { stdout } = await runLdapTool('ldapsearch', admin, ['-LLL', '-b', atrium.suffix, '(|(uid=bob)(title=*))', 'uid', 'title']);
      t.is(stdout.trim(), '', 'nothing of it was done');
      t.is((await whoAmI(as(atrium, 'ann'))).status, 0);
      const good = await runLdapTool('ldapmodify', admin, ['-E', '!txn=commit'], replace('Correct-horse-8'));
      t.is(good.status, 0, good.stderr);
      t.is((await whoAmI(as(atrium, 'ann', 'Correct-horse-8'))).status, 0);
      const own = await runLdapTool('ldappasswd', as(atrium, 'ann', 'Correct-horse-8'), ['-a', 'Correct-horse-8', '-s', 'Correct-horse-9']);
      t.regex(own.stdout + own.stderr, /Constraint violation \(19\)[\s\S]*may be changed again in 24 hours/);
      // Without a new one the directory makes one that keeps the policy, and says it.
      const made = await runLdapTool('ldappasswd', admin, [named(atrium, 'ann')]);
      const [, generated = ''] = /^New password: (\S+)$/m.exec(made.stdout) ?? [];
      t.is((await whoAmI(as(atrium, 'ann', generated))).status, 0, made.stdout);
    },
  );
}
