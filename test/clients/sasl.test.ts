import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { type LdapUtilsTarget, runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { folderOf } from '../support/listener.ts';
import { withPrograms } from '../support/programs.ts';

const ldapTest = withLdapUtils(test);

const policy = (suffix: string) => `dn: cn=default,ou=passwordPolicies,${suffix}
objectClass: stsPasswordPolicy
cn: default
stsScramMechanism: SCRAM-SHA-256
stsScramMechanism: SCRAM-SHA-1
`;

const people = (suffix: string) => `dn: uid=ada,ou=people,${suffix}
objectClass: inetOrgPerson
uid: ada
cn: Ada Lovelace
sn: Lovelace
mail: ada@example.com
userPassword: Analytical, engine=1

dn: uid=alan,ou=people,${suffix}
objectClass: inetOrgPerson
uid: alan
cn: Alan Turing
sn: Turing
mail: alan@example.com
userPassword: Bombe, 1940 and on
`;

interface Served {
  readonly atrium: TestAtrium;
  readonly operators: LdapUtilsTarget;
  readonly tls: LdapUtilsTarget;
  readonly ldap: LdapUtilsTarget;
}

/** With the iterations of SCRAM as they come: clients have a limit to what they compute. */
async function serve(settings: Readonly<Record<string, string>> = {}): Promise<Served> {
  const atrium = await startTestAtrium({ settings });
  const operators = { url: atrium.addresses.operators ?? '', external: true } as const;
  const caFile = join(atrium.dataDir, 'tls/ca.pem');
  for (const ldif of [policy(atrium.suffix), people(atrium.suffix)]) {
    const { status, stderr } = await runLdapTool('ldapadd', operators, [], ldif);
    if (status !== 0) throw new Error(stderr);
  }
  return { atrium, operators, tls: { url: atrium.addresses.ldaps ?? '', caFile }, ldap: { url: atrium.addresses.ldap ?? '', caFile } };
}

async function whoAmI(target: LdapUtilsTarget, ...args: string[]): Promise<string | number> {
  const { status, stdout } = await runLdapTool('ldapwhoami', target, args);
  return status === 0 ? stdout.trim() : status;
}

for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-1']) {
  ldapTest(`${mechanism}: ldapwhoami binds by uid and by name over ldaps and StartTLS, and wrong and unknown are 49`, async (t) => {
    const { atrium, tls, ldap } = await serve();
    await using _ = atrium;
    const dn = `uid=ada,ou=people,${atrium.suffix}`;
    const as = { mechanism, password: 'Analytical, engine=1' };
    for (const authcId of ['ada', 'ADA', 'u:ada', `dn:${dn}`]) t.is(await whoAmI({ ...tls, ...as, authcId }), `dn:${dn}`, authcId);
    t.is(await whoAmI({ ...ldap, ...as, authcId: 'ada' }, '-ZZ'), `dn:${dn}`);
    t.is(await whoAmI({ ...tls, ...as, authcId: 'ada', password: 'difference' }), 49);
    t.is(await whoAmI({ ...tls, ...as, authcId: 'nobody' }), 49);
  });
}

interface Shown {
  readonly certFile: string;
  readonly keyFile: string;
}

/** An authority of people's certificates in a folder, and certificates that it signs: `openssl` makes them. */
function authority(t: ExecutionContext) {
  const folder = folderOf(t);
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=People', '-days', '30');
  return {
    caFile: join(folder, 'ca.pem'),
    sign(name: string, subject: string, extension?: string, days = '20'): Shown {
      openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
      writeFileSync(
        join(folder, `${name}.ext`),
        `extendedKeyUsage=clientAuth\n${extension === undefined ? '' : `subjectAltName=${extension}\n`}`,
      );
      const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', days, '-extfile', `${name}.ext`];
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed);
      return { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) };
    },
  };
}

const certTest = withPrograms(test, 'ldapsearch', 'openssl');

