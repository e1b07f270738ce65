import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { utf8 } from '#base';
import { Refusal } from '#catalogue';
import { bootstrap, exportEntries, importLive } from '#directory';
import { formatLdifRecord, type LdifContent, readLdif } from '#ldap';
import { observe } from '../support/observed.ts';
import { emptyHouse, furnishedHouse, type House, hasher, person, suffix } from './driver.ts';

const folder = join(import.meta.dirname, '../../ldif');
const seed = readFileSync(join(folder, 'default-realm.ldif'), 'utf8');
const limits = { lineOctetsMax: 1_000_000, recordOctetsMax: 1_000_000, valuesMax: 10_000 };

function ldif(text: string) {
  return readLdif([utf8(text)], limits);
}

function printed(house: House): string {
  return [...exportEntries(house.engine, { secrets: true, operational: true })]
    .map((record) => String(formatLdifRecord(record)))
    .join('\n');
}

const root = `dn: ${suffix}\nobjectClass: organization\nobjectClass: dcObject\no: x\ndc: example\n\n`;

test('the demo realm imports by the checks of an add, with progress, and its export re-imported is the same directory', async (t) => {
  const house = emptyHouse(t, { 'admin.bootstrapPassword': 'x' });
  await bootstrap(house.engine, { seed });
  const told: number[] = [];
  const { entries } = await importLive(house.engine, ldif(readFileSync(join(folder, 'demo.ldif'), 'utf8')), {
    onProgress: (count) => told.push(count),
  });
  t.true(entries > 200);
  t.is(told.at(-1), entries);
  await house.operator().modify(person('sozturk'), ['replace', 'userPassword', 'a password']);

  const first = printed(house);
  const again = emptyHouse(t);
  await importLive(again.engine, ldif(first));
  // Not t.is: a difference of 250 entries would be printed whole.
  t.true(printed(again) === first);
  t.is((await again.connect().bind(person('sozturk'), 'a password')).code, 0);
});

test('an export shows hashes and operational attributes only when it is asked to', async (t) => {
  const house = await furnishedHouse(t);
  const names = (records: Iterable<LdifContent>) =>
    new Set([...records].flatMap(({ attributes }) => attributes.map(({ description }) => description)));
  const plain = names(exportEntries(house.engine));
  t.false(plain.has('userPassword') || plain.has('entryUUID'));
  t.true(names(exportEntries(house.engine, { secrets: true })).has('userPassword'));
  t.true(names(exportEntries(house.engine, { operational: true })).has('entryUUID'));
});

test('an export gives superiors before what is below them, over many pages', async (t) => {
  const house = await furnishedHouse(t);
  const people = Array.from(
    { length: 700 },
    (_, n) => `dn: uid=p${n},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: p${n}\ncn: p\nsn: p\n`,
  );
  await importLive(house.engine, ldif(people.join('\n')));
  const dns = [...exportEntries(house.engine)].map(({ dn }) => dn);
  t.is(dns.length, 708);
  t.is(new Set(dns).size, 708);
  const seen = new Set<string>();
  for (const dn of dns) {
    const superior = dn.slice(dn.indexOf(',') + 1);
    t.true(dn === suffix || seen.has(superior), dn);
    seen.add(dn);
  }
});

