import test from 'ava';
import { type Control, encodeBer } from '#ldap';
import { dereferenced, dereferencesOf, matching, paged, session, sortedBy, viewed } from './control-values.ts';
import { ada, admin, type Client, filterOf, furnishedHouse, person, suffix } from './driver.ts';

const people = `ou=people,${suffix}`;
const pioneers = `cn=pioneers,ou=groups,${suffix}`;

/** What a search for ada answers with matched values. */
async function matched(t: Parameters<typeof furnishedHouse>[0], filters: readonly string[], given: Parameters<Client['search']>[2]) {
  const operator = (await furnishedHouse(t)).operator();
  const { entries, code } = await operator.search(person('ada'), '(uid=ada)', given, [matching(...filters)]);
  if (code !== 0) throw new Error(`${code}`);
  return Object.fromEntries((entries[0]?.attributes ?? []).map(({ description }) => [description, entries[0]?.all(description)]));
}

const values: readonly [
  title: string,
  filters: readonly string[],
  attributes: readonly string[],
  shown: Readonly<Record<string, readonly string[]>>,
][] = [
  ['only values that fit', ['(cn=*love*)'], ['cn'], { cn: ['Ada Lovelace'], 'cn;lang-fr': [] }],
  ['an attribute without such a value stays, with none', ['(cn=*love*)'], ['cn', 'sn'], { cn: ['Ada Lovelace'], 'cn;lang-fr': [], sn: [] }],
  [
    'several items: a value that fits one of them',
    ['(cn=ada king)', '(sn=*)'],
    ['cn', 'sn', 'uid'],
    { cn: ['Ada King'], 'cn;lang-fr': [], sn: ['Lovelace'], uid: [] },
  ],
  [
    'a supertype speaks for its subtypes',
    ['(name=ada*)'],
    ['cn', 'sn', 'givenName'],
    { cn: ['Ada Lovelace', 'Ada King'], 'cn;lang-fr': ['Ada la Première'], sn: [], givenName: ['Ada'] },
  ],
  ['options', ['(cn;lang-fr=*)'], ['cn'], { cn: [], 'cn;lang-fr': ['Ada la Première'] }],
  ['a rule and a type', ['(cn:caseExactMatch:=Ada King)'], ['cn;lang-fr', 'cn'], { cn: ['Ada King'], 'cn;lang-fr': [] }],
  ['a rule alone', ['(:caseIgnoreMatch:=ADA)'], ['uid', 'givenName', 'mail'], { uid: ['ada'], givenName: ['Ada'], mail: [] }],
  ['what no schema defines fits nothing', ['(favouriteColour=teal)'], ['uid'], { uid: [] }],
  ['attributes that are worked out', ['(entryDN=*)'], ['entryDN', 'uid'], { uid: [], entryDN: [person('ada')] }],
];

for (const [title, filters, attributes, shown] of values) {
  test(`RFC 3876: ${title}`, async (t) => t.deepEqual(await matched(t, filters, { attributes }), shown));
}

test('RFC 3876 §2: with typesOnly it has no effect', async (t) => {
  t.deepEqual(await matched(t, ['(cn=nobody)'], { attributes: ['sn'], typesOnly: true }), { sn: [] });
});

const listed: readonly [title: string, filters: readonly string[], found: readonly string[]][] = [
  ['one member, as it is written', [`(member=${person('m77')})`], [person('m77')]],
  ['one member, written otherwise', [`(member=UID=M77, ${people})`], [person('m77')]],
  ['two members', [`(member=${person('m77')})`, `(member=${person('m5').toUpperCase()})`], [person('m5'), person('m77')]],
  ['a member that it does not have', [`(member=${person('nobody')})`], []],
  ['no name', ['(member=nobody)'], []],
  ['a supertype', [`(distinguishedName=${person('m77')})`], [person('m77')]],
  ['another attribute', ['(cn=*)'], []],
];

for (const [title, filters, found] of listed) {
  test(`RFC 3876: of a list of a thousand members: ${title}`, async (t) => {
    const operator = (await furnishedHouse(t)).operator();
    const member = Array.from({ length: 1000 }, (_, at) => person(`m${at}`));
    await operator.add(`cn=many,ou=groups,${suffix}`, { objectClass: 'groupOfNames', cn: 'many', member });
    const { entries } = await operator.search(suffix, '(cn=many)', { attributes: ['member'] }, [matching(...filters)]);
    t.deepEqual([...(entries[0]?.all('member') ?? [])].sort(), [...found].sort());
    const all = await operator.search(suffix, '(cn=many)', { attributes: ['member'] }, [matching('(member=*)')]);
    t.is(all.entries[0]?.all('member').length, 1000);
  });
}

