import { execFileSync } from 'node:child_process';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { findProgram, type Program, withPrograms } from '../support/programs.ts';
import { openScreen, submit } from './raw.ts';

const password = 'an older horse';
const run = (command: Program | '/usr/sbin/slappasswd', args: readonly string[], input = '') =>
  execFileSync(command === '/usr/sbin/slappasswd' ? command : (findProgram(command) ?? command), args, { encoding: 'utf8', input }).trim();

const slappasswd = (scheme: string, module?: string) => () =>
  run('/usr/sbin/slappasswd', [
    ...(module === undefined ? [] : ['-o', 'module-path=/usr/lib/ldap', '-o', `module-load=${module}`]),
    ...['-h', scheme, '-s', password],
  ]);
const mkpasswd =
  (method: string, ...more: readonly string[]) =>
  () =>
    `{CRYPT}${run('mkpasswd', ['-m', method, ...more, password])}`;
const pwdhash = (scheme: string) => () => run('pwdhash', ['-s', scheme, password]);
const argon2 = (kind: string) => () => `{ARGON2}${run('argon2', ['somesalt', kind, '-e', '-t', '2', '-m', '12', '-p', '1'], password)}`;

/** Made by others, each in its own way: by the program, what it makes. */
const makers: readonly (readonly [program: Program, scheme: string, make: () => string])[] = [
  ...['{SHA}', '{SSHA}'].map((scheme) => ['slapd', scheme, slappasswd(scheme)] as const),
  ...['{SHA256}', '{SSHA256}', '{SHA384}', '{SSHA384}', '{SHA512}', '{SSHA512}'].map(
    (scheme) => ['slapd', scheme, slappasswd(scheme, 'pw-sha2')] as const,
  ),
  ['slapd', '{CRYPT}', () => run('/usr/sbin/slappasswd', ['-h', '{CRYPT}', '-c', '$6$%.16s', '-s', password])],
  ['slapd', '{ARGON2}', slappasswd('{ARGON2}', 'argon2')],
  ...['{PBKDF2}', '{PBKDF2-SHA1}', '{PBKDF2-SHA256}', '{PBKDF2-SHA512}'].map(
    (scheme) => ['pw-pbkdf2', scheme, slappasswd(scheme, 'pw-pbkdf2')] as const,
  ),
  ['openssl', '{CRYPT}$5$', () => `{CRYPT}${run('openssl', ['passwd', '-5', password])}`],
  ['openssl', '{CRYPT}$6$', () => `{CRYPT}${run('openssl', ['passwd', '-6', password])}`],
  ['mkpasswd', '{CRYPT}$5$', mkpasswd('sha256crypt')],
  ['mkpasswd', '{CRYPT}$6$', mkpasswd('sha512crypt', '-R', '77777')],
  ['mkpasswd', '{CRYPT}$2b$', mkpasswd('bcrypt', '-R', '6')],
  ['mkpasswd', '{CRYPT}$2a$', mkpasswd('bcrypt-a', '-R', '6')],
  ['mkpasswd', '{CRYPT}$7$', mkpasswd('scrypt')],
  ['argon2', '{ARGON2} with Argon2i', argon2('-i')],
  ['argon2', '{ARGON2} with Argon2d', argon2('-d')],
  ['argon2', '{ARGON2} with Argon2id', argon2('-id')],
  ...['SSHA', 'SSHA256', 'SSHA384', 'SSHA512', 'PBKDF2_SHA256', 'CRYPT-SHA256', 'CRYPT-SHA512'].map(
    (scheme) => ['pwdhash', `{${scheme}} of 389 Directory Server`, pwdhash(scheme)] as const,
  ),
];

/** Only an import brings these. */
const broken: typeof makers = [
  ['slapd', '{MD5}', slappasswd('{MD5}')],
  ['slapd', '{SMD5}', slappasswd('{SMD5}')],
  ['pwdhash', '{SMD5} of 389 Directory Server', pwdhash('SMD5')],
];

const add = (atrium: TestAtrium, uid: string, hash: string, ...args: string[]) => {
  const dn = `uid=${uid},ou=people,${atrium.suffix}`;
  const entry = [`dn: ${dn}`, 'objectClass: inetOrgPerson', `uid: ${uid}`, `cn: ${uid}`, `sn: ${uid}`, `userPassword: ${hash}`, ''];
  const administrator = { url: atrium.addresses.ldap ?? '', dn: atrium.adminDn, password: atrium.adminPassword };
  return runLdapTool('ldapadd', administrator, args, entry.join('\n'));
};

