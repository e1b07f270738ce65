import test from 'ava';
import { utf8 } from '#base';
import { type OwnSchema, subschemaKey } from '#directory';
import {
  parseAttributeType,
  parseDitContentRule,
  parseMatchingRule,
  parseMatchingRuleUse,
  parseNameForm,
  parseObjectClass,
  parseSyntax,
} from '#ldap';
import { schemaErrors as rows, type schemaErrors } from '#schema';
import { paged, pageOf } from './control-values.ts';
import { type Attributes, type Client, furnishedHouse, person, suffix } from './driver.ts';

const subschema = 'cn=Subschema';
const arc = '1.3.6.1.4.1.32473.1';
const badge = `( ${arc}.1 NAME ( 'badgeNumber' 'badge' ) DESC 'on the door' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )`;
const holder = `( ${arc}.2 NAME 'badgeHolder' SUP top AUXILIARY MAY badgeNumber )`;
const alias = `( ${arc}.3 NAME 'stageName' SUP cn )`;

const define = async (client: Client) => {
  const { code, result } = await client.modify(subschema, ['add', 'attributeTypes', badge], ['add', 'objectClasses', holder]);
  if (code !== 0) throw new Error(result.diagnostic);
};

const bob: Attributes = { objectClass: ['inetOrgPerson', 'badgeHolder'], uid: 'bob', cn: 'Bob', sn: 'B', badgeNumber: 'A 7' };

test('RFC 4512 §4.2: a class and a type that are added by a modify of the subschema are used at once', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  t.is((await operator.add(person('bob'), bob)).code, rows.attributeTypeUndefined.sees.ldap);
  await define(operator);
  t.is((await operator.add(person('bob'), bob)).code, 0);
  for (const filter of [
    '(badgeNumber=a  7)',
    `(${arc}.1=a 7)`,
    '(BADGE=A*7)',
    '(objectClass=badgeHolder)',
    `(objectClass=${arc}.2)`,
    '(badge:caseExactMatch:=A 7)',
  ])
    t.deepEqual((await operator.search(suffix, filter)).dns, [person('bob')], filter);
  t.deepEqual((await operator.search(suffix, '(uid=bob)', { attributes: ['badge'] })).entries[0]?.all('badgeNumber'), ['A 7']);
  t.deepEqual((await operator.search(suffix, '(uid=bob)', { attributes: ['@badgeHolder', `${arc}.1`] })).entries[0]?.all('badgeNumber'), [
    'A 7',
  ]);
  t.is((await operator.modify(person('bob'), ['add', `${arc}.1`, 'B 8'], ['delete', 'badge', 'a 7'])).code, 0);
  t.is((await operator.ask({ kind: 'compareRequest', entry: person('bob'), description: 'badge', value: utf8('b 8') })).code, 6);
});

test('everybody reads the schema, and only who may read it of any entry reads who changed it', async (t) => {
  const house = await furnishedHouse(t);
  await define(house.operator());
  const ada = house.connect('ldaps');
  await ada.bind(person('ada'), 'lovelace');
  const names = ['creatorsName', 'modifiersName', 'entryCSN'];
  const shown = async (client: Client) => {
    const { entries } = await client.search(subschema, '(objectClass=*)', { scope: 'base', attributes: [...names, 'attributeTypes'] });
    return [names.filter((name) => entries[0]?.names.includes(name)), (entries[0]?.all('attributeTypes').length ?? 0) > 0];
  };
  t.deepEqual(await shown(house.operator()), [names, true]);
  t.deepEqual(
    [await shown(house.connect()), await shown(ada)],
    [
      [[], true],
      [[], true],
    ],
  );
  t.is((await house.connect().search(subschema, '(modifiersName=*)', { scope: 'base' })).dns.length, 0);
  t.is((await house.connect().ask({ kind: 'compareRequest', entry: subschema, description: 'modifiersName', value: utf8('') })).code, 16);
});

test('a change of the schema makes no search slower: what keeps it is found by no index, and under the name that it is looked for', async (t) => {
  const { engine, operator } = await furnishedHouse(t);
  await define(operator());
  const snapshot = engine.store.snapshot();
  t.is(snapshot.byDnKey(subschemaKey)?.dn, subschema);
  t.deepEqual(snapshot.idsEqual('objectclass', utf8('2.5.17.0'), 10), []);
  t.true(snapshot.idsEqual('objectclass', utf8('2.16.840.1.113730.3.2.2'), 10).length > 0);
});

