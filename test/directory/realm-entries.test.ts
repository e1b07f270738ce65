import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { startTestAtrium } from '../support/atrium.ts';
import { runLdapTool, withLdapUtils } from '../support/ldap-utils.ts';
import { type Attributes, furnishedHouse, type House, person, suffix } from './driver.ts';

const registry = `ou=realms,${suffix}`;
const entryOf = (id: string) => `cn=${id},${registry}`;

async function houseWithRegistry(
  t: Parameters<typeof furnishedHouse>[0],
  given: Parameters<typeof furnishedHouse>[1] = {},
): Promise<House> {
  const house = await furnishedHouse(t, given);
  t.is((await house.operator().add(registry, { objectClass: 'organizationalUnit', ou: 'realms' })).code, 0);
  return house;
}

function makeRealm(house: House, id: string, more: Attributes = {}) {
  return house.operator().add(entryOf(id), { objectClass: 'stsRealmEntry', cn: id, stsRealmId: id, ...more });
}

const ldif = (uid: string): Attributes => ({ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid });

test('a realm made by adding its entry has its suffix, the standard ous and an administrator without a password, in the same commit', async (t) => {
  const house = await houseWithRegistry(t);
  const before = house.engine.store.snapshot().number;
  t.is((await makeRealm(house, 'acme', { description: 'the first' })).code, 0);
  t.is(house.engine.store.snapshot().number, before + 1);
  const operator = house.operator();
  const { entries } = await operator.search(entryOf('acme'), '(objectClass=*)', { scope: 'base' });
  t.deepEqual(entries[0]?.all('stsRealmState'), ['active']);
  t.deepEqual((await operator.search('o=acme', '(objectClass=*)', { scope: 'base' })).entries[0]?.all('o'), ['acme']);
  t.deepEqual((await operator.search('o=acme', '(objectClass=organizationalUnit)', { scope: 'one' })).dns, [
    'ou=people,o=acme',
    'ou=groups,o=acme',
    'ou=applications,o=acme',
    'ou=authnPolicies,o=acme',
    'ou=passwordPolicies,o=acme',
    'ou=accessRules,o=acme',
    'ou=trustAnchors,o=acme',
    'ou=policies,o=acme',
  ]);
  t.deepEqual((await operator.search('o=acme', '(uid=admin)')).dns, ['uid=admin,ou=people,o=acme']);
  const root = await operator.search('', '(objectClass=*)', { scope: 'base', attributes: ['namingContexts'] });
  t.deepEqual(root.entries[0]?.all('namingContexts'), [suffix, 'o=acme']);
});

test('a realm with a domain has the suffix of its parts, and its people may have the names and numbers of others', async (t) => {
  const house = await houseWithRegistry(t);
  t.is((await makeRealm(house, 'acme', { associatedDomain: 'Eu.Acme.example' })).code, 0);
  const operator = house.operator();
  t.is((await operator.add('uid=ada,ou=people,dc=eu,dc=acme,dc=example', { ...ldif('ada'), mail: 'ada@example.com' })).code, 0);
  t.is((await operator.add('uid=ada,ou=groups,dc=eu,dc=acme,dc=example', ldif('ada'))).code, 19, 'but not twice in one realm');
  t.deepEqual((await operator.search(suffix, '(uid=ada)')).dns, [person('ada')]);
  t.deepEqual((await operator.search('dc=eu,dc=acme,dc=example', '(uid=ada)')).dns, ['uid=ada,ou=people,dc=eu,dc=acme,dc=example']);
});

withLdapUtils(test)('what is read behind the add of a realm says in what state it is, as a search does', async (t) => {
  await using atrium = await startTestAtrium();
  const operator = { url: atrium.addresses.operators ?? '', external: true as const };
  const entry = `dn: ${entryOf('acme')}\nobjectClass: stsRealmEntry\ncn: acme\nstsRealmId: acme\n`;
  const { status, stdout } = await runLdapTool('ldapadd', operator, ['-e', 'postread=stsRealmState'], entry);
  t.is(status, 0);
  t.regex(stdout, /^stsRealmState: active$/m);
});

withLdapUtils(test)('the entries of realms have their place from the start, and where an older folder has none it is made', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-registry-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const round of ['the first start', 'a start on a folder without it']) {
    await using atrium = await startTestAtrium({ dataDir: folder });
    const operator = { url: atrium.addresses.operators ?? '', external: true as const };
    const seen = await runLdapTool('ldapsearch', operator, ['-LLL', '-s', 'base', '-b', registry, '1.1']);
    t.is(seen.stdout.trim(), `dn: ${registry}`, round);
    t.is((await runLdapTool('ldapdelete', operator, [registry])).status, 0);
  }
});

