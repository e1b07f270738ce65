import test from 'ava';
import fc from 'fast-check';
import {
  formatDescription,
  isNumericOid,
  type Parsed,
  parseAttributeType,
  parseDescription,
  parseDitContentRule,
  parseDitStructureRule,
  parseMatchingRule,
  parseMatchingRuleUse,
  parseNameForm,
  parseObjectClass,
  parseSyntax,
  printAttributeType,
  printDitContentRule,
  printDitStructureRule,
  printMatchingRule,
  printMatchingRuleUse,
  printNameForm,
  printObjectClass,
  printSyntax,
} from '#ldap';
import { holds } from '../support/holds.ts';

function rowOf<T>(parsed: Parsed<T>): T {
  if (parsed.kind === 'bad') throw new Error(`${parsed.why} at ${parsed.at}`);
  return parsed.value;
}

test('RFC 4512 §2.4.1: the object class top', (t) => {
  t.deepEqual(rowOf(parseObjectClass("( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )")), {
    oid: '2.5.6.0',
    names: ['top'],
    obsolete: false,
    superiors: [],
    kind: 'abstract',
    must: ['objectClass'],
    may: [],
    extensions: {},
  });
});

test('RFC 4512 §4.2: the object class subschema', (t) => {
  const text = `( 2.5.20.1 NAME 'subschema' AUXILIARY
           MAY ( dITStructureRules $ nameForms $ ditContentRules $
             objectClasses $ attributeTypes $ matchingRules $
             matchingRuleUse ) )`;
  const row = rowOf(parseObjectClass(text));
  t.is(row.kind, 'auxiliary');
  t.deepEqual(row.may, [
    'dITStructureRules',
    'nameForms',
    'ditContentRules',
    'objectClasses',
    'attributeTypes',
    'matchingRules',
    'matchingRuleUse',
  ]);
});

test('RFC 4512 §2.6.2, §3.4.1: attribute types with usage', (t) => {
  const text = `( 2.5.18.1 NAME 'createTimestamp'
           EQUALITY generalizedTimeMatch
           ORDERING generalizedTimeOrderingMatch
           SYNTAX 1.3.6.1.4.1.1466.115.121.1.24
           SINGLE-VALUE NO-USER-MODIFICATION
           USAGE directoryOperation )`;
  t.deepEqual(rowOf(parseAttributeType(text)), {
    oid: '2.5.18.1',
    names: ['createTimestamp'],
    obsolete: false,
    equality: 'generalizedTimeMatch',
    ordering: 'generalizedTimeOrderingMatch',
    syntax: '1.3.6.1.4.1.1466.115.121.1.24',
    singleValue: true,
    collective: false,
    noUserModification: true,
    usage: 'directoryOperation',
    extensions: {},
  });
});

test('RFC 4519 §2.3: a type with two names and a superior', (t) => {
  const row = rowOf(parseAttributeType("( 2.5.4.3 NAME ( 'cn' 'commonName' ) SUP name )"));
  t.deepEqual([row.names, row.superior], [['cn', 'commonName'], 'name']);
});

test('RFC 4512 §4.1: quotes and backslashes in quoted text are escaped as \\27 and \\5C', (t) => {
  const row = rowOf(parseSyntax("( 1.2 DESC 'it\\27s a \\5Cé' )"));
  t.is(row.description, "it's a \\é");
  t.is(printSyntax(row), "( 1.2 DESC 'it\\27s a \\5Cé' )");
});

/** Text in the form in which it is printed, for every kind and field. */
const printed: readonly [name: string, reprint: (text: string) => string, texts: readonly string[]][] = [
  [
    'an object class',
    (text) => printObjectClass(rowOf(parseObjectClass(text))),
    [
      "( 1.2 NAME ( 'a' 'b-1' ) DESC 'd' OBSOLETE SUP ( top $ 2.5.6.6 ) STRUCTURAL MUST cn MAY ( sn $ mail ) X-ORIGIN 'RFC 0' )",
      '( 1.2 AUXILIARY )',
    ],
  ],
  [
    'an attribute type',
    (text) => printAttributeType(rowOf(parseAttributeType(text))),
    [
      "( 1.2 NAME 'a' DESC 'd' OBSOLETE SUP name EQUALITY e ORDERING o SUBSTR s SYNTAX 1.3.6{64} SINGLE-VALUE COLLECTIVE NO-USER-MODIFICATION USAGE dSAOperation X-A ( 'x' 'y' ) X-B_C 'z' )",
      '( 1.2 SYNTAX 1.3.6 )',
    ],
  ],
  ['a matching rule', (text) => printMatchingRule(rowOf(parseMatchingRule(text))), ["( 2.5.13.2 NAME 'caseIgnoreMatch' SYNTAX 1.3.6 )"]],
  [
    'a matching rule use',
    (text) => printMatchingRuleUse(rowOf(parseMatchingRuleUse(text))),
    ["( 2.5.13.2 NAME 'caseIgnoreMatch' APPLIES ( cn $ sn ) )"],
  ],
  ['a syntax', (text) => printSyntax(rowOf(parseSyntax(text))), ["( 1.3.6 DESC 'Boolean' X-NOT-HUMAN-READABLE 'TRUE' )", '( 1.3.6 )']],
  [
    'a DIT content rule',
    (text) => printDitContentRule(rowOf(parseDitContentRule(text))),
    ["( 2.5.6.4 DESC 'content rule for organization' AUX ( a $ b ) MUST cn MAY sn NOT ( x121Address $ telexNumber ) )"],
  ],
  [
    'a DIT structure rule',
    (text) => printDitStructureRule(rowOf(parseDitStructureRule(text))),
    ["( 2 DESC 'organization structure rule' FORM 2.5.15.3 )", "( 4 NAME 'x' FORM f SUP ( 2 3 ) )", '( 5 FORM f SUP 0 )'],
  ],
  [
    'a name form',
    (text) => printNameForm(rowOf(parseNameForm(text))),
    ["( 2.5.15.3 NAME 'orgNameForm' OC organization MUST o )", '( 1.2 OC c MUST ( a $ b ) MAY d )'],
  ],
];

