import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runLdapTool } from '../support/ldap-utils.ts';
import { startSlapd } from '../support/slapd.ts';
import { written } from './support.ts';

/** The suffix there. */
export const old = 'dc=old,dc=example';
const people = `ou=people,${old}`;
const run = (command: string, args: readonly string[]) => execFileSync(command, args, { encoding: 'utf8' }).trim();
const slappasswd = (scheme: string, password: string) =>
  run('/usr/sbin/slappasswd', ['-o', 'module-path=/usr/lib/ldap', '-o', 'module-load=pw-sha2', '-h', scheme, '-s', password]);

const ownSchema = `attributetype ( 1.3.6.1.4.1.99999.1.1 NAME 'exampleBadge' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1.2 NAME 'exampleUnused' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
objectclass ( 1.3.6.1.4.1.99999.2.1 NAME 'exampleBadgeHolder' SUP top AUXILIARY MAY exampleBadge )
`;

const frame = `dn: ${old}
objectClass: dcObject
objectClass: organization
dc: old
o: Old Example

dn: ${people}
objectClass: organizationalUnit
ou: people
description: all of them

dn: ou=policies,${old}
objectClass: organizationalUnit
ou: policies

dn: cn=default,ou=policies,${old}
objectClass: organizationalRole
objectClass: pwdPolicy
cn: default
pwdAttribute: userPassword
pwdMaxFailure: 3
pwdLockout: TRUE
pwdInHistory: 3
`;

const person = (uid: string, ...more: string[]) =>
  `dn: uid=${uid},${people}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\n${more.join('\n')}\n`;

const others = () => [
  person(
    'carl',
    'objectClass: posixAccount',
    'uidNumber: 1001',
    'gidNumber: 1001',
    'homeDirectory: /home/carl',
    `userPassword: {CRYPT}${run('openssl', ['passwd', '-6', 'crypt horse'])}`,
  ),
  person(
    'ada',
    'objectClass: exampleBadgeHolder',
    'exampleBadge: B-1815',
    'cn;lang-fr: la Comtesse',
    `manager: uid=carl,${people}`,
    `userPassword: ${slappasswd('{SSHA}', 'ssha horse')}`,
  ),
  person('emmy', `userPassword: ${slappasswd('{SSHA512}', 'sha horse')}`),
  person('max', `userPassword: ${slappasswd('{SMD5}', 'md5 horse')}`),
  `dn: ou=groups,${old}\nobjectClass: organizationalUnit\nou: groups\n`,
  `dn: cn=staff,ou=groups,${old}\nobjectClass: groupOfNames\ncn: staff\nmember: uid=ada,${people}\nmember: uid=carl,${people}\n`,
  `dn: cn=unix,ou=groups,${old}\nobjectClass: posixGroup\ncn: unix\ngidNumber: 1001\nmemberUid: carl\n`,
  `dn: cn=alias,ou=groups,${old}\nobjectClass: alias\nobjectClass: extensibleObject\ncn: alias\naliasedObjectName: cn=staff,ou=groups,${old}\n`,
  `dn: ou=far,${old}\nobjectClass: referral\nobjectClass: extensibleObject\nou: far\nref: ldap://other.example/ou=far,${old}\n`,
];

export interface Slapcat {
  readonly tree: string;
  readonly config: string;
}

/** What `slapcat` writes of a slapd with ppolicy, memberof and three schemes of hashes, after some have tried to sign in. */
export async function slapcat(folder: string): Promise<Slapcat> {
  const schema = written(folder, 'own.schema', ownSchema);
  await using slapd = await startSlapd({
    suffix: old,
    content: frame,
    global: [`include ${schema}`, 'moduleload ppolicy', 'moduleload memberof', 'moduleload pw-sha2'],
    database: [
      'access to attrs=userPassword by self write by anonymous auth by * none',
      'access to * by users read',
      'overlay ppolicy',
      `ppolicy_default cn=default,ou=policies,${old}`,
      'overlay memberof',
    ],
  });
  const { url } = slapd.root;
  const ran = await runLdapTool('ldapadd', slapd.root, ['-M'], others().join('\n'));
  if (ran.status !== 0) throw new Error(ran.stderr);
  for (const uid of ['max', 'max', 'max', 'ada'])
    await runLdapTool('ldapwhoami', { url, dn: `uid=${uid},${people}`, password: 'wrong' }, []);
  await runLdapTool('ldappasswd', slapd.root, ['-s', 'new sha horse', `uid=emmy,${people}`]);
  // An entry that was moved stands in front of what it is below.
  await runLdapTool('ldapadd', slapd.root, [], `dn: ou=later,${people}\nobjectClass: organizationalUnit\nou: later\n`);
  await runLdapTool('ldapmodrdn', slapd.root, ['-s', `ou=later,${people}`, `uid=carl,${people}`, 'uid=carl']);
  await runLdapTool('ldapmodrdn', slapd.root, ['-s', people, `uid=carl,ou=later,${people}`, 'uid=carl']);
  await runLdapTool('ldapadd', slapd.root, [], person('moved'));
  await runLdapTool('ldapadd', slapd.root, [], `dn: ou=last,${people}\nobjectClass: organizationalUnit\nou: last\n`);
  await runLdapTool('ldapmodrdn', slapd.root, ['-s', `ou=last,${people}`, `uid=moved,${people}`, 'uid=moved']);
  const quiet: ExecFileSyncOptionsWithStringEncoding = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
  const configured = join(folder, 'slapd.d');
  mkdirSync(configured);
  // It writes the configuration, and then complains that the database is in use.
  spawnSync('/usr/sbin/slaptest', ['-f', slapd.config, '-F', configured]);
  return {
    tree: execFileSync('/usr/sbin/slapcat', ['-f', slapd.config], quiet),
    config: execFileSync('/usr/sbin/slapcat', ['-F', configured, '-n', '0'], quiet),
  };
}