test('RFC 4512 §2.5.1: what derives from an indexed type at run time is found by its supertype', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  t.is(
    (
      await operator.modify(
        subschema,
        ['add', 'attributeTypes', alias, badge],
        ['add', 'objectClasses', `( ${arc}.2 NAME 'actor' AUXILIARY MAY stageName )`],
      )
    ).code,
    0,
  );
  t.is((await operator.search(suffix, '(cn=ziggy)')).dns.length, 0);
  t.is((await operator.search(suffix, '(name=ziggy)')).dns.length, 0);
  t.is(
    (await operator.add(person('bob'), { objectClass: ['inetOrgPerson', 'actor'], uid: 'bob', cn: 'Bob', sn: 'B', stageName: 'Ziggy' }))
      .code,
    0,
  );
  for (const filter of ['(cn=ziggy)', '(cn=zig*)', '(name=ziggy)', '(stageName=ZIGGY)', '(name=*igg*)'])
    t.deepEqual((await operator.search(suffix, filter)).dns, [person('bob')], filter);
  t.deepEqual((await operator.search(suffix, '(uid=bob)', { attributes: ['name'] })).entries[0]?.all('stageName'), ['Ziggy']);
});

test('the subschema tells of what was added, and every definition in it parses', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const before = await operator.search(subschema, '(objectClass=subschema)', { scope: 'base', attributes: ['modifyTimestamp'] });
  house.clock.moveMs(61_000);
  await define(operator);
  const rule = `( 2.16.840.1.113730.3.2.2 NAME 'people' AUX ( badgeHolder $ posixAccount ) NOT drink )`;
  const form = `( ${arc}.4 NAME 'byUid' OC inetOrgPerson MUST uid )`;
  const structure = '( 1 FORM byUid )';
  const syntax = `( ${arc}.5 DESC 'Badge' X-SUBST '1.3.6.1.4.1.1466.115.121.1.15' )`;
  const added = await operator.modify(
    subschema,
    ['add', 'dITContentRules', rule],
    ['add', 'nameForms', form],
    ['add', 'dITStructureRules', structure],
    ['add', 'ldapSyntaxes', syntax],
  );
  t.is(added.code, 0, added.result.diagnostic);
  const [entry] = (await house.connect().search(subschema, '(objectClass=*)', { scope: 'base', attributes: ['*', '+'] })).entries;
  t.deepEqual(entry?.all('objectClass'), ['top', 'subentry', 'subschema', 'extensibleObject']);
  t.true((entry?.all('modifyTimestamp')[0] ?? '') > (before.entries[0]?.all('modifyTimestamp')[0] ?? 'z'));
  for (const name of ['createTimestamp', 'entryDN', 'structuralObjectClass', 'subschemaSubentry']) t.is(entry?.all(name).length, 1, name);
  t.true(entry?.all('attributeTypes').includes(badge));
  t.true(entry?.all('objectClasses').includes(holder));
  t.deepEqual(entry?.all('dITContentRules'), [rule]);
  t.deepEqual([entry?.all('nameForms'), entry?.all('dITStructureRules')], [[form], [structure]]);
  t.true(entry?.all('ldapSyntaxes').includes(syntax));
  t.true(entry?.all('matchingRuleUse').some((use) => use.includes("'caseIgnoreMatch'") && use.includes('badgeNumber')));
  const parsers = {
    attributeTypes: parseAttributeType,
    objectClasses: parseObjectClass,
    matchingRules: parseMatchingRule,
    matchingRuleUse: parseMatchingRuleUse,
    ldapSyntaxes: parseSyntax,
    dITContentRules: parseDitContentRule,
    nameForms: parseNameForm,
  };
  for (const [name, parse] of Object.entries(parsers)) for (const value of entry?.all(name) ?? []) t.is(parse(value).kind, 'parsed', value);
  const compared = await house
    .connect()
    .ask({ kind: 'compareRequest', entry: 'CN=subschema', description: 'attributeTypes', value: utf8('badge') });
  t.is(compared.code, 6);
});

const extensible = { objectClass: ['inetOrgPerson', 'extensibleObject'], uid: 'eve', cn: 'Eve', sn: 'E' };

