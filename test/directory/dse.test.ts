import test from 'ava';
import { utf8 } from '#base';
import { explain } from '#directory';
import type { Control, Request } from '#ldap';
import { paged, pageOf, sortedBy } from './control-values.ts';
import { type Attributes, admin, adminPassword, type House, houseWithVault, person, schema, searchOf, suffix, vault } from './driver.ts';

const manageDsaIt: Control = { oid: '2.16.840.1.113730.3.4.2', critical: true };
const subentriesOid = '1.3.6.1.4.1.4203.1.10.1';
const subentries = (visible: boolean): Control => ({ oid: subentriesOid, critical: true, value: Uint8Array.of(1, 1, visible ? 255 : 0) });

const people = `ou=people,${suffix}`;

const alias = (target: string): Attributes => ({ objectClass: ['alias', 'extensibleObject'], aliasedObjectName: target });
const referral = (ref: string): Attributes => ({ objectClass: ['referral', 'extensibleObject'], ref });
const unit: Attributes = { objectClass: 'organizationalUnit' };

/** Adds entries as the operators, each with the value of its name. */
async function withEntries(house: House, ...entries: readonly [dn: string, attributes: Attributes][]): Promise<House> {
  for (const [dn, attributes] of entries) {
    const [, type = '', value = ''] = /^(\w+)=([^,]+)/.exec(dn) ?? [];
    const { code, result } = await house.operator().add(dn, { ...attributes, [type]: value });
    if (code !== 0) throw new Error(`${dn}: ${code} ${result.diagnostic}`);
  }
  return house;
}

async function asAda(house: House) {
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  return client;
}

test('aliases: one that may not be seen leads nowhere, and one to what may not be seen says what one to nothing says', async (t) => {
  const house = await withEntries(
    await houseWithVault(t),
    [`cn=hidden,${vault}`, alias(person('alan'))],
    [`cn=tohidden,${people}`, alias(vault)],
    [`cn=tonothing,${people}`, alias(`ou=nothing,${suffix}`)],
    [`cn=toalan,${people}`, alias(person('alan'))],
    [`cn=tochain,${people}`, alias(`cn=hidden,${vault}`)],
  );
  const ada = await asAda(house);
  const always = { derefAliases: 'always', scope: 'base' } as const;
  t.deepEqual((await ada.search(`cn=toalan,${people}`, '(objectClass=*)', always)).dns, [person('alan')]);
  // The vault is no business of an ordinary person.
  t.is((await ada.search(`cn=hidden,${vault}`, '(objectClass=*)', always)).code, 32);
  const [toHidden, toNothing, toChain] = await Promise.all(
    ['tohidden', 'tonothing', 'tochain'].map((cn) => ada.search(`cn=${cn},${people}`, '(objectClass=*)', always)),
  );
  t.is(toHidden?.code, 33);
  t.is(toNothing?.code, 33);
  t.is(toChain?.code, 33);
  t.deepEqual({ ...toHidden?.result, matchedDN: '' }, { ...toNothing?.result, matchedDN: '' });
  t.is((await house.operator().search(`cn=tohidden,${people}`, '(objectClass=*)', always)).dns[0], vault);

  const found = await ada.search(people, '(objectClass=*)', { derefAliases: 'inSearching' });
  t.deepEqual([...found.dns].sort(), [people, admin, person('ada'), person('alan')].sort());
  const all = await house.operator().search(people, '(objectClass=*)', { derefAliases: 'inSearching' });
  t.true(all.dns.includes(vault));

  // Through an alias that they may not see nobody is led to what they may.
  await withEntries(house, [`cn=tochain,ou=groups,${suffix}`, alias(`cn=hidden,${vault}`)]);
  const led = async (client: typeof ada) => (await client.search(`ou=groups,${suffix}`, '(uid=alan)', { derefAliases: 'inSearching' })).dns;
  t.deepEqual(await led(ada), []);
  t.deepEqual(await led(house.operator()), [person('alan')]);
});

test('aliases: attributes are those that one may read where an alias leads, not where it stands', async (t) => {
  const house = await withEntries(await houseWithVault(t), [`cn=toalan,${people}`, alias(person('alan'))]);
  await house.operator().modify(person('alan'), ['add', 'homePostalAddress', 'secret place']);
  const ada = await asAda(house);
  const { entries } = await ada.search(`cn=toalan,${people}`, '(objectClass=*)', { derefAliases: 'always', scope: 'base' });
  t.deepEqual(entries[0]?.all('homePostalAddress'), []);
  t.deepEqual((await ada.search(people, '(&(uid=alan)(homePostalAddress=*))', { derefAliases: 'always' })).dns, []);
  t.deepEqual((await house.connect().search(`cn=toalan,${people}`, '(objectClass=*)', { derefAliases: 'always' })).code, 32);
});

