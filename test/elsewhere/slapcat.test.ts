import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openScreen, submit } from '../flows/raw.ts';
import { testEnvironment } from '../support/atrium.ts';
import { startCli } from '../support/cli.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { withPrograms } from '../support/programs.ts';
import { startSlapd } from '../support/slapd.ts';
import { bring, brought, contents, folderFor, noteOf, signIn, started, suffix, written } from './support.ts';

const old = 'dc=old,dc=example';
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

interface Slapcat {
  readonly tree: string;
  readonly config: string;
}

/** What `slapcat` writes of a slapd with ppolicy, memberof and three schemes of hashes, after some have tried to sign in. */
async function slapcat(folder: string): Promise<Slapcat> {
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

const cli = (dataDir: string, args: readonly string[]) => startCli(args, testEnvironment(dataDir)).ended;

const withSlapd = withLdapUtils(test) === test.skip ? test.skip : withPrograms(test, 'slapd', 'openssl');

withSlapd(
  'a slapcat of Debian’s slapd with ppolicy, groups and three schemes of hashes: people sign in with their old passwords, what cannot be carried over is told',
  async (t) => {
    const folder = folderFor(t);
    const { tree, config } = await slapcat(folder);
    const dataDir = join(folder, 'data');
    const result = await brought(t, dataDir, { from: 'slapcat', ldif: tree, schemas: [{ name: 'config.ldif', text: config }] });

    t.is(result.from, old);
    t.is(result.to, suffix);
    t.is(result.summary.entries.read, 16);
    t.is(result.summary.entries.carried, 16);
    t.like(noteOf(result, 'computed', 'memberOf'), { values: 2, entries: 2, outcome: 'left' });
    t.like(noteOf(result, 'computed', 'structuralObjectClass'), { values: 16 });
    t.like(noteOf(result, 'passwordHash', '{SMD5}'), { values: 1, entries: 1 });
    t.regex(noteOf(result, 'passwordHash')?.examples[0]?.dn ?? '', /^uid=max,/);
    t.true((noteOf(result, 'passwordHash')?.examples[0]?.line ?? 0) > 1);
    t.like(noteOf(result, 'locked'), { values: 1, outcome: 'otherwise' });
    t.like(noteOf(result, 'policyEntry'), { entries: 1 });
    t.like(noteOf(result, 'access', 'olcAccess'), { values: 3 });
    t.like(noteOf(result, 'classSupplied', 'namedObject'), { entries: 1 });
    t.truthy(noteOf(result, 'configuration', 'olcPPolicyConfig'));
    t.is(noteOf(result, 'unknownAttribute'), undefined);

    const atrium = await started(t, dataDir);
    t.is(await signIn(atrium, 'ada', 'ssha horse'), 0);
    t.is(await signIn(atrium, 'carl', 'crypt horse'), 0);
    t.is(await signIn(atrium, 'carl', 'ssha horse'), 49);
    t.is(await signIn(atrium, 'emmy', 'new sha horse'), 0);
    t.is(await signIn(atrium, 'emmy', 'sha horse'), 49);
    t.is(await signIn(atrium, 'max', 'md5 horse'), 49);
    const base = atrium.addresses.http ?? '';
    t.is((await submit(base, await openScreen(base), 'ada', 'ssha horse')).status, 303);

    const entries = await contents(atrium);
    const ada = entries.get(`uid=ada,ou=people,${suffix}`) ?? [];
    for (const value of [
      'examplebadge: B-1815',
      'cn;lang-fr: la Comtesse',
      `manager: uid=carl,ou=people,${suffix}`,
      `memberof: cn=staff,ou=groups,${suffix}`,
    ])
      t.true(ada.includes(value), value);
    t.true(ada.some((value) => value.startsWith('pwdfailuretime: ')));
    const theirs = /dn: uid=ada,[\s\S]*?entryUUID: (\S+)[\s\S]*?createTimestamp: (\S+)/.exec(tree);
    t.true(ada.includes(`entryuuid: ${theirs?.[1]}`) && ada.includes(`createtimestamp: ${theirs?.[2]}`));
    t.true((entries.get(`uid=emmy,ou=people,${suffix}`) ?? []).some((value) => value.startsWith('pwdchangedtime: ')));
    t.true((entries.get(`ou=people,${suffix}`) ?? []).includes('description: all of them'), 'the frame has what the source has');
    t.true(entries.has(`ou=accessrules,${suffix}`), 'what a realm begins with is there');
    t.true(entries.has(`uid=moved,ou=last,ou=people,${suffix}`));
    t.true((entries.get(`cn=alias,ou=groups,${suffix}`) ?? []).includes(`aliasedobjectname: cn=staff,ou=groups,${suffix}`));
    t.true((entries.get(`ou=far,${suffix}`) ?? []).some((value) => value.startsWith('ref: ldap://other.example/')));
    // Only what is used came with the schema.
    const administrator = { url: atrium.addresses.ldap ?? '', dn: atrium.adminDn, password: atrium.adminPassword };
    const { stdout } = await runLdapTool('ldapsearch', administrator, [
      '-LLL',
      '-o',
      'ldif-wrap=no',
      '-s',
      'base',
      '-b',
      'cn=Subschema',
      'attributeTypes',
    ]);
    t.true(stdout.includes('exampleBadge'));
    t.false(stdout.includes('exampleUnused'));
  },
);

withSlapd('without the schema that comes with it, what no schema defines is left out and told; a dry run writes nothing', async (t) => {
  const folder = folderFor(t);
  const { tree } = await slapcat(folder);
  const result = await brought(t, join(folder, 'data'), { from: 'slapcat', ldif: tree, dryRun: true });
  t.like(noteOf(result, 'unknownAttribute', 'exampleBadge'), { values: 1, entries: 1 });
  t.like(noteOf(result, 'unknownClass', 'exampleBadgeHolder'), { values: 1, entries: 1 });
  t.is((await brought(t, join(folder, 'data'), { from: 'slapcat', ldif: tree })).summary.entries.carried, 16, 'nothing was there yet');
});

withSlapd('atrium import --from slapcat: the report as a person reads it, as JSON, and what is a mistake in the call', async (t) => {
  const folder = folderFor(t);
  const { tree, config } = await slapcat(folder);
  const file = written(folder, 'tree.ldif', tree);
  const schema = written(folder, 'config.ldif', config);
  const dataDir = join(folder, 'data');
  const dry = await cli(dataDir, ['import', '--dry-run', '--from', 'slapcat', '--schema', schema, file]);
  t.is(dry.status, 0, dry.stderr);
  t.regex(dry.stdout, /Not carried over:[\s\S]*memberOf: 2 values in 2 entries: line \d+, uid=/);
  t.regex(dry.stdout, /Nothing was written\./);
  const done = await cli(dataDir, ['import', '--json', '--from', 'slapcat', '--schema', schema, file]);
  t.is(done.status, 0, done.stderr);
  const told = JSON.parse(done.stdout) as { readonly values: Record<string, number>; readonly notes: readonly unknown[] };
  t.is(told.values['read'], (told.values['kept'] ?? 0) + (told.values['otherwise'] ?? 0) + (told.values['left'] ?? 0));
  t.false(dry.stdout.includes('{SSHA}') || done.stdout.includes('{SSHA}'), 'no value is shown');

  t.is((await cli(dataDir, ['import', '--from', 'slapcat', '-'])).status, 2);
  t.is((await cli(dataDir, ['import', '--from', 'ldapsearch', file])).status, 2);
  t.is((await cli(dataDir, ['import', '--from', 'slapcat', join(folder, 'none.ldif')])).status, 2);
  // Everybody is there already: all or nothing.
  const again = await bring(dataDir, { from: 'slapcat', ldif: tree });
  t.is(again.kind, 'refused');
});