const refusals: readonly [row: keyof typeof schemaErrors, why: string, act: (client: Client) => ReturnType<Client['modify']>][] = [
  ['definitionUnfit', 'it is no definition', (c) => c.modify(subschema, ['add', 'attributeTypes', '( 1.2.3 NAME )'])],
  [
    'definitionExists',
    'its OID is taken',
    (c) => c.modify(subschema, ['add', 'attributeTypes', badge.replace('badgeNumber', 'other').replace("'badge'", "'otter'")]),
  ],
  [
    'definitionExists',
    'its OID is one of a file',
    (c) => c.modify(subschema, ['add', 'attributeTypes', "( 2.5.4.3 NAME 'called' SUP name )"]),
  ],
  ['definitionRefused', 'its name is taken', (c) => c.modify(subschema, ['add', 'attributeTypes', `( ${arc}.9 NAME 'cn' SUP name )`])],
  [
    'definitionRefused',
    'what it derives from is not there',
    (c) => c.modify(subschema, ['add', 'objectClasses', `( ${arc}.9 NAME 'x' SUP nothing )`]),
  ],
  [
    'definitionRefused',
    'its syntax is not there',
    (c) => c.modify(subschema, ['add', 'attributeTypes', `( ${arc}.9 NAME 'x' SYNTAX 1.2.3 )`]),
  ],
  ['definitionBuiltIn', 'it comes from a file', (c) => c.modify(subschema, ['delete', 'attributeTypes', '( 2.5.4.3 )'])],
  ['definitionAbsent', 'there is none', (c) => c.modify(subschema, ['delete', 'attributeTypes', `( ${arc}.9 )`])],
  ['definitionNeeded', 'a class names it', (c) => c.modify(subschema, ['delete', 'attributeTypes', badge])],
];

for (const [name, why, act] of refusals) {
  test(`${name}: ${why}, and nothing of the change is made`, async (t) => {
    const house = await furnishedHouse(t);
    const operator = house.operator();
    await define(operator);
    const definitions = async () =>
      (await operator.search(subschema, '(objectClass=*)', { scope: 'base', attributes: ['+'] })).entries[0]?.attributes;
    const before = await definitions();
    const { code, result } = await act(operator);
    t.is(code, rows[name].sees.ldap);
    t.notRegex(result.diagnostic, /[{}]|STS-/);
    t.is(house.audited.at(-1)?.error?.code, rows[name].code);
    t.deepEqual(await definitions(), before);
  });
}

type Removal = ['delete', string, string];
const both: readonly Removal[] = [
  ['delete', 'objectClasses', holder],
  ['delete', 'attributeTypes', badge],
];
const users: readonly [why: string, use: (client: Client) => ReturnType<Client['modify']>, remove: readonly Removal[]][] = [
  [
    'a class that an entry has, by its OID',
    (c) => c.add(person('bob'), { objectClass: ['inetOrgPerson', `${arc}.2`], uid: 'bob', cn: 'B', sn: 'B' }),
    [['delete', 'objectClasses', holder]],
  ],
  ['a type of which an extensible object has a value', (c) => c.add(person('eve'), { ...extensible, badge: 'x' }), both],
  [
    'a type that stands in a name which an attribute has',
    (c) => c.modify(person('ada'), ['replace', 'manager', `uid=x,badge=7,${suffix}`]),
    both,
  ],
];

for (const [why, use, remove] of users) {
  test(`definitionInUse: ${why} is not removed, and is when it is used no more`, async (t) => {
    const house = await furnishedHouse(t);
    const operator = house.operator();
    await define(operator);
    const used = await use(operator);
    t.is(used.code, 0, used.result.diagnostic);
    const { code, result } = await operator.modify(subschema, ...remove);
    t.is(code, rows.definitionInUse.sees.ldap);
    t.regex(result.diagnostic, /uid=(bob|eve|ada)/);
    await operator.modify(person('ada'), ['replace', 'manager']);
    for (const uid of ['bob', 'eve']) await operator.ask({ kind: 'delRequest', entry: person(uid) });
    const removed = await operator.modify(subschema, ...remove);
    t.is(removed.code, 0, removed.result.diagnostic);
    t.is((await operator.search(suffix, '(badge=*)')).code, 0);
  });
}

test('a definition in use may be widened, and not be changed in a way that could make entries invalid', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await define(operator);
  t.is((await operator.add(person('bob'), bob)).code, 0);
  const change = (kind: string, before: string, after: string) =>
    operator.modify(subschema, ['delete', kind, before], ['add', kind, after]);
  const wider = holder.replace('MAY badgeNumber', 'MAY ( badgeNumber $ drink )');
  t.is((await change('objectClasses', holder, wider)).code, 0);
  t.is((await operator.modify(person('bob'), ['add', 'drink', 'tea'])).code, 0);
  t.is((await change('attributeTypes', badge, badge.replace('on the door', 'at the gate'))).code, 0);
  for (const narrower of [holder, wider.replace('MAY', 'MUST'), wider.replace('AUXILIARY', 'STRUCTURAL')])
    t.is((await change('objectClasses', wider, narrower)).code, rows.definitionInUse.sees.ldap, narrower);
  for (const other of [
    badge.replace('caseIgnoreMatch', 'caseExactMatch'),
    badge.replace(' )', ' SINGLE-VALUE )'),
    badge.replace("'badge' )", ')'),
  ])
    t.not((await change('attributeTypes', badge, other)).code, 0, other);
  t.deepEqual((await operator.search(suffix, '(badge=a 7)')).dns, [person('bob')]);
});

