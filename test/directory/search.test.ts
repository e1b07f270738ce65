import test from 'ava';
import { createDirectory, explain, importLive } from '#directory';
import type { LdifContent } from '#ldap';
import {
  type Attributes,
  attributesOf,
  emptyHouse,
  furnishedHouse,
  type House,
  houseWithVault,
  person,
  replySink,
  searchOf,
  suffix,
  vault,
} from './driver.ts';

const people = `ou=people,${suffix}`;

type Asked = Parameters<ReturnType<Awaited<ReturnType<typeof furnishedHouse>>['operator']>['search']>[2];

const scopes: readonly [
  title: string,
  base: string,
  scope: 'base' | 'one' | 'sub' | 'children',
  filter: string,
  found: readonly string[],
][] = [
  ['base finds the entry itself', people, 'base', '(objectClass=*)', [people]],
  ['base with a filter that does not fit finds nothing', people, 'base', '(ou=groups)', []],
  [
    'one finds the entries directly below',
    suffix,
    'one',
    '(objectClass=*)',
    ['people', 'groups', 'applications'].map((ou) => `ou=${ou},${suffix}`),
  ],
  ['one by an index finds no entry further down', suffix, 'one', '(uid=ada)', []],
  ['sub by an index', suffix, 'sub', '(uid=ada)', [person('ada')]],
  ['sub finds the base too', people, 'sub', '(objectClass=organizationalUnit)', [people]],
  ['children leaves the base out', people, 'children', '(objectClass=organizationalUnit)', []],
  ['an index finds nothing outside the base', `ou=groups,${suffix}`, 'sub', '(uid=ada)', []],
  ['values match by their rules, names in any case or by OID', suffix, 'sub', '(0.9.2342.19200300.100.1.1=  ADA )', [person('ada')]],
  ['a supertype finds by its subtypes', suffix, 'sub', '(name=ada king)', [person('ada')]],
  ['a type finds by its options', suffix, 'sub', '(cn=Ada la Première)', [person('ada')]],
  ['an option does not find what lacks it', suffix, 'sub', '(cn;lang-fr=Ada King)', []],
  ['initial substrings', suffix, 'sub', '(cn=ada l*)', [person('ada')]],
  ['substrings anywhere', suffix, 'sub', '(mail=*@EXAMPLE*)', [person('ada'), person('alan')]],
  ['a class finds the classes below it', people, 'sub', '(&(objectClass=person)(!(uid=admin)))', [person('ada'), person('alan')]],
  ['or of two indexes', suffix, 'sub', '(|(uid=alan)(uid=ada))', [person('ada'), person('alan')]],
  [
    'members of a group by their normalized name',
    suffix,
    'sub',
    '(member=UID=Ada, OU=People, DC=example,DC=com)',
    [`cn=pioneers,ou=groups,${suffix}`],
  ],
  ['RFC 4526: an empty and is true, an empty or false', people, 'base', '(&(&)(!(|)))', [people]],
  ['an attribute that no schema defines is Undefined', suffix, 'sub', '(|(noSuchThing=1)(!(noSuchThing=1)))', []],
  ['a value that does not fit is Undefined', suffix, 'sub', '(uidNumber=seven)', []],
  [
    'a comparison without an index walks the scope',
    people,
    'sub',
    '(&(createTimestamp>=20200101000000Z)(!(uid=ada))(!(|(uid=admin)(ou=people))))',
    [person('alan')],
  ],
];

for (const [title, base, scope, filter, found] of scopes) {
  test(`search: ${title}`, async (t) => {
    const { dns, code } = await (await furnishedHouse(t)).operator().search(base, filter, { scope });
    t.is(code, 0);
    t.deepEqual([...dns].sort(), [...found].sort());
  });
}

test('entryUUID finds its entry', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const uuid = (await operator.search(person('ada'), '(uid=ada)', { attributes: ['entryUUID'] })).entries[0]?.all('entryUUID')[0] ?? '';
  t.deepEqual((await operator.search(suffix, `(entryUUID=${uuid.toUpperCase()})`)).dns, [person('ada')]);
});

