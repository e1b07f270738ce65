import test from 'ava';
import { Refusal } from '#catalogue';
import { checkEntry, checkModified, checkUserModifiable, collectAttributes, schemaErrors, structuralClass } from '#schema';
import { attributes, entryOf, readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();

const dn = 'uid=ada,ou=people,dc=example,dc=com';
const ada = { objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'], uid: 'ada', cn: 'Ada Lovelace', sn: 'Lovelace' };

type Given = Readonly<Record<string, string | readonly string[]>>;

function refusalOf(act: () => unknown): Refusal | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const accepted: readonly [title: string, dn: string, given: Given][] = [
  ['an ordinary person', dn, ada],
  ['superclasses need not be listed (RFC 4512 §2.4.1)', dn, { ...ada, objectClass: 'inetOrgPerson' }],
  [
    'names and classes in any case, types by OID and alias',
    dn,
    { OBJECTCLASS: 'INETORGPERSON', userid: 'ADA', '2.5.4.3': 'x', surname: 'y' },
  ],
  ['options make descriptions of their own (RFC 4512 §2.5.2)', dn, { ...ada, 'cn;lang-fr': 'Ada de Lovelace' }],
  ['operational attributes need no class', dn, { ...ada, pwdReset: 'TRUE' }],
  [
    'a posixGroup beside groupOfNames, as rfc2307bis has it',
    'cn=g,dc=x',
    { objectClass: ['groupOfNames', 'posixGroup'], cn: 'g', member: dn, gidNumber: '1' },
  ],
  [
    'a posixGroup beside namedObject, for clients of RFC 2307',
    'cn=g,dc=x',
    { objectClass: ['namedObject', 'posixGroup'], cn: 'g', memberUid: 'ada', gidNumber: '1' },
  ],
  [
    'extensibleObject allows every user attribute (RFC 4512 §4.3)',
    dn,
    { ...ada, objectClass: ['inetOrgPerson', 'extensibleObject'], drink: 'tea' },
  ],
  ['an RDN of two assertions', 'cn=Ada Lovelace+uid=ADA,dc=x', ada],
  ['an RDN is compared by rule', 'uid= ADA ,dc=x', ada],
  ['a domain with a name and an organization', 'dc=x', { objectClass: ['organization', 'dcObject'], dc: 'x', o: 'X' }],
];

for (const [title, name, given] of accepted) {
  test(`accepted: ${title}`, (t) =>
    t.is(
      refusalOf(() => checkEntry(schema, entryOf(schema, name, given))),
      undefined,
    ));
}

const refused: readonly [title: string, dn: string, given: Given, ldap: number, code: keyof typeof schemaErrors, says: string][] = [
  ['an unknown attribute type', dn, { ...ada, nickname: 'x' }, 17, 'attributeTypeUndefined', 'nickname: attribute type undefined'],
  ['an option that is no keystring', dn, { ...ada, 'cn;b d': 'x' }, 17, 'attributeTypeUndefined', 'cn;b d: attribute type undefined'],
  ['an attribute without values', dn, { ...ada, mail: [] }, 2, 'valuesMissing', 'no values for attribute type'],
  ['one attribute under two names', dn, { ...ada, commonName: 'x' }, 20, 'attributeRepeated', "attribute 'cn' provided more than once"],
  ['no objectClass', dn, { cn: 'x' }, 65, 'objectClassMissing', 'no objectClass attribute'],
  [
    'an unknown object class',
    dn,
    { ...ada, objectClass: ['person', 'wizard'] },
    21,
    'objectClassUnknown',
    'objectClass: value #1 invalid per syntax',
  ],
  [
    'no structural class',
    'dc=x',
    { objectClass: ['top', 'dcObject'], dc: 'x' },
    65,
    'structuralClassMissing',
    'no structural object class provided',
  ],
  ['an abstract class alone', 'cn=x', { objectClass: 'top', cn: 'x' }, 65, 'structuralClassMissing', 'no structural object class provided'],
  [
    'two structural chains',
    dn,
    { ...ada, objectClass: ['person', 'device'] },
    65,
    'structuralClassesDiffer',
    'invalid structural object class chain (person/device)',
  ],
  [
    'a required attribute missing',
    'cn=x',
    { objectClass: 'person', cn: 'x' },
    65,
    'attributeRequired',
    "object class 'person' requires attribute 'sn'",
  ],
  [
    'an attribute that an auxiliary class requires',
    dn,
    { ...ada, objectClass: ['inetOrgPerson', 'posixAccount'], uidNumber: '1', gidNumber: '1' },
    65,
    'attributeRequired',
    "object class 'posixAccount' requires attribute 'homeDirectory'",
  ],
  ['an attribute that no class allows', dn, { ...ada, gidNumber: '7' }, 65, 'attributeNotAllowed', "attribute 'gidNumber' not allowed"],
  [
    'two values of a single-valued attribute',
    dn,
    { ...ada, displayName: ['a', 'b'] },
    19,
    'singleValued',
    "attribute 'displayName' cannot have multiple values",
  ],
  [
    'values equal by rule',
    dn,
    { ...ada, mail: ['a@x.org', 'b@x.org', 'A@X.org'] },
    20,
    'valueRepeated',
    'mail: value #0 provided more than once',
  ],
  [
    'a value against its syntax',
    dn,
    { ...ada, telephoneNumber: ['+44 1', 'call me!'] },
    21,
    'valueInvalid',
    'telephoneNumber: value #1 invalid per syntax',
  ],
  ['an empty value of text', dn, { ...ada, title: '' }, 21, 'valueInvalid', 'title: value #0 invalid per syntax'],
  ['a value that could never be compared', dn, { ...ada, title: 'a\ufffd' }, 21, 'valueInvalid', 'title: value #0 invalid per syntax'],
  ['a DN of unknown types', dn, { ...ada, manager: 'boss=x' }, 21, 'valueInvalid', 'manager: value #0 invalid per syntax'],
  [
    'an RDN whose value is not in the entry',
    'uid=bob,dc=x',
    ada,
    64,
    'namingValueMissing',
    "value of naming attribute 'uid' is not present in entry",
  ],
  [
    'an RDN of an operational attribute',
    'pwdReset=TRUE,dc=x',
    { ...ada, pwdReset: 'TRUE' },
    64,
    'namingUnsuitable',
    "naming attribute 'pwdReset' is inappropriate",
  ],
  [
    'an RDN of a secret',
    'userPassword=x,dc=x',
    { ...ada, userPassword: 'x' },
    64,
    'namingUnsuitable',
    "naming attribute 'userPassword' is inappropriate",
  ],
  ['an RDN of an unknown type', 'nonsense=x,dc=x', ada, 64, 'namingUnsuitable', "naming attribute 'nonsense' is inappropriate"],
];

for (const [title, name, given, ldap, code, says] of refused) {
  test(`refused with ${ldap}: ${title}`, (t) => {
    const refusal = refusalOf(() => checkEntry(schema, entryOf(schema, name, given)));
    t.is(refusal?.row, schemaErrors[code]);
    t.is(refusal?.row.sees.ldap, ldap);
    t.is(refusal?.says, says);
  });
}

test('a change that takes the value of the RDN is notAllowedOnRDN (67)', (t) => {
  const before = entryOf(schema, dn, ada);
  const refusal = refusalOf(() => checkModified(schema, before, entryOf(schema, dn, { ...ada, uid: 'bob' })));
  t.is(refusal?.row.sees.ldap, 67);
  t.is(refusal?.says, "value of naming attribute 'uid' cannot be removed");
});

test('a change of the structural class is objectClassModsProhibited (69)', (t) => {
  const before = entryOf(schema, dn, { ...ada, objectClass: 'organizationalPerson', uid: 'ada' });
  const refusal = refusalOf(() => checkModified(schema, before, entryOf(schema, dn, ada)));
  t.is(refusal?.row.sees.ldap, 69);
  t.is(refusal?.says, "structural object class modification from 'organizationalPerson' to 'inetOrgPerson' not allowed");
});

test('a change that adds an auxiliary class is taken', (t) => {
  const after = { ...ada, objectClass: ['inetOrgPerson', 'labeledURIObject'], labeledURI: 'https://x.org/ home' };
  t.is(
    refusalOf(() => checkModified(schema, entryOf(schema, dn, ada), entryOf(schema, dn, after))),
    undefined,
  );
});

test('NO-USER-MODIFICATION is constraintViolation (19)', (t) => {
  const type = schema.attributeType('entryUUID');
  t.truthy(type);
  const refusal = refusalOf(() => type && checkUserModifiable(type));
  t.is(refusal?.row.sees.ldap, 19);
  t.is(refusal?.says, 'entryUUID: no user modification allowed');
});

test("structuralObjectClass is the chain's most derived class, in whatever order the classes stand", (t) => {
  for (const objectClass of [
    ['inetOrgPerson', 'person', 'top'],
    ['top', 'person', 'inetOrgPerson', 'posixAccount'],
  ]) {
    t.is(structuralClass(schema, collectAttributes(schema, attributes({ objectClass }))).name, 'inetOrgPerson');
  }
});

test("an entry's keys are the schema's names in lower case, options sorted; descriptions as the schema writes them", (t) => {
  const collected = collectAttributes(schema, attributes({ 'COMMONNAME;Lang-FR;binary': 'x', '2.5.4.20': '1' }));
  t.deepEqual([...collected.keys()], ['cn;binary;lang-fr', 'telephonenumber']);
  t.deepEqual(
    [...collected.values()].map(({ description }) => description),
    ['cn;binary;lang-fr', 'telephoneNumber'],
  );
});
