import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium, type TestAtrium } from '../support/atrium.ts';
import { type LdapUtilsTarget, runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

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
userPassword: analytical, engine=1

dn: uid=alan,ou=people,${suffix}
objectClass: inetOrgPerson
uid: alan
cn: Alan Turing
sn: Turing
mail: alan@example.com
userPassword: bombe
`;

interface Served {
  readonly atrium: TestAtrium;
  readonly operators: LdapUtilsTarget;
  readonly tls: LdapUtilsTarget;
  readonly ldap: LdapUtilsTarget;
}

async function serve(settings: Readonly<Record<string, string>> = {}): Promise<Served> {
  const atrium = await startTestAtrium({ settings: { STS_SECURITY_SCRAM_ITERATIONS: '4096', ...settings } });
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
    const as = { mechanism, password: 'analytical, engine=1' };
    for (const authcId of ['ada', 'ADA', 'u:ada', `dn:${dn}`]) t.is(await whoAmI({ ...tls, ...as, authcId }), `dn:${dn}`, authcId);
    t.is(await whoAmI({ ...ldap, ...as, authcId: 'ada' }, '-ZZ'), `dn:${dn}`);
    t.is(await whoAmI({ ...tls, ...as, authcId: 'ada', password: 'difference' }), 49);
    t.is(await whoAmI({ ...tls, ...as, authcId: 'nobody' }), 49);
  });
}