const selections: readonly [title: string, asked: Asked, names: readonly string[]][] = [
  ['names in any case and OIDs', { attributes: ['SN', '2.5.4.42'] }, ['sn', 'givenName']],
  ['a type selects its options', { attributes: ['cn'] }, ['cn', 'cn;lang-fr']],
  ['an option selects only what has it', { attributes: ['cn;lang-fr'] }, ['cn;lang-fr']],
  ['a supertype selects its subtypes', { attributes: ['name'] }, ['cn', 'cn;lang-fr', 'sn', 'givenName']],
  ['1.1 selects nothing', { attributes: ['1.1'] }, []],
  ['unknown names are ignored', { attributes: ['noSuchThing', 'uid'] }, ['uid']],
  [
    '+ selects what is kept beside',
    { attributes: ['+'] },
    [
      'pwdChangedTime',
      'structuralObjectClass',
      'entryUUID',
      'entryCSN',
      'createTimestamp',
      'modifyTimestamp',
      'creatorsName',
      'modifiersName',
      'entryDN',
      'subschemaSubentry',
      'hasSubordinates',
      'memberOf',
    ],
  ],
  ['an operational attribute comes only when it is named', { attributes: ['uid', 'entryDN'] }, ['uid', 'entryDN']],
  ['memberOf names the groups', { attributes: ['memberof'] }, ['memberOf']],
];

for (const [title, asked, names] of selections) {
  test(`selection: ${title}`, async (t) => {
    const { entries } = await (await furnishedHouse(t)).operator().search(person('ada'), '(objectClass=*)', asked);
    t.deepEqual(entries[0]?.names, names);
    const { entries: types } = await (await furnishedHouse(t))
      .operator()
      .search(person('ada'), '(objectClass=*)', { ...asked, typesOnly: true });
    t.deepEqual(types[0]?.names, names);
    t.true(types[0]?.attributes.every(({ values }) => values.length === 0));
  });
}

test('without a selection all user attributes come, values in the order given', async (t) => {
  const { entries } = await (await furnishedHouse(t)).operator().search(person('ada'), '(objectClass=*)');
  t.deepEqual(entries[0]?.all('cn'), ['Ada Lovelace', 'Ada King']);
  t.deepEqual(entries[0]?.all('objectClass'), ['top', 'person', 'organizationalPerson', 'inetOrgPerson']);
  t.false(entries[0]?.names.includes('entryUUID'));
});

test('computed attributes say what is so', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const of = async (dn: string) =>
    (
      await operator.search(dn, '(objectClass=*)', {
        scope: 'base',
        attributes: ['hasSubordinates', 'entryDN', 'memberOf', 'subschemaSubentry'],
      })
    ).entries[0];
  t.deepEqual((await of(people))?.all('hasSubordinates'), ['TRUE']);
  const ada = await of(person('ada'));
  t.deepEqual(ada?.all('hasSubordinates'), ['FALSE']);
  t.deepEqual(ada?.all('entryDN'), [person('ada')]);
  t.deepEqual(ada?.all('memberOf'), [`cn=pioneers,ou=groups,${suffix}`]);
  t.deepEqual(ada?.all('subschemaSubentry'), ['cn=Subschema']);
});

test('RFC 4511 §4.5.2: at the size limit what was found so far comes, then code 4', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const { code, entries } = await operator.search(people, '(objectClass=person)', { sizeLimit: 2 });
  t.deepEqual([code, entries.length], [4, 2]);
  t.is((await operator.search(people, '(objectClass=person)', { sizeLimit: 3 })).code, 0);
});

test('a person’s search returns no more than ldap.searchSizeLimit, an administrator’s as many as they ask for', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.searchSizeLimit': 1 });
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const { code, entries } = await client.search(people, '(objectClass=person)', { sizeLimit: 100 });
  t.deepEqual([code, entries.length], [4, 1]);
  t.is((await house.operator().search(people, '(objectClass=person)')).code, 0);
});