const refusals: readonly [rule: string, code: number, sts: `STS-${string}-${number}`, id: string, more?: Attributes][] = [
  ['an id is lower-case letters, digits and hyphens', 19, 'STS-CORE-0009', 'Acme'],
  ['an id has at most 31 characters', 19, 'STS-CORE-0009', 'a'.repeat(32)],
  ['an id is not that of the default realm', 19, 'STS-CORE-0010', 'default'],
  ['an id is not the first segment of a path', 19, 'STS-CORE-0011', 'authn'],
  ['an id is not what EST has in its place', 19, 'STS-CORE-0107', 'cacerts'],
  ['a domain has two labels at least', 19, 'STS-CORE-0099', 'new', { associatedDomain: 'localhost' }],
  ['a domain is a DNS name', 19, 'STS-CORE-0099', 'new', { associatedDomain: 'a_b.example' }],
  ['a realm has one domain at most', 19, 'STS-CORE-0099', 'new', { associatedDomain: ['a.example', 'b.example'] }],
  ['a domain is that of one realm', 19, 'STS-CORE-0100', 'new', { associatedDomain: 'TAKEN.example' }],
  ['a domain is not that of the default realm', 19, 'STS-CORE-0100', 'new', { associatedDomain: 'example.com' }],
  ['a suffix is not the name of an entry', 68, 'STS-LDAP-9320', 'new', { associatedDomain: 'there.example.com' }],
  ['a mode is product or development', 19, 'STS-LDAP-9329', 'new', { stsRealmMode: 'production' }],
  ['a setting is known', 19, 'STS-CORE-0004', 'new', { stsSetting: 'no.such=1' }],
  ['a value fits its setting', 19, 'STS-CORE-0006', 'new', { stsSetting: 'ldap.uidNumberFloor=some' }],
  ['realms.* is of all realms', 19, 'STS-CORE-0014', 'new', { stsSetting: 'realms.max=3' }],
  ['a setting of the process is not a realm’s', 19, 'STS-CORE-0015', 'new', { stsSetting: 'ldap.entryOctetsMax=1000000' }],
  ['a setting stands once', 19, 'STS-LDAP-9325', 'new', { stsSetting: ['ldap.uidNumberFloor=1', 'ldap.uidNumberFloor=2'] }],
  ['a new realm is active', 19, 'STS-LDAP-9326', 'new', { stsRealmState: 'removing' }],
  ['when a removal began is the directory’s to say', 19, 'STS-LDAP-9326', 'new', { stsRealmRemovingSince: '20261121000000Z' }],
];

test('what no realm may be is refused with the specification’s code, and nothing of it is made', async (t) => {
  const house = await houseWithRegistry(t);
  t.is((await makeRealm(house, 'taken', { associatedDomain: 'taken.example' })).code, 0);
  t.is((await house.operator().add(`dc=there,${suffix}`, { objectClass: ['dcObject', 'organization'], dc: 'there', o: 'there' })).code, 0);
  for (const [rule, code, sts, id, more] of refusals) {
    const { number } = house.engine.store.snapshot();
    house.audited.length = 0;
    t.is((await makeRealm(house, id, more)).code, code, rule);
    t.is(house.audited.at(-1)?.error?.code, sts, rule);
    t.is(house.engine.store.snapshot().number, number, rule);
  }
  const operator = house.operator();
  const misplaced = await operator.add(`cn=new,ou=groups,${suffix}`, { objectClass: 'stsRealmEntry', cn: 'new', stsRealmId: 'new' });
  t.is(misplaced.code, 64);
  t.is(house.audited.at(-1)?.error?.code, 'STS-LDAP-9324');
  t.is((await operator.add(`cn=other,${registry}`, { objectClass: 'stsRealmEntry', cn: 'other', stsRealmId: 'new' })).code, 64);
  t.is((await makeRealm(house, 'taken')).code, 68);
  t.is(house.audited.at(-1)?.error?.code, 'STS-CORE-0012');
});