test('a list that is longer than may be dereferenced is not even read', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const member = Array.from({ length: 1001 }, (_, at) => person(`m${at}`));
  await operator.add(`cn=many,ou=groups,${suffix}`, { objectClass: 'groupOfNames', cn: 'many', member });
  t.is((await operator.search(suffix, '(cn=many)', {}, [dereferenced({ member: ['uid'] })])).code, 11);
  const other = await operator.search(suffix, '(cn=many)', { attributes: ['cn'] }, [dereferenced({ member: ['uid'] }, false)]);
  t.deepEqual([other.code, other.entries[0]?.controls], [0, []]);
});

test('RFC 3876: of the root DSE, too', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  const attributes = ['supportedLDAPVersion', 'supportedControl'];
  const { entries } = await client.search('', '(objectClass=*)', { scope: 'base', attributes }, [matching('(supportedLDAPVersion=*)')]);
  t.deepEqual([entries[0]?.all('supportedLDAPVersion'), entries[0]?.all('supportedControl')], [['3'], []]);
});

test('RFC 4528 §4: an assertion is held against root DSE and schema, too', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  const asserting = (filter: string): Control => ({
    oid: '1.3.6.1.1.12',
    critical: true,
    value: encodeBer((ber) => ber.filter(filterOf(filter))),
  });
  for (const base of ['', 'cn=Subschema']) {
    const ask = async (filter: string) => (await client.search(base, '(objectClass=*)', { scope: 'base' }, [asserting(filter)])).code;
    t.deepEqual([await ask('(objectClass=top)'), await ask('(objectClass=person)')], [0, 122], base);
  }
});

test('RFC 3876: matched values show nothing that one may not read', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  await house.operator().modify(person('alan'), ['add', 'employeeNumber', '1912']);
  const ask = (who: Client) =>
    who.search(person('alan'), '(uid=alan)', { attributes: ['employeeNumber', 'userPassword'] }, [
      matching('(employeeNumber=*)', '(userPassword=*)'),
    ]);
  t.deepEqual((await ask(client)).entries[0]?.names, []);
  t.deepEqual((await ask(house.operator())).entries[0]?.names, ['employeeNumber']);
});

for (const [title, filters] of [
  ['and', ['(&(cn=a)(sn=b))']],
  ['an empty or', ['(|)']],
  ['not', ['(!(cn=a))']],
  ['dn', ['(cn:dn:=a)']],
  ['no item at all', []],
  ['more items than anybody needs', Array.from({ length: 65 }, () => '(cn=a)')],
] as const) {
  test(`RFC 3876 §2: ${title} is no simple filter item: protocolError`, async (t) => {
    const operator = (await furnishedHouse(t)).operator();
    t.is((await operator.search(people, '(uid=ada)', {}, [matching(...filters)])).code, 2);
  });
}

test('dereference: for each value the attributes of its entry, for one without an entry none', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  await operator.modify(pioneers, ['add', 'member', person('gone')], ['add', 'owner', admin]);
  const asked = dereferenced({ member: ['cn', 'mail', 'jpegPhoto'], owner: ['uid'] });
  const { entries, code } = await operator.search(suffix, '(|(cn=pioneers)(uid=ada))', { attributes: ['1.1'] }, [asked]);
  t.is(code, 0);
  const group = entries.find(({ dn }) => dn === pioneers);
  t.deepEqual(dereferencesOf(group), [
    ['member', person('ada'), { cn: ['Ada Lovelace', 'Ada King'], 'cn;lang-fr': ['Ada la Première'], mail: ['ada@example.com'] }],
    ['member', person('alan'), { cn: ['Alan Turing'], mail: ['alan@example.com'] }],
    ['member', person('gone'), undefined],
    ['owner', admin, { uid: ['admin'] }],
  ]);
  t.deepEqual(entries.find(({ dn }) => dn === person('ada'))?.controls, []);
});

test('dereference: the rules of access hold on the group, on its attribute and on each entry that it names', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await operator.modify(
    person('alan'),
    ['add', 'employeeNumber', '1912'],
    ['add', 'manager', person('ada')],
    ['add', 'secretary', person('ada')],
  );
  await operator.modify(pioneers, ['add', 'member', `ou=applications,${suffix}`]);
  const asked = dereferenced({ member: ['employeeNumber', 'uid', 'ou', 'userPassword'] });
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  const as = async (who: Client) => dereferencesOf((await who.search(pioneers, '(cn=*)', {}, [asked])).entries[0]);
  t.deepEqual(await as(client), [
    ['member', person('ada'), { uid: ['ada'], employeeNumber: ['1815'] }],
    ['member', person('alan'), { uid: ['alan'] }],
    // One may not see it: the same as for an entry that is not there.
    ['member', `ou=applications,${suffix}`, undefined],
  ]);
  t.deepEqual((await as(operator))?.[2]?.[2], { ou: ['applications'] });
  // Nobody but administrators reads who somebody's secretary is: there is no control at all.
  const { entries } = await client.search(person('alan'), '(uid=alan)', {}, [dereferenced({ secretary: ['uid'] })]);
  t.deepEqual([entries.length, entries[0]?.controls], [1, []]);
  const anonymous = await house.connect().search(pioneers, '(cn=*)', {}, [asked]);
  t.deepEqual([anonymous.code, anonymous.entries.length], [32, 0]);
});