test('RFC 2696: a list that is read in pages goes on when the schema has changed in between', async (t) => {
  const house = await furnishedHouse(t);
  const client = house.operator();
  const page = async (cookie: Uint8Array) => {
    const search = { kind: 'searchRequest' as const, baseObject: suffix, scope: 'sub' as const, derefAliases: 'never' as const };
    const rest = { sizeLimit: 0, timeLimitS: 0, typesOnly: false, filter: { kind: 'present' as const, description: 'objectClass' } };
    return await client.ask({ ...search, ...rest, attributes: ['1.1'] }, [paged(3, cookie)]);
  };
  const first = await page(new Uint8Array(0));
  await define(house.operator());
  const second = await page(pageOf(first)?.cookie ?? new Uint8Array(0));
  t.deepEqual([first.code, first.dns.length, second.code, second.dns.length], [0, 3, 0, 3]);
  t.deepEqual(new Set([...first.dns, ...second.dns]).size, 6);
});

test('only administrators change the schema, only by definitions, and the subentry stays', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const uuid = house.engine.store.snapshot().byDnKey(utf8('dc=org\0dc=example\0ou=people\0uid=ada'))?.uuid;
  for (const client of [house.connect(), house.connect('ldap', { identity: { dn: person('ada'), uuid, strength: 'ownPassword' } })])
    t.is((await client.modify(subschema, ['add', 'attributeTypes', badge])).code, 50);
  const fixed = [
    await operator.modify(subschema, ['replace', 'attributeTypes', badge]),
    await operator.modify(subschema, ['delete', 'attributeTypes']),
    await operator.modify(subschema, ['add', 'description', 'x']),
    await operator.ask({ kind: 'delRequest', entry: subschema }),
    await operator.ask({ kind: 'modifyDNRequest', entry: subschema, newRdn: 'cn=x', deleteOldRdn: true }),
  ];
  const asserted = { oid: '1.3.6.1.1.12', critical: true, value: Uint8Array.of(0x87, 2, 0x63, 0x6e) };
  const change = { operation: 'add' as const, attribute: { description: 'attributeTypes', values: [utf8(badge)] } };
  t.is((await operator.ask({ kind: 'modifyRequest', object: subschema, changes: [change] }, [asserted])).code, 12);
  for (const { code, result } of fixed) t.is(code, 53, result.diagnostic);
  t.is((await operator.add('CN=subschema', { objectClass: 'device', cn: 'subschema' })).code, 68);
  t.not((await operator.add(`cn=x,${subschema}`, { objectClass: 'device', cn: 'x' })).code, 0);
});

test('what was decided by a schema that is not in force any more is decided anew', async (t) => {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  await define(operator);
  // Sent in one turn: the first is looking through entries when the others are decided.
  const [removed, ...added] = await Promise.all([
    operator.modify(subschema, ...both),
    ...Array.from({ length: 20 }, (_, at) => operator.add(person(`b${at}`), { ...bob, uid: `b${at}` })),
  ]);
  const there = (await operator.search(suffix, '(objectClass=inetOrgPerson)')).entries.filter(({ names }) => names.includes('badgeNumber'));
  if (removed?.code === 0) t.is(there.length, 0);
  else t.is(there.length, added.filter(({ code }) => code === 0).length);
  t.true(removed?.code === 0 || removed?.code === 53);

  // One that is decided while the door is closed, and committed when another schema is in force.
  const live = house.engine.live as OwnSchema;
  if (removed?.code === 0) await define(operator);
  const late = await live.closed(async (replace) => {
    const adding = operator.add(person('late'), { ...bob, uid: 'late' });
    await new Promise((resolve) => setImmediate(resolve));
    replace(live.build([]));
    return { adding };
  });
  t.is((await late.adding).code, rows.attributeTypeUndefined.sees.ldap);

  // A schema that is never the one in force: it is given up some time.
  Object.defineProperty(house.engine.live, 'isOpen', { value: () => false });
  const stuck = await operator.modify(person('ada'), ['replace', 'description', 'x']);
  t.is(stuck.code, 51);
});