test('id, name and domain of a realm stay as they are; its entry and its suffix do not go by themselves', async (t) => {
  const house = await houseWithRegistry(t, { 'realms.max': 2 });
  t.is((await makeRealm(house, 'acme', { associatedDomain: 'acme.example', stsSetting: 'ldap.uidNumberFloor=5000' })).code, 0);
  t.is((await makeRealm(house, 'other')).code, 0);
  const operator = house.operator();
  const entry = entryOf('acme');
  const remove = (dn: string) => operator.ask({ kind: 'delRequest', entry: dn }, [{ oid: '1.2.840.113556.1.4.805', critical: true }]);
  const rename = (dn: string, newRdn: string) => operator.ask({ kind: 'modifyDNRequest', entry: dn, newRdn, deleteOldRdn: true });
  const cases: readonly [act: () => Promise<{ readonly code: number }>, code: number, sts: `STS-${string}-${number}`][] = [
    [() => makeRealm(house, 'third'), 11, 'STS-LDAP-9328'],
    [() => operator.modify(entry, ['replace', 'associatedDomain', 'new.example']), 19, 'STS-CORE-0101'],
    [() => operator.modify(entry, ['delete', 'associatedDomain']), 19, 'STS-CORE-0101'],
    [() => operator.modify(entry, ['replace', 'stsRealmId', 'new']), 53, 'STS-LDAP-9323'],
    [() => rename(entry, 'cn=new'), 53, 'STS-LDAP-9323'],
    [() => rename(registry, 'ou=kingdoms'), 53, 'STS-LDAP-9323'],
    [() => operator.modify(entry, ['replace', 'stsRealmMode', 'test']), 19, 'STS-LDAP-9329'],
    [() => operator.modify(entry, ['add', 'stsSetting', 'global.mode=development']), 19, 'STS-CORE-0005'],
    [() => operator.modify(entry, ['replace', 'stsRealmState', 'deleting']), 19, 'STS-LDAP-9326'],
    [() => operator.modify(entry, ['add', 'stsRealmOwed', '3']), 19, 'STS-LDAP-9326'],
    [() => remove(entry), 53, 'STS-LDAP-9322'],
    [() => remove(registry), 53, 'STS-LDAP-9322'],
    [() => remove('dc=acme,dc=example'), 53, 'STS-LDAP-9321'],
    [() => rename('dc=acme,dc=example', 'dc=new'), 53, 'STS-LDAP-9016'],
  ];
  for (const [act, code, sts] of cases) {
    const { number } = house.engine.store.snapshot();
    t.is((await act()).code, code, sts);
    t.is(house.audited.at(-1)?.error?.code, sts);
    t.is(house.engine.store.snapshot().number, number, sts);
  }
  t.is((await operator.modify(entry, ['replace', 'displayName', 'ACME'], ['replace', 'stsSetting', 'ldap.uidNumberFloor=6000'])).code, 0);
  t.is((await operator.modify(entry, ['replace', 'stsRealmMode', 'development'])).code, 0);
  const { engine } = house;
  const realm = engine.realms.in(engine.store.snapshot()).byId('acme');
  t.is(realm?.mode, 'development');
  t.is(realm?.settings['ldap.uidNumberFloor'], 6000);
  t.is(engine.settings['ldap.uidNumberFloor'], 10_000);
});

test('realms are for the default realm’s administrators to make and remove: not for people, nor for a realm’s own administrator', async (t) => {
  const house = await houseWithRegistry(t);
  t.is((await makeRealm(house, 'acme')).code, 0);
  t.is((await house.operator().modify('uid=admin,ou=people,o=acme', ['replace', 'userPassword', 'acme’s own'])).code, 0);
  const { number } = house.engine.store.snapshot();
  const [nobody, ada, acme] = [house.connect('ldaps'), house.connect('ldaps'), house.connect('ldaps')];
  t.is((await ada.bind(person('ada'), 'lovelace')).code, 0);
  t.is((await acme.bind('uid=admin,ou=people,o=acme', 'acme’s own')).code, 0);
  for (const client of [nobody, ada, acme]) {
    t.not((await client.add(entryOf('mine'), { objectClass: 'stsRealmEntry', cn: 'mine', stsRealmId: 'mine' })).code, 0);
    t.not((await client.modify(entryOf('acme'), ['replace', 'stsRealmState', 'removing'])).code, 0);
    t.not((await client.modify(entryOf('acme'), ['replace', 'stsRealmMode', 'development'])).code, 0);
    t.deepEqual((await client.search(registry, '(objectClass=*)')).dns, []);
    t.not((await client.ask({ kind: 'delRequest', entry: entryOf('acme') })).code, 0);
  }
  t.is(house.engine.store.snapshot().number, number);
});