test('aliases: no more are followed than the limits allow, and these are settings', async (t) => {
  const entries = Array.from({ length: 20 }, (_, at): [string, Attributes] => [
    `cn=a${at},${vault}`,
    alias(at === 0 ? people : `cn=a${at - 1},${vault}`),
  ]);
  const narrow = await withEntries(await houseWithVault(t, { 'ldap.aliasesMax': 19, 'ldap.aliasDepthMax': 3 }), ...entries);
  const ask = (house: House, cn: string) =>
    house.operator().search(`cn=${cn},${vault}`, '(objectClass=*)', { derefAliases: 'always', scope: 'base' });
  t.is((await ask(narrow, 'a2')).dns[0], people);
  t.is((await ask(narrow, 'a3')).code, 36);
  t.is((await narrow.operator().search(vault, '(objectClass=*)', { derefAliases: 'always' })).code, 11);
  t.is((await narrow.operator().search(vault, '(objectClass=*)', { derefAliases: 'findingBaseObj' })).code, 0);
  const wide = await withEntries(await houseWithVault(t, { 'ldap.aliasesMax': 20, 'ldap.aliasDepthMax': 30 }), ...entries);
  t.is((await ask(wide, 'a19')).dns[0], people);
  t.deepEqual((await wide.operator().search(vault, '(uid=ada)', { derefAliases: 'always' })).dns, [person('ada')]);
});

test('aliases: many that lead to and fro across a tree give each entry once, whether an index or a walk finds it', async (t) => {
  const house = await houseWithVault(t);
  const boxes = Array.from({ length: 12 }, (_, at) => `ou=b${at},${vault}`);
  await withEntries(house, ...boxes.map((dn): [string, Attributes] => [dn, unit]));
  await withEntries(house, ...boxes.map((dn, at): [string, Attributes] => [`cn=next,${dn}`, alias(boxes[(at * 5 + 3) % 12] ?? '')]));
  await withEntries(house, ...boxes.map((dn): [string, Attributes] => [`cn=top,${dn}`, alias(vault)]));
  for (const filter of ['(objectClass=organizationalUnit)', '(!(description=x))']) {
    const { dns } = await house.operator().search(boxes[4] ?? '', filter, { derefAliases: 'always' });
    t.deepEqual([...dns].sort(), [vault, ...boxes].sort());
  }
});

for (const [scope, filter] of [
  ['sub', '(objectClass=organizationalUnit)'],
  ['sub', '(!(description=x))'],
  ['one', '(!(description=x))'],
] as const) {
  test(`aliases and referrals in pages and in order: -s ${scope} ${filter} gives each entry once, and what is elsewhere with the first page`, async (t) => {
    const house = await houseWithVault(t);
    const boxes = Array.from({ length: 7 }, (_, at) => `ou=b${at},${vault}`);
    await withEntries(house, ...boxes.map((dn): [string, Attributes] => [dn, unit]));
    await withEntries(
      house,
      [`cn=topeople,${boxes[0]}`, alias(people)],
      [`cn=toada,${vault}`, alias(person('ada'))],
      [`cn=tobox,${boxes[3]}`, alias(boxes[5] ?? '')],
      [`ou=else,${vault}`, referral('ldap://else.example')],
      [`cn=about,${vault}`, { objectClass: 'subentry', subtreeSpecification: '{ }' }],
    );
    const asked = { ...searchOf(vault, filter), scope, derefAliases: 'always' } as const;
    const operator = house.operator();
    const whole = await operator.ask(asked);
    t.is(whole.references.length, 1);
    for (const more of [[], [sortedBy('ou:caseIgnoreOrderingMatch')]]) {
      const found: string[] = [];
      const references: number[] = [];
      let cookie: Uint8Array | undefined;
      do {
        const page = await operator.ask(asked, [paged(2, cookie), ...more]);
        t.is(page.code, 0);
        found.push(...page.dns);
        references.push(page.references.length);
        cookie = pageOf(page)?.cookie;
      } while (cookie !== undefined && cookie.length > 0);
      t.deepEqual(found.toSorted(), whole.dns.toSorted());
      t.deepEqual([references[0], Math.max(...references.slice(1))], [1, 0]);
    }
  });
}

