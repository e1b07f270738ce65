import test from 'ava';
import { utf8 } from '#base';
import { equalityKeys } from '#schema';
import { readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();
const arc = '1.3.6.1.4.1.1466.115.121.1';

/** Values taken from the sections of RFC 4517 where it gives examples. */
const table: readonly [syntax: string, valid: readonly string[], invalid: readonly string[]][] = [
  [`${arc}.6`, ["'0101111101'B", "''B"], ['0101', "'02'B", "'01'b"]],
  [`${arc}.7`, ['TRUE', 'FALSE'], ['true', '1', '']],
  [`${arc}.11`, ['US', 'AU'], ['U', 'USA', '']],
  [`${arc}.14`, ['telephone', 'physical $ mhs'], ['pigeon', 'mhs $', '']],
  [`${arc}.12`, ['CN=Steve Kille,O=Isode Limited,C=GB', ''], ['CN', 'nonsense=x', 'cn=a,,o=b']],
  [`${arc}.15`, ['This is a string of DirectoryString containing #!%#@', 'é'], ['']],
  [`${arc}.21`, ['person#(sn$EQ)#oneLevel', '2.5.6.6#!cn$SUBSTR&?true#baseobject'], ['person#(sn$EQ#oneLevel', 'person#sn$EQ', '']],
  [`${arc}.22`, ['+61 3 9896 7801', '+1 2$twoDimensional$b4Length'], ['+1$pigeon', '']],
  [
    `${arc}.24`,
    ['199412161032Z', '199412160532-0500', '2026010112.5Z', '20240229000000Z'],
    ['1994121610', '20230229000000Z', '199413161032Z', ''],
  ],
  [`${arc}.25`, ['person#(sn$EQ)|(cn$APPROX)', 'cn$GE'], ['person#', 'cn$LIKE', '#cn$EQ']],
  [`${arc}.26`, ['', 'a@b'], ['é']],
  [`${arc}.27`, ['1321', '0', '-5'], ['01', '-0', '+1', '1.0', '']],
  [`${arc}.34`, ["1.3.6.1.4.1.1466.0=#04024869,O=Test,C=GB#'0101'B".replace('1.3.6.1.4.1.1466.0=#04024869', 'cn=x'), 'cn=x'], ['x']],
  [`${arc}.36`, ['15 079 672 281', '1'], ['1-2', '']],
  [`${arc}.38`, ['1.2.3.4', 'cn'], ['1', '1..2', 'a b', '01.2', '']],
  [`${arc}.39`, ['mhs$anything', 'x$'], ['$x', 'x']],
  [
    `${arc}.41`,
    ['1234 Main St.$Anytown, CA 12345$USA', '\\241,000,000 Sweepstakes$PO Box 1000000$Anytown, CA 12345$USA'],
    ['a$$b', 'a\\b', ''],
  ],
  [`${arc}.44`, ['This is a PrintableString.'], ['a@b', 'é', '']],
  [`${arc}.50`, ['+1 512 315 0280'], ['+1_2', '']],
  [`${arc}.51`, ['terminal$graphic:x$page:y'], ['terminal$colour:x', '']],
  [`${arc}.52`, ['12345$023$ABCDE'], ['12345$023', '']],
  [`${arc}.53`, ['9412161032Z', '941216103200+0100'], ['9413161032Z', '']],
  [`${arc}.58`, ['a*', '*a', 'a*b*c', '*'], ['a', 'a**b', 'a\\*']],
  ['1.3.6.1.1.16.1', ['597ae2f6-16a6-1027-98f4-d28b5365dc14'], ['597ae2f6', '']],
  ['1.3.6.1.4.1.4203.666.11.2.1', ['20261121030000.123456Z#000000#001#00000a'], ['20261121030000Z', '']],
  ['1.3.6.1.1.1.0.0', ['(host,user,domain)', '(,-,)'], ['(a,b)', 'a,b,c']],
];

for (const [oid, valid, invalid] of table) {
  const syntax = schema.syntax(oid);
  test(`${syntax?.name ?? oid}: values of the syntax and others`, (t) => {
    for (const value of valid) t.true(syntax?.validate(utf8(value)), `'${value}' is one`);
    for (const value of invalid) t.false(syntax?.validate(utf8(value)), `'${value}' is none`);
  });
}

test('text that is not UTF-8 is of no syntax for text', (t) => {
  for (const number of [15, 44, 41, 12, 38]) t.false(schema.syntax(`${arc}.${number}`)?.validate(Uint8Array.of(0xc3, 0x28)));
});

test('a certificate is one DER sequence with nothing behind it', (t) => {
  const syntax = schema.syntax(`${arc}.8`);
  t.true(syntax?.validate(Uint8Array.of(0x30, 0x03, 1, 2, 3)));
  t.true(syntax?.validate(Uint8Array.of(0x30, 0x81, 0x80, ...new Uint8Array(128))));
  t.false(syntax?.validate(Uint8Array.of(0x30, 0x03, 1, 2, 3, 4)));
  t.false(syntax?.validate(Uint8Array.of(0x31, 0x03, 1, 2, 3)));
  t.false(syntax?.validate(Uint8Array.of()));
});

test('every attribute type has a syntax of the table, and every syntax of the files is human readable or says that it is not', (t) => {
  t.true(schema.attributeTypes.length > 150);
  for (const type of schema.attributeTypes) t.is(schema.syntax(type.syntax.oid), type.syntax, type.name);
  t.false(schema.attributeType('jpegPhoto')?.syntax.readable);
});

test('objectClass is indexed under the classes above, each once, so that they are found by them', (t) => {
  const type = schema.attributeType('objectClass');
  const keys = type && equalityKeys(schema, type, ['inetOrgPerson', 'person'].map(utf8)).map((key) => Buffer.from(key).toString());
  t.deepEqual(keys?.sort(), ['2.16.840.1.113730.3.2.2', '2.5.6.0', '2.5.6.6', '2.5.6.7']);
});

test('an initial substring names what the keys of all that match it begin with', (t) => {
  const rule = schema.matchingRule('caseIgnoreSubstringsMatch');
  const prefix = (initial: string) => {
    const found = rule?.prefix?.(utf8(initial));
    return found && Buffer.from(found).toString();
  };
  t.is(prefix('ADA  Lo'), 'ada lo');
  t.is(prefix('Ada '), 'ada');
  t.is(prefix('  '), undefined);
});