async function addWith(atrium: TestAtrium, uid: string, hash: string): Promise<string> {
  // Whoever brings a hash says so.
  const { status, stderr } = await add(atrium, uid, hash, '-e', '!relax');
  if (status !== 0) throw new Error(`${hash}: ${stderr}`);
  return `uid=${uid},ou=people,${atrium.suffix}`;
}

async function bindsAndIsReplaced(t: ExecutionContext, atrium: TestAtrium, dn: string, scheme: string) {
  const url = atrium.addresses.ldap ?? '';
  const renewals = () => atrium.audit.filter(({ action, summary }) => action === 'directory.renewHash' && summary.includes(dn)).length;
  const bind = async (given: string) => (await runLdapTool('ldapwhoami', { url, dn, password: given }, [])).status;
  t.is(await bind(`${password}?`), 49, scheme);
  t.is(renewals(), 0, scheme);
  t.is(await bind(password), 0, scheme);
  t.is(renewals(), 1, scheme);
  // From now on it is one of ours.
  t.is(await bind(password), 0, scheme);
  t.is(renewals(), 1, scheme);
}

const withBoth = withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd', 'openssl');
const all =
  withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd', 'pw-pbkdf2', 'openssl', 'mkpasswd', 'argon2', 'pwdhash');
const limits = { STS_SECURITY_RATE_PER_IDENTITY: '100', STS_SECURITY_RATE_PER_ADDRESS: '1000' };

all(
  'a person of every scheme, each hash made by a real program, binds with the old password and no other, and is kept by scrypt from then on',
  async (t) => {
    await using atrium = await startTestAtrium({ settings: limits });
    t.true(makers.length > 30);
    for (const [at, [program, scheme, make]] of makers.entries())
      await bindsAndIsReplaced(t, atrium, await addWith(atrium, `old${at}`, make()), `${scheme} by ${program}`);
  },
);

withBoth('people whose hashes others made bind alike where threads serve LDAP', async (t) => {
  await using atrium = await startTestAtrium({ settings: { ...limits, STS_LDAP_WORKERS: '2' } });
  const some = makers.filter(([program, scheme]) => program === 'openssl' || ['{SSHA}', '{ARGON2}'].includes(scheme));
  t.is(some.length, 4);
  for (const [at, [, scheme, make]] of some.entries())
    await bindsAndIsReplaced(t, atrium, await addWith(atrium, `old${at}`, make()), scheme);
});

all('what nobody here can judge, or costs too much, is refused when it is brought, with words', async (t) => {
  await using atrium = await startTestAtrium();
  const refusals: readonly (readonly [hash: string, words: RegExp])[] = [
    [mkpasswd('yescrypt')(), /cannot be verified here/],
    [mkpasswd('descrypt')(), /cannot be verified here/],
    [mkpasswd('md5crypt')(), /cannot be verified here/],
    [mkpasswd('bcrypt', '-R', '14')(), /asks for more work/],
    [`{ARGON2}${run('argon2', ['somesalt', '-id', '-e', '-t', '1', '-k', '1048576', '-p', '1'], password)}`, /asks for more work/],
    ...broken.map(([, , make]) => [make(), /only come by an import/] as const),
  ];
  for (const [hash, words] of refusals) {
    const { status, stderr } = await add(atrium, 'old', hash, '-e', '!relax');
    t.is(status, 19, hash);
    t.regex(stderr, words, hash);
  }
  const { status, stderr } = await add(atrium, 'old', slappasswd('{SSHA}')());
  t.is(status, 19);
  t.regex(stderr, /by an administrator only, with the relax control/);
});

withBoth('a person whose hash is another system’s signs in at the web page with the old password', async (t) => {
  await using atrium = await startTestAtrium();
  await addWith(atrium, 'old', `{CRYPT}${run('openssl', ['passwd', '-6', password])}`);
  const base = atrium.addresses.http ?? '';
  const screen = await openScreen(base);
  t.is((await submit(base, screen, 'old', 'horse')).status, 200);
  t.false(atrium.audit.some(({ action }) => action === 'directory.renewHash'));
  t.is((await submit(base, screen, 'old', password)).status, 303);
  const { door } = atrium.audit.find(({ action }) => action === 'directory.renewHash') ?? {};
  t.is(door, 'signin');
});
