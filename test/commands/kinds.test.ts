import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium, testEnvironment } from '../support/atrium.ts';
import { runCli, startCli } from '../support/cli.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';

const suffix = 'dc=example,dc=com';
const kinds = [
  ['ou=x', 'objectClass: organizationalUnit', 'ou: x'],
  ['cn=referral,ou=x', 'objectClass: referral', 'objectClass: extensibleObject', 'cn: referral', 'ref: ldap://elsewhere/dc=other'],
  ['cn=alias,ou=x', 'objectClass: alias', 'objectClass: extensibleObject', 'cn: alias', `aliasedObjectName: uid=admin,ou=people,${suffix}`],
  ['cn=subentry,ou=x', 'objectClass: subentry', 'objectClass: extensibleObject', 'cn: subentry', 'subtreeSpecification: { base "ou=y" }'],
  ['cn=dynamic,ou=x', 'objectClass: device', 'objectClass: dynamicObject', 'cn: dynamic'],
  ['cn=policy,ou=policies', 'objectClass: stsUniquenessPolicy', 'cn: policy', 'stsUniqueAttribute: mail'],
  [
    'uid=ada,ou=people',
    ...['objectClass: inetOrgPerson', 'objectClass: posixAccount', 'objectClass: shod', 'uid: ada', 'cn: Ada', 'cn;lang-fr:: w6l0w6k='],
    ...['sn: Lovelace', 'homeDirectory: /home/ada', 'shoeSize: 37', `authzTo: dn:uid=admin,ou=people,${suffix}`, 'jpegPhoto:: /9j/AAE='],
    ...['uidNumber: 1815', 'gidNumber: 1815', 'userPassword: Countess of 1815 numbers'],
  ],
  ['cn=found,ou=groups', 'objectClass: groupOfURLs', 'cn: found', `memberURL: ldap:///ou=people,${suffix}??sub?(uid=*)`],
  [
    'cn=many,ou=groups',
    'objectClass: groupOfNames',
    'cn: many',
    ...Array.from({ length: 300 }, (_, at) => `member: uid=m${at},ou=people,${suffix}`),
  ],
];
const definitions = [
  'dn: cn=Subschema',
  'objectClass: top',
  'objectClass: subentry',
  'objectClass: subschema',
  'cn: Subschema',
  'subtreeSpecification: { }',
  "attributeTypes: ( 1.3.6.1.4.1.32473.1 NAME 'shoeSize' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )",
  "objectClasses: ( 1.3.6.1.4.1.32473.2 NAME 'shod' SUP top AUXILIARY MAY shoeSize )",
];

withLdapUtils(test)(
  'entries of whatever kind are exported with all that they need, by a running service too, and an import of that is exported as the same octets',
  async (t) => {
    const base = mkdtempSync(join(tmpdir(), 'atrium-kinds-'));
    t.teardown(() => rmSync(base, { recursive: true, force: true }));
    const at = (name: string) => join(base, name);
    const cli = async (data: string, ...args: readonly string[]) => {
      const { status, stderr } = await runCli(args, testEnvironment(at(data)));
      t.is(status, 0, `${args.join(' ')}: ${stderr}`);
    };
    const first = await startTestAtrium({ dataDir: at('first') });
    await first.stop();
    await cli('first', 'export', '--operational', '--secrets', at('empty.ldif'));
    const entries = kinds.map(([rdns, ...lines]) => [`dn: ${rdns},${suffix}`, ...lines].join('\n'));
    const [version, ...frame] = readFileSync(at('empty.ldif'), 'utf8').trimEnd().split('\n\n');
    writeFileSync(at('all.ldif'), `${[version, definitions.join('\n'), ...frame, ...entries].join('\n\n')}\n`);
    await cli('second', 'import', at('all.ldif'));

    // What a change sets behind the rest stands there in an export, and in one of an import.
    const service = startCli(['serve'], testEnvironment(at('second')));
    const url = /ldapi:\S+/.exec(await service.until('ready '))?.[0] ?? '';
    const late = `dn: cn=late,${suffix}\nobjectClass: device\nobjectClass: posixAccount\ncn: late\nuid: late\nhomeDirectory: /\n`;
    t.is((await runLdapTool('ldapadd', { url, external: true }, [], late)).status, 0);
    await cli('second', 'export', at('running.ldif'));
    service.child.kill('SIGTERM');
    await service.ended;

    await cli('second', 'export', at('plain.ldif'));
    t.is(readFileSync(at('running.ldif'), 'utf8'), readFileSync(at('plain.ldif'), 'utf8'));
    await cli('second', 'export', '--operational', '--secrets', at('whole.ldif'));
    for (const [name, ...options] of [['plain'], ['running'], ['whole', '--operational', '--secrets']] as const) {
      await cli(`of ${name}`, 'import', at(`${name}.ldif`));
      await cli(`of ${name}`, 'doctor');
      await cli(`of ${name}`, 'export', ...options, at(`again ${name}.ldif`));
      t.is(readFileSync(at(`again ${name}.ldif`), 'utf8'), readFileSync(at(`${name}.ldif`), 'utf8'), name);
    }
    t.regex(readFileSync(at('running.ldif'), 'utf8'), /^ref: ldap:\/\/elsewhere\/dc=other$/m);
  },
);