test('a directory without aliases, referrals and subentries pays nothing for them', async (t) => {
  const house = await houseWithVault(t);
  const visited = async (derefAliases: 'never' | 'always') =>
    (await explain(house.engine, { ...searchOf(suffix, '(uid=ada)'), derefAliases })).visited;
  // What the first one asks is known from then on.
  await visited('always');
  const before = await visited('never');
  t.is(await visited('always'), before);
  await withEntries(house, [`cn=toalan,${people}`, alias(person('alan'))]);
  await visited('never');
  t.is(await visited('never'), before);
});

test('referrals: who may not see one is not referred, and learns nothing of it', async (t) => {
  const house = await withEntries(
    await houseWithVault(t),
    [`ou=hidden,${vault}`, referral('ldap://hidden.example')],
    [`ou=open,${people}`, referral('ldap://open.example')],
  );
  const ada = await asAda(house);
  const nowhere = await ada.search(`cn=x,ou=nowhere,${vault}`, '(objectClass=*)');
  const hidden = await ada.search(`cn=x,ou=hidden,${vault}`, '(objectClass=*)');
  t.deepEqual(hidden.result, nowhere.result);
  t.is((await ada.search(`ou=hidden,${vault}`, '(objectClass=*)')).code, 32);
  t.is((await ada.ask({ kind: 'delRequest', entry: `cn=x,ou=hidden,${vault}` })).code, 32);
  t.deepEqual((await ada.search(suffix, '(objectClass=*)')).references, [[`ldap://open.example/ou=open,${people}??sub`]]);
  t.deepEqual((await house.connect().search(suffix, '(objectClass=*)')).references, []);
  t.is((await house.operator().search(suffix, '(objectClass=*)')).references.length, 2);
  // A name below it is referred, whoever may change it there.
  const refused = await ada.modify(`cn=x,ou=open,${people}`, ['add', 'cn', 'x']);
  t.deepEqual([refused.code, refused.result.referral], [10, [`ldap://open.example/cn=x,ou=open,${people}`]]);
  // ManageDsaIT gives no right.
  const op: Request = { kind: 'delRequest', entry: `ou=open,${people}` };
  t.is((await ada.ask(op)).code, 10);
  t.is((await ada.ask(op, [manageDsaIt])).code, 50);
});

test('referrals: more than a turn looks at are all told of, beside the size limit', async (t) => {
  const house = await houseWithVault(t);
  const dns = Array.from({ length: 600 }, (_, at) => `ou=r${at},${vault}`);
  await withEntries(house, ...dns.map((dn): [string, Attributes] => [dn, referral('ldap://many.example')]));
  const { references, code, entries } = await house.operator().search(vault, '(objectClass=*)', { sizeLimit: 1 });
  t.is(references.length, 600);
  t.deepEqual([code, entries.length], [0, 1]);
  t.deepEqual((await house.operator().search(vault, '(objectClass=*)', { scope: 'base' })).references, []);
});

test('RFC 3296 §5.6.1: a bind as a referral, or below one, is no referral', async (t) => {
  const house = await withEntries(await houseWithVault(t), [`ou=open,${people}`, referral('ldap://open.example')]);
  for (const dn of [`ou=open,${people}`, `uid=x,ou=open,${people}`]) t.is((await house.connect('ldaps').bind(dn, 'x')).code, 49);
});

test('RFC 3296 §5.3: a base that an alias leads below a referral is referred by the name that the alias gives it', async (t) => {
  const house = await withEntries(
    await houseWithVault(t),
    [`ou=open,${people}`, referral('ldap://open.example/ou=o,dc=x')],
    [`cn=topeople,${vault}`, alias(people)],
  );
  const { result } = await house.operator().search(`uid=x,ou=open,cn=topeople,${vault}`, '(objectClass=*)', { derefAliases: 'always' });
  t.deepEqual(result.referral, ['ldap://open.example/uid=x,ou=o,dc=x??sub']);
});

