import test, { type ExecutionContext } from 'ava';
import { schemaErrors as rows } from '#schema';
import { type Attributes, furnishedHouse, person } from './driver.ts';

const subschema = 'cn=Subschema';
const arc = '1.3.6.1.4.1.32473.4';
const inetOrgPerson = '2.16.840.1.113730.3.2.2';

/** A house whose schema has what is old, what is abstract, and a rule for what persons may have. */
async function ruled(t: ExecutionContext) {
  const house = await furnishedHouse(t);
  const operator = house.operator();
  const { code, result } = await operator.modify(
    subschema,
    ['add', 'attributeTypes', `( ${arc}.1 NAME 'telegraph' OBSOLETE SUP name )`],
    [
      'add',
      'objectClasses',
      `( ${arc}.2 NAME 'telegraphist' OBSOLETE SUP top AUXILIARY MAY telegraph )`,
      `( ${arc}.3 NAME 'being' SUP top ABSTRACT MAY telegraph )`,
      `( ${arc}.4 NAME 'badgeHolder' SUP top AUXILIARY MAY drink )`,
    ],
    ['add', 'dITContentRules', `( ${inetOrgPerson} NAME 'people' AUX badgeHolder MUST employeeNumber MAY gidNumber NOT carLicense )`],
  );
  t.is(code, 0, result.diagnostic);
  const add = (more: Attributes, structural = 'inetOrgPerson', ...classes: string[]) =>
    operator.add(person('bob'), { objectClass: [structural, ...classes], uid: 'bob', cn: 'Bob', sn: 'B', ...more });
  return { house, operator, add };
}

const number = { employeeNumber: '7' };
type Given = readonly [title: string, more: Attributes, classes: readonly [structural: string, ...others: string[]]];

const accepted: readonly Given[] = [
  ['an auxiliary class that the rule names', number, ['inetOrgPerson', 'badgeHolder']],
  ['an attribute that only the rule allows', { ...number, gidNumber: '7' }, ['inetOrgPerson']],
  ['a structural class below that of the rule has no rule', { title: 'x' }, ['organizationalPerson', 'uidObject', 'pkiUser']],
];
for (const [title, more, classes] of accepted) {
  test(`RFC 4512 §4.1.6, accepted: ${title}`, async (t) => {
    const { add } = await ruled(t);
    const { code, result } = await add(more, ...classes);
    t.is(code, 0, result.diagnostic);
  });
}

const refused: readonly (readonly [...Given, row: keyof typeof rows, says: RegExp])[] = [
  [
    'an auxiliary class that the rule does not name',
    { ...number, userCertificate: [] },
    ['inetOrgPerson', 'pkiUser'],
    'contentRuleBroken',
    /class 'pkiUser' not allowed by content rule 'people'/,
  ],
  [
    'an attribute that the rule precludes',
    { ...number, carLicense: 'X 1' },
    ['inetOrgPerson'],
    'contentRuleBroken',
    /content rule 'people' precluded attribute 'carLicense'/,
  ],
  [
    'extensibleObject is no way around it',
    { ...number, carLicense: 'X 1' },
    ['inetOrgPerson', 'extensibleObject'],
    'contentRuleBroken',
    /extensibleObject|carLicense/,
  ],
  [
    'without an attribute that the rule requires',
    {},
    ['inetOrgPerson'],
    'attributeRequired',
    /content rule 'people' requires attribute 'employeeNumber'/,
  ],
  ['a class that is obsolete', number, ['organizationalPerson', 'telegraphist'], 'classObsolete', /objectClass 'telegraphist' is OBSOLETE/],
  [
    'an abstract class of which no other derives (RFC 4512 §2.4.1)',
    {},
    ['organizationalPerson', 'being'],
    'classAbstract',
    /instantiation of abstract objectClass 'being' not allowed/,
  ],
  [
    'an attribute that is obsolete',
    { telegraph: 'x' },
    ['organizationalPerson', 'extensibleObject'],
    'attributeObsolete',
    /telegraph: attribute is obsolete/,
  ],
];
for (const [title, more, classes, row, says] of refused) {
  test(`RFC 4512 §2.4, §4.1.6, refused as slapd does: ${title}`, async (t) => {
    const { house, add } = await ruled(t);
    const given = Object.fromEntries(Object.entries(more).filter(([, value]) => value.length > 0));
    const { code, result } = await add(given, ...classes);
    t.is(code, rows[row].sees.ldap, result.diagnostic);
    t.regex(result.diagnostic, says);
    t.is(house.audited.at(-1)?.error?.code, rows[row].code);
  });
}

test('a value of an obsolete attribute is not added by a modify, and may be taken away', async (t) => {
  const { operator, add } = await ruled(t);
  t.is((await add({ title: 'x' }, 'organizationalPerson', 'extensibleObject')).code, 0);
  t.is((await operator.modify(person('bob'), ['add', 'telegraph', 'x'])).code, rows.attributeObsolete.sees.ldap);
  t.is((await operator.modify(person('bob'), ['replace', 'telegraph', 'x'])).code, rows.attributeObsolete.sees.ldap);
  t.is((await operator.modify(person('bob'), ['replace', 'telegraph'])).code, 0);
  t.is((await operator.modify(person('bob'), ['delete', 'telegraph'])).code, 16);
});

test('flags of an integer are matched by bits, as slapd and Active Directory do', async (t) => {
  const operator = (await furnishedHouse(t)).operator();
  const posix = {
    objectClass: ['inetOrgPerson', 'posixAccount'],
    uid: 'bob',
    cn: 'B',
    sn: 'B',
    gidNumber: '6',
    homeDirectory: '/',
    uidNumber: '6',
  };
  t.is((await operator.add(person('bob'), posix)).code, 0);
  const found = async (rule: string, value: number) =>
    (await operator.search(person('bob'), `(uidNumber:${rule}:=${value})`, { scope: 'base' })).dns.length;
  for (const rule of ['1.2.840.113556.1.4.803', 'integerBitAndMatch']) {
    t.deepEqual([await found(rule, 2), await found(rule, 6), await found(rule, 3), await found(rule, 0)], [1, 1, 0, 1]);
  }
  for (const rule of ['1.2.840.113556.1.4.804', 'integerBitOrMatch']) {
    t.deepEqual([await found(rule, 3), await found(rule, 1), await found(rule, 0), await found(rule, -1)], [1, 0, 0, 1]);
  }
  t.is((await operator.search(person('bob'), '(!(cn:integerBitAndMatch:=2))', { scope: 'base' })).dns.length, 0, 'undefined, not false');
});