certTest('EXTERNAL: a client certificate is the person whom the rule takes it for, over ldaps and StartTLS, and nobody else', async (t) => {
  const { caFile, sign } = authority(t);
  const strange = authority(t);
  const dn = (uid: string) => `uid=${uid},ou=people,dc=example,dc=com`;
  const subject = '/DC=com/DC=example/OU=people/UID=ada';
  const ada = sign('ada', subject, 'DNS:x,email:ada@example.com');
  const alan = sign('alan', '/CN=Alan/emailAddress=alan@example.com/UID=alan');
  const nobody = sign('nobody', '/DC=com/DC=example/OU=people/UID=nobody', 'email:nobody@example.com');
  const cases: readonly [rule: string, Shown, who: string | number][] = [
    ['subject', ada, `dn:${dn('ada')}`],
    ['subject', alan, 49],
    ['subject', nobody, 49],
    ['mail', ada, `dn:${dn('ada')}`],
    ['mail', alan, `dn:${dn('alan')}`],
    ['mail', nobody, 49],
    ['uid', alan, `dn:${dn('alan')}`],
    ['uid', nobody, 49],
  ];
  for (const rule of ['subject', 'mail', 'uid', 'off']) {
    const { atrium, tls, ldap, operators } = await serve({ STS_LDAP_CLIENT_CA_FILE: caFile, STS_LDAP_CLIENT_CERTIFICATE_RULE: rule });
    await using _ = atrium;
    for (const [of, shown, who] of cases) {
      if (of !== rule) continue;
      t.is(await whoAmI({ ...tls, ...shown, external: true }), who, `${rule} ${shown.certFile}`);
      t.is(await whoAmI({ ...ldap, ...shown, external: true }, '-ZZ'), who, `${rule} ${shown.certFile} by StartTLS`);
    }
    const listed = async (shown: object) => {
      const { stdout } = await runLdapTool('ldapsearch', { ...tls, ...shown }, ['-LLL', '-b', '', '-s', 'base', 'supportedSASLMechanisms']);
      return stdout.includes('EXTERNAL');
    };
    t.deepEqual([await listed({}), await listed(ada)], [false, rule !== 'off']);
    // Vouched for by nobody we know: served as one without a certificate.
    const forged = strange.sign('ada', subject, 'email:ada@example.com');
    t.is(typeof (await whoAmI({ ...tls, ...forged, external: true })), 'number');
    t.is(await whoAmI({ ...tls, ...forged }), 'anonymous');
    if (rule !== 'mail') continue;
    await runLdapTool('ldapmodify', operators, [], `dn: ${dn('ada')}\nchangetype: modify\nadd: authzTo\nauthzTo: u:alan\n`);
    t.is(await whoAmI({ ...tls, ...ada, external: true, authzId: 'u:alan' }), `dn:${dn('alan')}`);
    t.is(await whoAmI({ ...tls, ...alan, external: true, authzId: 'u:ada' }), 50);
    await runLdapTool(
      'ldapmodify',
      operators,
      [],
      `dn: ${dn('ada')}\nchangetype: modify\nadd: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z\n`,
    );
    t.is(await whoAmI({ ...tls, ...ada, external: true }), 49, 'disabled');
    t.is((await runLdapTool('ldapdelete', operators, ['cn=names and numbers,ou=policies,dc=example,dc=com'])).status, 0);
    await runLdapTool('ldapmodify', operators, [], `dn: ${dn('ada')}\nchangetype: modify\nreplace: mail\nmail: alan@example.com\n`);
    t.is(await whoAmI({ ...tls, ...alan, external: true }), 49, 'an address that two have names nobody');
  }
});

certTest('STS-TLS-9002: a file of authorities that cannot be read, or holds none, stops the start', async (t) => {
  const { caFile, sign } = authority(t);
  const leaf = sign('ada', '/CN=Ada').certFile;
  for (const file of ['/nonexistent', join(import.meta.dirname, 'sasl.test.ts'), leaf]) {
    const error = await t.throwsAsync(startTestAtrium({ settings: { STS_LDAP_CLIENT_CA_FILE: file } }));
    t.regex(error?.message ?? '', /STS-TLS-9002/, file);
  }
  await using atrium = await startTestAtrium({ settings: { STS_LDAP_CLIENT_CA_FILE: caFile } });
  t.truthy(atrium.addresses.ldaps);
});

