import test from 'ava';
import { text } from '#base';
import { Refusal } from '#catalogue';
import { parseAttributeType, parseMatchingRule, parseMatchingRuleUse, parseObjectClass, parseSyntax } from '#ldap';
import { loadSchema, schemaErrors, subschemaAttributes } from '#schema';
import { observe } from '../support/observed.ts';
import { readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();
const string = 'SYNTAX 1.3.6.1.4.1.1466.115.121.1.15';

const unusable: readonly [title: string, text: string, line: number, why: RegExp][] = [
  ['a line that is no definition', '\nnonsense ( 1.2 )', 2, /'nonsense' begins no definition/],
  ['text that is no definition', `attributetype ( 1.2.3 NAME 'a' ${string} SURPRISE )`, 1, /SURPRISE/],
  [
    'a name defined twice',
    `attributetype ( 1.2.3 NAME 'a' ${string} )\nattributetype ( 1.2.4 NAME 'A' ${string} )`,
    2,
    /'A' is defined twice/,
  ],
  [
    'an OID defined twice',
    `attributetype ( 1.2.3 NAME 'a' ${string} )\n\nattributetype ( 1.2.3 NAME 'b' ${string} )`,
    3,
    /'1.2.3' is defined twice/,
  ],
  ['an unknown syntax', "attributetype ( 1.2.3 NAME 'a' SYNTAX 1.2.3.4 )", 1, /unknown syntax '1.2.3.4'/],
  ['no syntax at all', "# a\nattributetype ( 1.2.3 NAME 'a' )", 2, /neither a syntax nor a supertype/],
  ['an unknown rule', `attributetype ( 1.2.3 NAME 'a'\n  EQUALITY soundsLike ${string} )`, 1, /unknown matching rule 'soundsLike'/],
  ['a rule of the wrong kind', `attributetype ( 1.2.3 NAME 'a' EQUALITY caseIgnoreSubstringsMatch ${string} )`, 1, /is no equality rule/],
  ['an unknown supertype', "attributetype ( 1.2.3 NAME 'a' SUP b )", 1, /unknown supertype 'b'/],
  ['types in a circle', "attributetype ( 1.2.3 NAME 'a' SUP b )\nattributetype ( 1.2.4 NAME 'b' SUP a )", 1, /'a' derives from itself/],
  ['an unknown superclass', "objectclass ( 1.2.3 NAME 'a' SUP b )", 1, /unknown superclass 'b'/],
  ['classes in a circle', "objectclass ( 1.2.3 NAME 'a' SUP a )", 1, /'a' derives from itself/],
  ['an unknown attribute', "objectclass ( 1.2.3 NAME 'a' MUST b )", 1, /unknown attribute type 'b'/],
  [
    'an auxiliary class below a structural one',
    "objectclass ( 1.2.3 NAME 'a' )\nobjectclass ( 1.2.4 NAME 'b' SUP a AUXILIARY )",
    2,
    /auxiliary class below the structural class 'a'/,
  ],
];

for (const [title, given, line, why] of unusable) {
  test(`a schema file cannot be used: ${title}`, (t) => {
    const error = t.throws(() => loadSchema([{ name: 'x.schema', text: given }]), { instanceOf: Refusal });
    t.is(error?.row, schemaErrors.schemaInvalid);
    observe(error?.row.code);
    t.is(error?.detail['file'], 'x.schema');
    t.is(error?.detail['line'], line);
    t.regex(String(error?.detail['why']), why);
  });
}

test('definitions may stand in any order and any file', (t) => {
  const small = loadSchema([
    { name: 'a', text: "attributetype ( 1.2.4 NAME 'b' SUP a )" },
    { name: 'b', text: `# the supertype\nattributetype ( 1.2.3 NAME 'a'\n\tEQUALITY caseIgnoreMatch\r\n ${string} )` },
  ]);
  t.is(small.attributeType('B')?.equality?.name, 'caseIgnoreMatch');
  t.deepEqual(
    small.attributeType('a')?.family.map(({ name }) => name),
    ['a', 'b'],
  );
});

test('RFC 4512 §2.5.1: a type inherits syntax and rules, and its family is all below it', (t) => {
  const cn = schema.attributeType('commonName');
  t.is(cn?.key, 'cn');
  t.is(cn?.syntax.name, 'Directory String');
  t.is(cn?.substrings?.name, 'caseIgnoreSubstringsMatch');
  const family = schema.attributeType('name')?.family.map(({ name }) => name) ?? [];
  for (const name of ['name', 'cn', 'sn', 'ou', 'nisMapName']) t.true(family.includes(name), name);
});

test('a class requires and allows what those above it do', (t) => {
  const person = schema.objectClass('inetOrgPerson');
  t.deepEqual(person?.must.map(({ name }) => name).sort(), ['cn', 'objectClass', 'sn']);
  t.true(person?.may.some(({ name }) => name === 'telephoneNumber'));
});

test('what is only judged is marked secret, and nothing that is shown is', (t) => {
  const marked = schema.attributeTypes.filter(({ secret }) => secret).map(({ name }) => name);
  t.deepEqual(marked.sort(), [
    'nisSecretKey',
    'pwdHistory',
    'stsAppPassword',
    'stsDeletedRecord',
    'stsPrivateKey',
    'stsRecoveryCode',
    'stsScramVerifier',
    'stsTotpCredential',
    'userPassword',
  ]);
  t.deepEqual(
    schema.attributeTypes.filter(({ sealed }) => sealed).map(({ name }) => name),
    ['stsTotpCredential', 'stsPrivateKey'],
  );
});

test("our own OIDs stand under the project's arc and have names that begin with sts, or one that the specification gives", (t) => {
  const own = [...schema.attributeTypes, ...schema.objectClasses].filter(({ oid }) => oid.startsWith('2.25.'));
  t.true(own.length > 0);
  for (const { oid, name } of own)
    t.regex(`${oid} ${name}`, /^2\.25\.83716444157178576224225129172109131643\.[12]\.\d+ (sts[A-Z]|appCorsOrigin$)/);
});

test('RFC 4512 §4.2: the subschema describes all there is, and its text parses back to the same', (t) => {
  const described = new Map(
    subschemaAttributes(schema).map(({ description, values }) => [description, values.map((value) => text(value) ?? '')]),
  );
  const parsers = {
    attributeTypes: parseAttributeType,
    objectClasses: parseObjectClass,
    matchingRules: parseMatchingRule,
    matchingRuleUse: parseMatchingRuleUse,
    ldapSyntaxes: parseSyntax,
  };
  for (const [description, parse] of Object.entries(parsers)) {
    const values = described.get(description) ?? [];
    t.true(values.length > 20, description);
    for (const value of values) t.is(parse(value).kind, 'parsed', value);
    const type = schema.attributeType(description);
    for (const value of values) t.true(type?.syntax.validate(new TextEncoder().encode(value)), value);
  }
  const again = loadSchema([
    {
      name: 'again',
      text: [
        ...(described.get('attributeTypes') ?? []).map((value) => `attributetype ${value}`),
        ...(described.get('objectClasses') ?? []).map((value) => `objectclass ${value}`),
      ].join('\n'),
    },
  ]);
  t.deepEqual(subschemaAttributes(again), subschemaAttributes(schema));
});