test('dereference: memberOf, which no entry stores, names entries like any other', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const { entries } = await operator.search(person('ada'), '(uid=ada)', {}, [dereferenced({ memberOf: ['cn', 'description'] })]);
  t.deepEqual(dereferencesOf(entries[0]), [['memberOf', pioneers, { cn: ['pioneers'], description: ['first'] }]]);
});

const unfit: readonly [title: string, specs: Parameters<typeof dereferenced>[0], critical: number, other: number][] = [
  ['an attribute that no schema defines', { favouriteColour: ['uid'] }, 2, 2],
  ['one whose values are no names', { cn: ['uid'] }, 2, 0],
  ['attributes that no schema defines', { member: ['favouriteColour'] }, 2, 2],
  ['no attributes', { member: [] }, 2, 2],
  ['nothing', {}, 2, 2],
];

for (const [title, specs, critical, other] of unfit) {
  test(`dereference of ${title}: ${critical} where it is critical, ${other} where it is not, as slapd answers`, async (t) => {
    const operator = (await furnishedHouse(t)).operator();
    t.is((await operator.search(pioneers, '(cn=*)', {}, [dereferenced(specs)])).code, critical);
    t.is((await operator.search(pioneers, '(cn=*)', {}, [dereferenced(specs, false)])).code, other);
  });
}

test('dereference is bounded for each entry: a critical one is refused with adminLimitExceeded, another left out', async (t) => {
  const operator = (await furnishedHouse(t, { 'ldap.dereferencesMax': 2 })).operator();
  const ask = (critical: boolean) => operator.search(pioneers, '(cn=*)', {}, [dereferenced({ member: ['uid'] }, critical)]);
  t.is(dereferencesOf((await ask(true)).entries[0])?.length, 2);
  await operator.modify(pioneers, ['add', 'member', admin]);
  t.is((await ask(true)).code, 11);
  const other = await ask(false);
  t.deepEqual([other.code, other.entries.length, other.entries[0]?.controls], [0, 1, []]);
});

test('dereference goes with pages', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const { entries, code } = await operator.search(`ou=groups,${suffix}`, '(objectClass=groupOfNames)', {}, [
    dereferenced({ member: ['uid'] }),
    paged(5),
  ]);
  t.is(code, 0);
  t.is(dereferencesOf(entries[0])?.length, 2);
});

const tracked = session('192.0.2.99', 'kiosk 7', '1.3.6.1.4.1.21008.108.63.1.3', 'ada');
const said = '; session from "192.0.2.99" host "kiosk 7" format "1.3.6.1.4.1.21008.108.63.1.3" id "ada"';

test('session tracking: what a client says of its session stands in the audit row of every operation that leaves one', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect('ldaps');
  const nobody = `uid=nobody,${people}`;
  await client.bind(admin, 'administrator’s own', [tracked]);
  await client.bind(admin, 'administrator’s own');
  await client.ask({ kind: 'addRequest', entry: person('new'), attributes: [] }, [tracked]);
  await client.ask({ kind: 'modifyRequest', object: nobody, changes: [] }, [tracked]);
  await client.ask({ kind: 'modifyDNRequest', entry: nobody, newRdn: 'uid=x', deleteOldRdn: true }, [tracked]);
  await client.ask({ kind: 'delRequest', entry: person('alan') }, [tracked]);
  await client.ask({ kind: 'compareRequest', entry: nobody, description: 'uid', value: new Uint8Array(0) }, [tracked]);
  await client.ask({ kind: 'extendedRequest', oid: '1.2.3' }, [tracked]);
  await client.search(nobody, '(uid=*)', {}, [tracked]);
  const rows = house.audited.map(({ action, summary }) => [action, summary.endsWith(said)]);
  t.deepEqual(rows, [
    ['ldap.bind', true],
    ['ldap.bind', false],
    ['ldap.add', true],
    ['ldap.modify', true],
    ['ldap.modifyDN', true],
    ['ldap.delete', true],
    ['ldap.compare', true],
    ['ldap.extended', true],
    ['ldap.search', true],
  ]);
});