test('a search that takes longer than its limit ends with code 3', async (t) => {
  const house = emptyHouse(t);
  const operator = house.operator();
  await manyPeople(house, 300);
  const sink = replySink(() => {
    house.clock.moveMs(2000);
    return undefined;
  });
  const op = { ...searchOf(suffix, '(description=x)'), timeLimitS: 3 };
  // Each turn costs two seconds here: the second is within the limit, and there is no third.
  await createDirectory(house.engine).perform(operator.connection, { messageId: 1, op, controls: [] }, sink.reply);
  t.is(sink.answers().code, 0);
  const hasty = replySink(() => {
    house.clock.moveMs(2000);
    return undefined;
  });
  await manyPeople(house, 600, 300);
  await createDirectory(house.engine).perform(operator.connection, { messageId: 2, op, controls: [] }, hasty.reply);
  t.is(hasty.answers().code, 3);
});

test('who reads memberOf of many is shown some at a time, by how many groups they are in', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const members = Array.from({ length: 9 }, (_, at) => `m${at}`);
  for (const uid of members) await operator.add(person(uid), { objectClass: 'inetOrgPerson', uid, cn: 'x', sn: 'x' });
  for (let at = 0; at < 500; at++) {
    await operator.add(`cn=g${at},ou=groups,${suffix}`, { objectClass: 'groupOfNames', cn: `g${at}`, member: members.map(person) });
  }
  const shown: number[] = [];
  const sink = replySink(() => {
    shown.push(sink.entries.length);
    return undefined;
  });
  const op = { ...searchOf(suffix, '(cn=x)'), attributes: ['memberOf'] };
  await createDirectory(house.engine).perform(operator.connection, { messageId: 1, op, controls: [] }, sink.reply);
  t.is(sink.entries.length, 9);
  t.true(sink.entries.every(({ all }) => all('memberOf').length === 500));
  t.deepEqual(shown, [5]);
});

test('a search waits for a peer that does not read, and stops when it is gone', async (t) => {
  const house = emptyHouse(t);
  const operator = house.operator();
  await manyPeople(house, 600);
  const held: (() => void)[] = [];
  const end = new AbortController();
  const sink = replySink(() => new Promise<void>((resolve) => held.push(resolve)), end.signal);
  const running = createDirectory(house.engine).perform(
    operator.connection,
    { messageId: 1, op: searchOf(suffix, '(objectClass=person)'), controls: [] },
    sink.reply,
  );
  await new Promise((resolve) => setImmediate(resolve));
  const sent = sink.entries.length;
  t.true(sent > 0 && sent < 600, String(sent));
  t.is(held.length, 1);
  end.abort();
  held[0]?.();
  await running;
  t.is(sink.entries.length, sent);
  t.is(sink.sent.length, 0);
});

