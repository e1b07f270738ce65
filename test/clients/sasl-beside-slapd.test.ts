import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { type LdapTool, type LdapUtilsTarget, runLdapTool } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { startSlapd } from '../support/slapd.ts';

const slapdTest = withPrograms(test, 'ldapsearch', 'slapd');

const suffix = 'dc=example,dc=com';
const dn = (uid: string) => `uid=${uid},ou=people,${suffix}`;
const person = (uid: string, more = '') => `dn: ${dn(uid)}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
userPassword: Secret 1 of ${uid}
${more}
`;
const people = [person('ada'), person('alan'), person('grace', 'authzTo: dn.exact:uid=alan,ou=people,dc=example,dc=com\n')].join('');
const frame = `dn: ${suffix}
objectClass: domain
dc: example

dn: ou=people,${suffix}
objectClass: organizationalUnit
ou: people

`;

const policy = `dn: cn=default,ou=passwordPolicies,${suffix}
objectClass: stsPasswordPolicy
cn: default
stsScramMechanism: SCRAM-SHA-256
stsScramMechanism: SCRAM-SHA-1
`;

/** Names and passwords that a tool is given; the server's address is put in front. */
type As = Omit<LdapUtilsTarget, 'url' | 'caFile'>;
const simple = (uid: string, password = `Secret 1 of ${uid}`): As => ({ dn: dn(uid), password });
const sasl = (mechanism: string, authcId: string, more: As = {}): As => ({
  mechanism,
  authcId,
  password: `Secret 1 of ${authcId}`,
  ...more,
});
const onTls = ['-ZZ'];

/** Answered alike: the result code, and for success what was said. */
const cases: readonly (readonly [title: string, LdapTool, As, args: readonly string[], code: number])[] = [
  ['who am I, inside StartTLS', 'ldapwhoami', simple('ada'), onTls, 0],
  ['who am I, as nobody inside StartTLS', 'ldapwhoami', {}, onTls, 0],
  ['a wrong password', 'ldapwhoami', simple('ada', 'x'), [], 49],
  ['a name that nobody has', 'ldapwhoami', simple('nobody', 'x'), [], 49],
  ['a name and no password', 'ldapwhoami', simple('ada', ''), [], 53],
  ['a name that is none', 'ldapwhoami', { dn: 'ada', password: 'x' }, [], 34],
  ...(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-1'] as const).flatMap(
    (mechanism) =>
      [
        [mechanism, 'ldapwhoami', sasl(mechanism, 'ada'), onTls, 0],
        [`${mechanism}, a wrong password`, 'ldapwhoami', sasl(mechanism, 'ada', { password: 'x' }), onTls, 49],
        [`${mechanism} for oneself`, 'ldapwhoami', sasl(mechanism, 'ada', { authzId: 'u:ada' }), onTls, 0],
        [`${mechanism} for another`, 'ldapwhoami', sasl(mechanism, 'ada', { authzId: 'u:alan' }), onTls, 50],
        [`${mechanism} for another, by authzTo`, 'ldapwhoami', sasl(mechanism, 'grace', { authzId: `dn:${dn('alan')}` }), onTls, 0],
      ] as const,
  ),
  ['to act as another', 'ldapsearch', simple('ada'), ['-e', '!authzid=u:alan', '-b', dn('ada'), '1.1'], 123],
  ['to act as another, by authzTo', 'ldapwhoami', simple('grace'), ['-e', '!authzid=u:alan'], 0],
  ['to act as another, as nobody', 'ldapsearch', {}, ['-e', `!authzid=dn:${dn('alan')}`, '-b', dn('ada'), '1.1'], 123],
  ['a password, with a wrong old one', 'ldappasswd', simple('ada'), ['-a', 'x', '-s', 'new'], 53],
  ['a password, as nobody', 'ldappasswd', {}, ['-s', 'new', dn('ada')], 8],
  ['a password of another', 'ldappasswd', simple('ada'), ['-s', 'new', dn('alan')], 50],
  ['a password of nobody', 'ldappasswd', simple('ada'), ['-s', 'new', dn('nobody')], 32],
  ['one’s own password', 'ldappasswd', simple('alan'), ['-a', 'Secret 1 of alan', '-s', 'Secret 2 of alan'], 0],
  ['the new password', 'ldapwhoami', simple('alan', 'Secret 2 of alan'), [], 0],
  ['the old password', 'ldapwhoami', simple('alan'), [], 49],
  ['to cancel what is not there', 'ldapexop', simple('ada'), ['cancel', '77'], 119],
  ['to refresh what is not dynamic', 'ldapexop', simple('ada'), ['refresh', dn('ada'), '60'], 65],
  ['what nobody knows', 'ldapexop', simple('ada'), ['1.2.3.4'], 2],
];

/** The result code that a tool ended with, or that stands in what it printed. */
function codeOf({ status, stdout, stderr }: Awaited<ReturnType<typeof runLdapTool>>): number {
  if (status === 0) return 0;
  const [, printed] = /\((\d+)\)/.exec(`${stdout}${stderr}`) ?? [];
  return Number(printed ?? status);
}

slapdTest('StartTLS, SASL, acting as others and extended operations are answered as slapd answers them', async (t) => {
  t.timeout(180_000);
  await using atrium = await startTestAtrium({
    settings: {
      STS_REALMS_DEFAULT_SUFFIX: suffix,
      STS_SECURITY_SCRAM_ITERATIONS: '4096',
      // slapd limits nobody, and what is compared fails often.
      STS_SECURITY_RATE_PER_IDENTITY: '1000',
      STS_SECURITY_RATE_PER_ADDRESS: '1000',
    },
  });
  const operators = { url: atrium.addresses.operators ?? '', external: true } as const;
  for (const ldif of [policy, people]) t.is((await runLdapTool('ldapadd', operators, [], ldif)).stderr, '');
  const tls = join(atrium.dataDir, 'tls');
  await using slapd = await startSlapd({
    suffix,
    content: frame + people,
    global: [
      'moduleload dds',
      `TLSCertificateFile ${join(tls, 'server.pem')}`,
      `TLSCertificateKeyFile ${join(tls, 'server.key')}`,
      `TLSCACertificateFile ${join(tls, 'ca.pem')}`,
      'authz-policy to',
      `authz-regexp "uid=([^,]*),(cn=[^,]*,)*cn=auth" "uid=$1,ou=people,${suffix}"`,
      'sasl-secprops none',
      'password-hash {CLEARTEXT}',
    ],
    database: ['overlay dds', 'access to attrs=userPassword by self write by anonymous auth by * none', 'access to * by * read'],
  });
  const caFile = join(tls, 'ca.pem');
  for (const [title, tool, as, args, code] of cases) {
    const ours = await runLdapTool(tool, { ...as, url: atrium.addresses.ldap ?? '', caFile }, args);
    const theirs = await runLdapTool(tool, { ...as, url: slapd.root.url, caFile }, args);
    t.deepEqual([codeOf(ours), codeOf(theirs)], [code, code], `${title}: ${ours.stderr}; slapd: ${theirs.stderr}`);
    if (tool === 'ldapwhoami' && code === 0) t.is(ours.stdout, theirs.stdout, title);
  }
});