test('session tracking: what it says cannot pass for something else, and is short', async (t) => {
  const house = await furnishedHouse(t);
  const evil = session('', '"; session id "root"\n\u0000\u202e\\', '', '𝒳'.repeat(65_000 / 2));
  await house.connect().search(person('ada'), '(uid=*)', {}, [evil]);
  const summary = house.audited.at(-1)?.summary ?? '';
  t.is(summary.slice(summary.indexOf('; session ')), `; session host "'; session id 'root'???'" id "${'𝒳'.repeat(64)}…"`);
});

test('session tracking: longer than the draft allows, or unreadable, is a protocolError', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  const ask = async (control: Control) => (await client.search('', '(objectClass=*)', { scope: 'base' }, [control])).code;
  t.is(await ask(session('x'.repeat(129), '', '', '')), 2);
  t.is(await ask(session('', 'x'.repeat(65_537), '', '')), 2);
  t.is(await ask({ ...tracked, value: Uint8Array.of(0x30, 0) }), 2);
  t.is(await ask(tracked), 0);
});

test('RFC 4529: @class stands for all that the class and its superiors allow', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const names = async (attributes: readonly string[], typesOnly = false) => {
    const { entries } = await operator.search(person('ada'), '(uid=ada)', { attributes, typesOnly });
    return [...(entries[0]?.names ?? [])].sort();
  };
  t.deepEqual(await names(['@person']), ['cn', 'cn;lang-fr', 'objectClass', 'sn', 'telephoneNumber']);
  t.deepEqual(await names(['@2.5.6.6']), await names(['@PERSON']));
  t.deepEqual(await names(['@organizationalPerson', 'mail']), ['cn', 'cn;lang-fr', 'mail', 'objectClass', 'sn', 'telephoneNumber']);
  t.deepEqual(await names(['@inetOrgPerson']), [...Object.keys(ada)].sort());
  t.deepEqual(await names(['@extensibleObject']), [...Object.keys(ada)].sort());
  t.deepEqual(await names(['@person'], true), await names(['@person']));
  t.deepEqual(await names(['@person;lang-fr']), ['cn;lang-fr']);
  t.deepEqual(await names(['@nothing']), []);
  t.deepEqual(await names(['@nothing', '1.1']), []);
  t.deepEqual(await names(['@top', '1.1']), ['objectClass']);
});

test('RFC 4529: @class selects nothing that one may not read', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.connect('ldaps');
  await client.bind(person('ada'), 'lovelace');
  const { entries } = await client.search(admin, '(uid=*)', { attributes: ['@inetOrgPerson', '@extensibleObject'] });
  t.deepEqual([...(entries[0]?.names ?? [])].sort(), ['cn', 'objectClass', 'sn', 'uid']);
});

test('the root DSE lists the controls of searches and @class', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  const { entries } = await client.search('', '(objectClass=*)', { scope: 'base', attributes: ['+'] });
  const listed = [...(entries[0]?.all('supportedControl') ?? []), ...(entries[0]?.all('supportedFeatures') ?? [])];
  const expected = [
    '1.2.840.113556.1.4.319',
    '1.2.840.113556.1.4.473',
    '2.16.840.1.113730.3.4.9',
    '1.2.826.0.1.3344810.2.3',
    '1.3.6.1.4.1.4203.666.5.16',
    '1.3.6.1.4.1.21008.108.63.1',
    '1.3.6.1.4.1.4203.1.5.2',
  ];
  t.deepEqual(
    expected.filter((oid) => !listed.includes(oid)),
    [],
  );
});

test('controls of random octets are refused or obeyed, and never a defect', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const models: readonly Control[] = [
    paged(2),
    sortedBy('uidNumber/-cn:caseIgnoreOrderingMatch'),
    viewed(1, 1, [2, 0], new Uint8Array(16)),
    viewed(1, 1, 'ada'),
    matching('(cn=a*b)', '(cn:caseExactMatch:=x)'),
    dereferenced({ member: ['cn', 'sn'] }),
    tracked,
  ];
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const codes = new Map<number, number>();
  for (let round = 0; round < 4000; round++) {
    const model = models[random(models.length)] as Control;
    const value = Buffer.from(model.value ?? []);
    for (let times = random(4); times >= 0 && value.length > 0; times--) value[random(value.length)] = random(256);
    const cut = random(8) === 0 ? value.subarray(0, random(value.length)) : value;
    const more = random(3) === 0 ? [] : [sortedBy('cn:caseIgnoreOrderingMatch', false)].filter(({ oid }) => oid !== model.oid);
    const control = { oid: model.oid, critical: random(2) === 0, value: cut };
    const { code } = await operator.search(suffix, '(|(uid=ada)(cn=pioneers))', {}, [control, ...more]);
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  t.deepEqual(
    [...codes.keys()].filter((code) => ![0, 2, 4, 11, 12, 53, 76].includes(code)),
    [],
  );
  t.true((codes.get(0) ?? 0) > 100 && (codes.get(2) ?? 0) > 100);
});