for (const [name, reprint, texts] of printed) {
  test(`RFC 4512 §4.1: ${name} is printed as it was parsed`, (t) => {
    for (const text of texts) t.is(reprint(text), text);
  });
}

test('fields may come in any order, in any case and with any white space', (t) => {
  const row = rowOf(parseAttributeType("(1.2\n\tsingle-value   syntax 1.3.6 name ('a''b'))"));
  t.deepEqual([row.singleValue, row.syntax, row.names], [true, '1.3.6', ['a', 'b']]);
});

const refused: readonly [text: string, at: number][] = [
  ['', 0],
  ['( 1.2', 5],
  ['( 1.2 ) x', 8],
  ['( cn )', 2],
  ['( 1.2 FOO )', 6],
  ["( 1.2 NAME 'a' NAME 'b' )", 15],
  ["( 1.2 NAME 'a b' )", 11],
  ["( 1.2 NAME '1.2' )", 11],
  ["( 1.2 DESC 'a )", 10],
  ['( 1.2 DESC a )', 11],
  ['( 1.2 SYNTAX abc )', 13],
  ['( 1.2 SYNTAX 1.3{x} )', 13],
  ['( 1.2 USAGE some )', 12],
  ['( 1.2 SUP )', 10],
  ["( 1.2 X-A ( 'x' $ 'y' ) )", 16],
  ['( 1.2 ABSTRACT )', 6],
];

for (const [text, at] of refused) {
  test(`RFC 4512 §4.1.2: ${JSON.stringify(text)} is no attribute type, and the place is told`, (t) => {
    t.like(parseAttributeType(text), { kind: 'bad', at });
  });
}

test('RFC 4512 §4.1: what a kind requires must be there, and one class has one kind', (t) => {
  t.like(parseMatchingRule('( 1.2 )'), { kind: 'bad', why: 'SYNTAX is missing' });
  t.like(parseMatchingRuleUse('( 1.2 )'), { kind: 'bad', why: 'APPLIES is missing' });
  t.like(parseNameForm('( 1.2 OC a )'), { kind: 'bad', why: 'MUST is missing' });
  t.like(parseDitStructureRule('( 1 )'), { kind: 'bad', why: 'FORM is missing' });
  t.like(parseObjectClass('( 1.2 ABSTRACT AUXILIARY )'), { kind: 'bad', why: 'AUXILIARY twice' });
});

test('arbitrary text is refused as a description, never thrown at the caller', (t) => {
  const word = fc.constantFrom('(', ')', '$', "'", "'a'", ' ', 'NAME', 'SUP', 'MUST', '1.2', 'cn', 'X-A', '{', '\n', 'SYNTAX');
  holds(
    t,
    fc.property(fc.array(word, { maxLength: 14 }), (words) => {
      for (const parse of [parseObjectClass, parseAttributeType, parseDitStructureRule]) {
        t.true(['parsed', 'bad'].includes(parse(`( 1.2 ${words.join(' ')}`).kind));
      }
    }),
  );
});

test('RFC 4512 §2.5: attribute descriptions have a type and options', (t) => {
  t.deepEqual(parseDescription('ou'), { type: 'ou', options: [] });
  t.deepEqual(parseDescription('CN;lang-de;lang-EN'), { type: 'CN', options: ['lang-de', 'lang-en'] });
  t.deepEqual(parseDescription('2.5.4.0'), { type: '2.5.4.0', options: [] });
  t.is(formatDescription({ type: 'cn', options: ['x', 'y'] }), 'cn;x;y');
  for (const text of ['', ';x', 'cn;', 'cn;;x', '1cn', 'c_n', 'cn ', '1.', '01.2', '2.5.04', 'é'])
    t.is(parseDescription(text), undefined, text);
});

test('RFC 4512 §1.4: numeric OIDs have at least two arcs and no leading zeros', (t) => {
  for (const text of ['1.2', '0.9.2342.19200300.100.1.1', '2.25.83716444157178576224225129172109131643']) t.true(isNumericOid(text));
  for (const text of ['', '1', '1.', '.1', '1.02', '1..2', 'a.1']) t.false(isNumericOid(text));
});