ldapTest(
  'the operators act as anybody by EXTERNAL with an authorization identity, and -e authzid does the same for a request',
  async (t) => {
    const { atrium, operators, tls } = await serve();
    await using _ = atrium;
    const dn = `uid=ada,ou=people,${atrium.suffix}`;
    t.is(await whoAmI({ ...operators, authzId: 'u:ada' }), `dn:${dn}`);
    t.is(await whoAmI({ ...operators, authzId: `dn:${dn}` }), `dn:${dn}`);
    t.is(await whoAmI({ ...operators, authzId: 'u:nobody' }), 50);
    t.is(await whoAmI(operators, '-e', `!authzid=dn:${dn}`), `dn:${dn}`);
    const ada = { ...tls, dn, password: 'Analytical, engine=1' };
    const searched = await runLdapTool('ldapsearch', ada, ['-e', '!authzid=u:alan', '-b', dn]);
    t.is(searched.status, 123);
    t.is(await whoAmI({ ...tls, mechanism: 'SCRAM-SHA-256', authcId: 'ada', password: 'Analytical, engine=1', authzId: 'u:alan' }), 50);
    await runLdapTool('ldapmodify', operators, [], `dn: ${dn}\nchangetype: modify\nadd: authzTo\nauthzTo: u:alan\n`);
    const alan = `dn:uid=alan,ou=people,${atrium.suffix}`;
    t.is(await whoAmI(ada, '-e', '!authzid=u:alan'), alan);
    for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-1'])
      t.is(await whoAmI({ ...tls, mechanism, authcId: 'ada', password: 'Analytical, engine=1', authzId: 'u:alan' }), alan, mechanism);
  },
);

ldapTest('StartTLS, SCRAM, PLAIN and who acts for whom hold at every thread', async (t) => {
  const { atrium, tls, ldap } = await serve({ STS_LDAP_WORKERS: '2' });
  await using _ = atrium;
  const as = { authcId: 'ada', password: 'Analytical, engine=1' };
  const dn = `dn:uid=ada,ou=people,${atrium.suffix}`;
  // The system spreads connections over the threads by chance: of so many each has some.
  for (let count = 0; count < 6; count++) {
    const shown = await Promise.all([
      whoAmI({ ...tls, ...as, mechanism: 'SCRAM-SHA-256' }),
      whoAmI({ ...ldap, ...as, mechanism: 'SCRAM-SHA-1' }, '-ZZ'),
      whoAmI({ ...ldap, ...as, mechanism: 'PLAIN' }, '-ZZ'),
    ]);
    t.deepEqual(shown, [dn, dn, dn]);
  }
});

ldapTest(
  'ldappasswd sets one’s own password and others’, and a generated one is printed; ldapexop asks who one is and meets what is unknown',
  async (t) => {
    const { atrium, tls, operators } = await serve();
    await using _ = atrium;
    const dn = `uid=ada,ou=people,${atrium.suffix}`;
    const ada = { ...tls, dn, password: 'Analytical, engine=1' };
    t.is((await runLdapTool('ldappasswd', ada, ['-a', 'difference', '-s', 'new'])).status, 1);
    t.is((await runLdapTool('ldappasswd', ada, ['-a', 'Analytical, engine=1', '-s', 'Engine 2 of London'])).status, 0);
    t.is(await whoAmI({ ...ada, password: 'Engine 2 of London' }), `dn:${dn}`);
    t.is(
      await whoAmI({ ...tls, mechanism: 'SCRAM-SHA-256', authcId: 'ada', password: 'Engine 2 of London' }),
      `dn:${dn}`,
      'its verifiers are new, too',
    );
    t.is(await whoAmI({ ...tls, mechanism: 'SCRAM-SHA-1', authcId: 'ada', password: 'Analytical, engine=1' }), 49);
    const { status, stdout } = await runLdapTool('ldappasswd', operators, [dn]);
    const [, password = ''] = /^New password: (.+)$/m.exec(stdout) ?? [];
    t.is(status, 0);
    t.is(await whoAmI({ ...ada, password }), `dn:${dn}`);
    t.regex((await runLdapTool('ldapexop', operators, ['whoami'])).stdout, /u:operator/);
    const said = async (...args: string[]) => Object.values(await runLdapTool('ldapexop', operators, args)).join(' ');
    t.regex(await said('1.2.3.4'), /\(2\)/);
    t.regex(await said('cancel', '77'), /\(119\)/);
  },
);