test('a long search lets others have the event loop', async (t) => {
  const house = emptyHouse(t);
  const operator = house.operator();
  await manyPeople(house, 800);
  let done = false;
  let turns = 0;
  const searching = operator.search(suffix, '(!(description=*))').then(() => {
    done = true;
  });
  while (!done) {
    turns++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await searching;
  t.true(turns >= 3, String(turns));
});

test('explain: an indexed search reads the same number of rows at 1,000 and at 20,000 entries, a page of administration at most twice as many', async (t) => {
  const house = emptyHouse(t);
  const filters = ['(uid=p500)', '(cn=person 500)', '(&(objectClass=person)(uid=p500))', '(|(uid=p1)(uid=p500))', '(uid=p500*)'];
  /** As administration asks for a page of a list, of what is found, and for one person. */
  const word = (text: string) =>
    `(&(objectClass=person)(|${['uid', 'cn', 'displayName', 'mail'].map((name) => `(${name}=*${text}*)`).join('')}))`;
  const administered = [
    '(objectClass=person)',
    '(!(!(objectClass=person)))',
    word('person'),
    word('person 500'),
    '(&(objectClass=person)(uid=p500))',
  ];
  const pages = () => Promise.all(administered.map((filter) => explain(house.engine, searchOf(suffix, filter), 50)));
  await manyPeople(house, 1000);
  const at1000 = await Promise.all(filters.map((filter) => explain(house.engine, searchOf(suffix, filter))));
  const pagesAt1000 = await pages();
  await manyPeople(house, 19_000, 100_000);
  const at20000 = await Promise.all(filters.map((filter) => explain(house.engine, searchOf(suffix, filter))));
  t.deepEqual(at20000, at1000);
  for (const [at, { visited, entries }] of (await pages()).entries()) {
    const before = pagesAt1000[at];
    t.is(entries, before?.entries ?? 0, administered[at]);
    t.true(visited <= 2 * (before?.visited ?? 0), `${administered[at]}: ${before?.visited} and ${visited}`);
  }
  for (const { plan, visited } of at1000) {
    t.is(plan, 'index');
    t.true(visited < 50, String(visited));
  }
  const walked = await explain(house.engine, searchOf(suffix, '(!(description=x))'));
  t.is(walked.plan, 'walk');
  t.true(walked.visited > 20_000);
});

test('the root DSE names what this server does at this door, operational attributes only when asked', async (t) => {
  const house = await furnishedHouse(t);
  const root = async (door: 'ldap' | 'operators', attributes: readonly string[]) =>
    (await house.connect(door).search('', '(objectClass=*)', { scope: 'base', attributes })).entries[0];
  t.deepEqual((await root('ldap', []))?.names, ['objectClass']);
  const all = await root('ldap', ['+']);
  t.deepEqual(all?.all('namingContexts'), [suffix]);
  t.deepEqual(all?.all('subschemaSubentry'), ['cn=Subschema']);
  const extensions = all?.all('supportedExtension') ?? [];
  const isOwn = (oid: string) => oid.startsWith('2.25.83716444157178576224225129172109131643.6.');
  t.deepEqual(
    extensions.filter((oid) => !isOwn(oid)),
    ['1.3.6.1.4.1.4203.1.11.3', '1.3.6.1.4.1.4203.1.11.1', '1.3.6.1.1.21.1', '1.3.6.1.1.21.3', '1.3.6.1.4.1.1466.101.119.1'],
  );
  t.deepEqual(extensions.filter(isOwn).length > 0, true);
  t.deepEqual(all?.all('supportedLDAPVersion'), ['3']);
  t.deepEqual(all?.all('vendorName'), ['Atrium']);
  t.deepEqual(all?.all('supportedSASLMechanisms'), []);
  t.deepEqual((await root('operators', ['supportedSASLMechanisms']))?.all('supportedSASLMechanisms'), ['EXTERNAL', 'PLAIN']);
});

test('the subschema subentry describes the schema, secret attributes included by name', async (t) => {
  const client = (await furnishedHouse(t)).connect();
  const { entries } = await client.search('cn=Subschema', '(objectClass=subschema)', {
    scope: 'base',
    attributes: ['attributeTypes', 'objectClasses'],
  });
  t.true(entries[0]?.all('attributeTypes').some((text) => text.includes("'uid'")));
  t.true(entries[0]?.all('objectClasses').some((text) => text.includes("'inetOrgPerson'")));
  t.is((await client.search('cn=subschema', '(objectClass=*)', { scope: 'one' })).entries.length, 0);
});

test('RFC 4511 §4.1.11: an unknown critical control refuses the operation, an uncritical one is ignored', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  t.is((await operator.ask(searchOf(suffix, '(uid=ada)'), [{ oid: '1.2.3.4', critical: true }])).code, 12);
  t.is((await operator.ask(searchOf(suffix, '(uid=ada)'), [{ oid: '1.2.3.4', critical: false }])).entries.length, 1);
});

test('noSuchObject names the nearest entry above that one may see', async (t) => {
  const { result } = await (await furnishedHouse(t)).operator().search(`cn=x,cn=y,ou=people,${suffix}`, '(objectClass=*)');
  t.deepEqual([result.code, result.matchedDN], [32, people]);
  t.is((await (await furnishedHouse(t)).operator().search('dc=elsewhere', '(objectClass=*)')).code, 32);
  t.is((await (await furnishedHouse(t)).operator().search('nonsense', '(objectClass=*)')).code, 34);
});