const bad: readonly [title: string, text: string, line: number, why: RegExp][] = [
  ['a missing attribute', `dn: uid=a,${suffix}\nobjectClass: inetOrgPerson\nuid: a\ncn: a\n`, 7, /requires attribute 'sn'/],
  [
    'an unknown attribute',
    `dn: uid=a,${suffix}\nobjectClass: inetOrgPerson\nuid: a\ncn: a\nsn: a\nnope: x\n`,
    7,
    /nope: attribute type undefined/,
  ],
  [
    'a value that does not fit',
    `dn: uid=a,${suffix}\nobjectClass: inetOrgPerson\nuid: a\ncn: a\nsn: a\nmanager: x\n`,
    7,
    /manager: value #0 invalid/,
  ],
  ['no superior', `dn: uid=a,ou=x,${suffix}\nobjectClass: inetOrgPerson\nuid: a\ncn: a\nsn: a\n`, 7, /no entry above/],
  [
    'a name twice',
    `dn: ${suffix}\nobjectClass: organization\nobjectClass: dcObject\no: x\ndc: example\n`,
    7,
    /an entry of that name exists/,
  ],
  ['a name outside the realm', 'dn: dc=elsewhere\nobjectClass: organization\nobjectClass: dcObject\no: x\ndc: elsewhere\n', 7, /not below/],
  ['a change', `dn: ${suffix}\nchangetype: delete\n`, 7, /only entries/],
  [
    'a hash of another scheme',
    `dn: uid=a,${suffix}\nobjectClass: inetOrgPerson\nuid: a\ncn: a\nsn: a\nuserPassword: {NS-MTA-MD5}x\n`,
    7,
    /userPassword: a hash of this scheme/,
  ],
];

for (const [title, text, line, why] of bad) {
  test(`an import stops at ${title}, with line, entry and rule`, async (t) => {
    const house = emptyHouse(t);
    const error = await t.throwsAsync(importLive(house.engine, ldif(root + text)), { instanceOf: Refusal });
    observe(error.row.code);
    t.is(error.row.code, 'STS-LDAP-9032');
    t.is(error.detail['line'], line);
    t.regex(error.says, why);
    t.is([...exportEntries(house.engine)].length, 0, 'nothing of the batch was written');
  });
}

test('an entryUUID that another entry has is refused', async (t) => {
  const house = await furnishedHouse(t);
  const uuid = [...exportEntries(house.engine, { operational: true })]
    .flatMap(({ attributes }) => attributes)
    .find(({ description }) => description === 'entryUUID')?.values[0];
  const text = `dn: ou=x,${suffix}\nobjectClass: organizationalUnit\nou: x\nentryUUID: ${Buffer.from(uuid ?? []).toString()}\n`;
  await t.throwsAsync(importLive(house.engine, ldif(text)), { message: /another entry has it/ });
});

test('clear passwords of an import are hashed', async (t) => {
  const house = emptyHouse(t, { hasher });
  const text = `${root}dn: uid=a,${suffix}\nobjectClass: inetOrgPerson\nuid: a\ncn: a\nsn: a\nuserPassword: in clear\n`;
  await importLive(house.engine, ldif(text));
  t.false(printed(house).includes('in clear'));
  t.is((await house.connect().bind(`uid=a,${suffix}`, 'in clear')).code, 0);
});

test('an import holds a realm to ldap.accessRulesMax rules, and their filters to as many parts, with those that are there', async (t) => {
  const place = `dn: ou=accessRules,${suffix}\nobjectClass: organizationalUnit\nou: accessRules\n\n`;
  const rule = (cn: string, filter = '') =>
    `dn: cn=${cn},ou=accessRules,${suffix}\nobjectClass: stsAccessRule\ncn: ${cn}\nstsRuleOrder: 1\nstsRuleWho: anyone\nstsRuleRight: read\n${filter}\n`;
  const parts = (count: number) => `stsRuleFilter: (|${'(title=x)'.repeat(count - 1)})\n`;
  const refused = async (house: House, text: string) => {
    const error = await importLive(house.engine, ldif(text)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof Refusal ? error.says : error;
  };
  const house = emptyHouse(t, { 'ldap.accessRulesMax': 3 });
  t.is(await refused(house, root + place + rule('a', parts(4))), undefined);
  const before = printed(house);
  t.regex(String(await refused(house, rule('b') + rule('c') + rule('d'))), /cn=d,.*3 rules of access at most/);
  t.regex(String(await refused(house, rule('b', parts(3)))), /cn=b,.*6 parts at most, and would have 7/);
  t.is(printed(house), before);
  t.is(await refused(house, rule('b', parts(2)) + rule('c')), undefined);
});