test('RFC 4511 §4.1.10: a name outside of the suffix is referred where ldap.referral says, every operation alike', async (t) => {
  const house = await houseWithVault(t, { 'ldap.referral': 'ldap://root.example  ldaps://second.example/dc=ignored' });
  const dn = 'uid=x,dc=elsewhere';
  const there = ['ldap://root.example/uid=x,dc=elsewhere', 'ldaps://second.example/uid=x,dc=elsewhere'];
  const operator = house.operator();
  const { result, code } = await operator.search(dn, '(objectClass=*)');
  t.deepEqual([code, result.referral, result.matchedDN], [10, there.map((uri) => `${uri}??sub`), '']);
  const attribute = { description: 'cn', values: [utf8('x')] };
  const ops: readonly Request[] = [
    { kind: 'delRequest', entry: dn },
    { kind: 'compareRequest', entry: dn, description: 'cn', value: utf8('x') },
    { kind: 'modifyRequest', object: dn, changes: [{ operation: 'add', attribute }] },
    { kind: 'modifyDNRequest', entry: dn, newRdn: 'cn=y', deleteOldRdn: false },
    { kind: 'addRequest', entry: dn, attributes: [{ description: 'objectClass', values: [utf8('device')] }, attribute] },
  ];
  for (const op of ops) t.deepEqual((await operator.ask(op)).result.referral, there, op.kind);
  t.is((await house.connect('ldaps').bind(dn, 'x')).code, 49);
  t.is((await operator.search(`uid=x,${suffix}`, '(objectClass=*)')).code, 32);
  t.is((await operator.search('', '(objectClass=*)', { scope: 'base', attributes: ['ref'] })).entries[0]?.all('ref').length, 2);
});

test('RFC 3672 §3: the subentries control is a boolean, and counts for searches', async (t) => {
  const house = await withEntries(await houseWithVault(t), [
    `cn=about,${people}`,
    { objectClass: 'subentry', subtreeSpecification: '{ }' },
  ]);
  const ask = (control: Control) => house.operator().ask(searchOf(people, '(|(uid=alan)(cn=about))'), [control]);
  t.deepEqual((await ask(subentries(true))).dns, [`cn=about,${people}`]);
  t.deepEqual((await ask(subentries(false))).dns, [person('alan')]);
  for (const value of [undefined, new Uint8Array(0), Uint8Array.of(1, 1), Uint8Array.of(2, 1, 1), Uint8Array.of(1, 1, 255, 0)]) {
    t.is((await ask({ oid: subentriesOid, critical: false, ...(value && { value }) })).code, 2);
  }
  t.is((await house.operator().ask({ kind: 'delRequest', entry: person('alan') }, [subentries(true)])).code, 12);
  t.is((await house.operator().ask({ kind: 'delRequest', entry: person('alan') }, [{ ...manageDsaIt, value: utf8('x') }])).code, 2);
  const ada = await asAda(house);
  t.deepEqual((await ada.ask(searchOf(suffix, '(objectClass=*)'), [subentries(true)])).dns, [`cn=about,${people}`]);
  t.deepEqual((await house.connect().ask(searchOf(suffix, '(objectClass=*)'), [subentries(true)])).dns, []);
  t.is((await house.connect('ldaps').bind(admin, adminPassword)).code, 0);
});

const specifications: readonly [fits: boolean, text: string][] = [
  [true, '{}'],
  [true, '{ }'],
  [true, '{ base "ou=people" }'],
  [true, '{ base "cn=a \\""b\\"" c", minimum 0, maximum 10 }'],
  [true, '{ specificExclusions { chopBefore:"ou=x", chopAfter:"ou=y" }, specificationFilter item:person }'],
  [true, '{ specificationFilter and:{ item:2.5.6.6, not:item:device, or:{} } }'],
  [false, ''],
  [false, '{ base ou=people }'],
  [false, '{ base "nonsense" }'],
  [false, '{ maximum 1, minimum 0 }'],
  [false, '{ minimum 01 }'],
  [false, '{ minimum 1 minimum 1 }'],
  [false, '{ specificationFilter item }'],
  [false, `{ specificationFilter ${'not:'.repeat(40)}item:person }`],
  [false, `{ specificationFilter ${'and:{'.repeat(100_000)}`],
  [false, '{ } x'],
];

for (const [fits, value] of specifications) {
  test(`RFC 3672 §2.1: ${value.slice(0, 80)} is ${fits ? 'a' : 'no'} subtree specification`, (t) => {
    t.is(schema.attributeType('subtreeSpecification')?.syntax.validate(utf8(value)), fits);
  });
}