/** People directly below the suffix, which is made with the first of them. */
async function manyPeople(house: House, count: number, from = 0): Promise<void> {
  const suffixEntry = content(suffix, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' });
  const people = Array.from({ length: count }, (_, n) => n + from).map((n) =>
    content(`uid=p${n},${suffix}`, { objectClass: 'inetOrgPerson', uid: `p${n}`, cn: `Person ${n}`, sn: 'Person' }),
  );
  await importLive(house.engine, from === 0 ? [suffixEntry, ...people] : people);
}

function content(dn: string, attributes: Attributes): LdifContent {
  return { kind: 'content', line: 0, dn, attributes: attributesOf(attributes) };
}

test('a name of many levels costs no more than the tree is deep', async (t) => {
  const { engine } = await furnishedHouse(t);
  let looked = 0;
  const store = {
    ...engine.store,
    snapshot: () => {
      const snapshot = engine.store.snapshot();
      const byDnKey = snapshot.byDnKey.bind(snapshot);
      return Object.assign(snapshot, {
        byDnKey: (key: Uint8Array) => {
          looked++;
          return byDnKey(key);
        },
      });
    },
  };
  const sink = replySink();
  const request = searchOf(`${'cn=a,'.repeat(5000)}ou=people,${suffix}`, '(objectClass=*)');
  const operator = (await furnishedHouse(t)).operator().connection;
  await createDirectory({ ...engine, store }).perform(operator, { messageId: 1, op: request, controls: [] }, sink.reply);
  t.like(sink.answers().result, { code: 32, matchedDN: people });
  t.true(looked <= 4);
});

test('a filter of many assertions looks at few entries before others have the loop', async (t) => {
  const house = await furnishedHouse(t);
  const many = `(|${'(cn=*nothing*)'.repeat(4500)}(uid=*))`;
  let turns = 0;
  const sink = replySink(() => {
    turns++;
    return undefined;
  });
  const op = searchOf(suffix, many);
  await createDirectory(house.engine).perform(house.operator().connection, { messageId: 1, op, controls: [] }, sink.reply);
  t.is(sink.answers().entries.length, 3);
  // One for each entry.
  t.is(turns, 8);
});

test('entries of many octets are read a few at a time', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  for (const uid of ['ada', 'alan', 'admin']) await operator.modify(person(uid), ['add', 'description', 'x'.repeat(600_000)]);
  const counts: number[] = [];
  const sink = replySink(() => {
    counts.push(sink.entries.length);
    return undefined;
  });
  const op = searchOf(people, '(uid=*)');
  await createDirectory(house.engine).perform(operator.connection, { messageId: 1, op, controls: [] }, sink.reply);
  t.is(sink.answers().entries.length, 3);
  t.deepEqual(counts, [2]);
});

test('a branch that stands many times in an or is not read as often: the scope is walked', async (t) => {
  const house = await furnishedHouse(t, { 'ldap.searchCandidatesMax': 1000 });
  const often = `(|${'(cn=*)'.repeat(1001)})`;
  const explained = await explain(house.engine, searchOf(suffix, often));
  t.is(explained.plan, 'walk');
  t.is(explained.entries, 4);
});

test('RFC 4511 §4.10: what a search shows can be compared, be it stored or worked out', async (t) => {
  const house = await furnishedHouse(t);
  const group = `cn=pioneers,ou=groups,${suffix}`;
  const cases: readonly [name: string, value: string, code: number][] = [
    ['memberOf', group, 6],
    ['memberOf', suffix, 5],
    ['entryDN', person('ada').toUpperCase(), 6],
    ['hasSubordinates', 'FALSE', 6],
    ['hasSubordinates', 'TRUE', 5],
  ];
  for (const [description, value, code] of cases) {
    const answers = await house.operator().ask({ kind: 'compareRequest', entry: person('ada'), description, value: Buffer.from(value) });
    t.is(answers.code, code, description);
  }
});

test('memberOf names no group that who asks may not see', async (t) => {
  const house = await houseWithVault(t);
  const hidden = `cn=hidden,${vault}`;
  await house.operator().add(hidden, { objectClass: 'groupOfNames', cn: 'hidden', member: person('ada') });
  const client = house.connect();
  await client.bind(person('ada'), 'lovelace');
  const memberOf = async (asks: typeof client) =>
    (await asks.search(person('ada'), '(uid=ada)', { attributes: ['memberOf'] })).entries[0]?.all('memberOf');
  t.deepEqual(await memberOf(client), [`cn=pioneers,ou=groups,${suffix}`]);
  t.is((await memberOf(house.operator()))?.length, 2);
  const asked = { kind: 'compareRequest', entry: person('ada'), description: 'memberOf', value: Buffer.from(hidden) } as const;
  t.is((await client.ask(asked)).code, 5);
});
