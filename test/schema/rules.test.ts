import test from 'ava';
import fc from 'fast-check';
import { compareBytes, utf8 } from '#base';
import { holds } from '../support/holds.ts';
import { readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();

function rule(name: string) {
  const found = schema.matchingRule(name);
  if (found === undefined) throw new Error(name);
  return found;
}

const show = (octets: Uint8Array | undefined) => octets && Buffer.from(octets).toString();

const equal: readonly [rule: string, one: string, other: string, why: string][] = [
  ['caseIgnoreMatch', 'Ada Lovelace', 'ada lovelace', 'case is ignored'],
  ['caseIgnoreMatch', '  Ada   Lovelace ', 'ada lovelace', 'RFC 4518 §2.6.1: spaces at the ends and repeated ones are insignificant'],
  ['caseIgnoreMatch', 'Stra\u00dfe', 'STRASSE', 'RFC 4518 §2.2: sharp s folds to ss'],
  ['caseIgnoreMatch', '\u1e9e', '\u00df', 'RFC 4518 §2.2: the capital sharp s folds like the small one'],
  ['caseIgnoreMatch', '\u039f\u03a3', '\u03bf\u03c2', 'RFC 4518 §2.2: a final sigma is a sigma'],
  ['caseIgnoreMatch', 'e\u0301cole', '\u00c9COLE', 'RFC 4518 §2.3: composed and decomposed are one'],
  ['caseIgnoreMatch', '\uff21\uff22', 'ab', 'RFC 4518 §2.3: full width letters are letters'],
  ['caseIgnoreMatch', 'a\u00a0b\tc', 'a b c', 'RFC 4518 §2.2: separators and tabs are spaces'],
  ['caseIgnoreMatch', 'co\u00adop', 'coop', 'RFC 4518 §2.2: a soft hyphen is nothing'],
  ['caseIgnoreMatch', 'a\u200bb\u0007', 'ab', 'RFC 4518 §2.2: zero width space and controls are nothing'],
  ['caseIgnoreMatch', '   ', ' ', 'RFC 4518 §2.6.1: nothing but spaces'],
  ['caseExactMatch', 'Ada  L', ' Ada L ', 'spaces are insignificant where case is not'],
  ['caseIgnoreIA5Match', 'Ada@Example.COM', 'ada@example.com', 'case is ignored'],
  ['caseIgnoreListMatch', 'Corn Quay$BRISTOL', 'corn  quay $Bristol', 'RFC 4517 §4.2.12: line by line'],
  ['numericStringMatch', '12 34', '1234', 'RFC 4518 §2.6.2: spaces are insignificant'],
  ['telephoneNumberMatch', '+44 117-496 0000', '+441174960000', 'RFC 4518 §2.6.3: spaces and hyphens are insignificant'],
  ['integerMatch', '42', '42', 'the same number'],
  ['generalizedTimeMatch', '20260101120000Z', '202601011300+0100', 'RFC 4517 §3.3.13: the same moment'],
  ['generalizedTimeMatch', '2026010112.5Z', '20260101123000.00Z', 'a fraction of an hour'],
  ['generalizedTimeMatch', '20261231235960Z', '20270101000000Z', 'a leap second'],
  ['distinguishedNameMatch', 'UID=Ada, OU=People,dc=Example,dc=com', 'uid=ada,ou=people,dc=example,dc=COM', 'RFC 4517 §4.2.15'],
  ['distinguishedNameMatch', 'uid=ada+cn=A  L,o=x', 'CN=a l+UID=ADA,o=X', 'RDN assertions in any order'],
  ['distinguishedNameMatch', '2.5.4.3=Ada,o=x', 'commonName=ada,O=x', 'an OID and an alias for the name'],
  ['objectIdentifierMatch', 'inetOrgPerson', '2.16.840.1.113730.3.2.2', 'a name is its OID'],
  ['objectIdentifierMatch', 'COMMONNAME', 'cn', 'names in any case, aliases'],
  ['uuidMatch', '550E8400-e29b-41d4-a716-446655440000', '550e8400-E29B-41D4-A716-446655440000', 'RFC 4530 §2.2'],
  ['uniqueMemberMatch', "CN=a,o=x#'01'B", "cn=A,O=X#'01'B", 'name and bit string'],
];

for (const [name, one, other, why] of equal) {
  test(`${name}: '${one}' is '${other}': ${why}`, (t) => {
    const [a, b] = [rule(name).normalize(utf8(one)), rule(name).normalize(utf8(other))];
    t.truthy(a);
    t.is(show(a), show(b));
  });
}

const different: readonly [rule: string, one: string, other: string, why: string][] = [
  ['caseIgnoreMatch', 'adm\u0131n', 'admin', 'a dotless i is no i: two people could share a name'],
  ['caseIgnoreMatch', 'ab', 'a b', 'a space within is significant'],
  ['caseExactMatch', 'Ada', 'ada', 'case counts'],
  ['caseIgnoreListMatch', 'a$b', 'a\\24b', 'a dollar sign within a line is not the end of one'],
  ['distinguishedNameMatch', 'cn=a,o=x', 'cn=a,cn=b,o=x', 'other depth'],
  ['distinguishedNameMatch', 'cn=a\\,o=x,o=y', 'cn=a,o=x,o=y', 'an escaped comma is part of the value'],
  ['distinguishedNameMatch', 'cn=a+uid=b,o=x', 'cn=a,uid=b,o=x', 'two assertions are not two levels'],
  ['integerMatch', '-1', '1', 'sign counts'],
  ['bitStringMatch', "'01'B", "'010'B", 'RFC 4517 §4.2.1: trailing zeros count'],
  ['uniqueMemberMatch', "cn=a,o=x#'01'B", 'cn=a,o=x', 'the bit string counts'],
  ['octetStringMatch', 'A', 'a', 'octets are octets'],
];

for (const [name, one, other, why] of different) {
  test(`${name}: '${one}' is not '${other}': ${why}`, (t) => {
    const [a, b] = [rule(name).normalize(utf8(one)), rule(name).normalize(utf8(other))];
    t.truthy(a);
    t.truthy(b);
    t.not(show(a), show(b));
  });
}

const unfit: readonly [rule: string, value: string, why: string][] = [
  ['caseIgnoreMatch', 'a\ufffdb', 'RFC 4518 §2.4: the replacement character'],
  ['caseIgnoreMatch', '\ue000', 'RFC 4518 §2.4: private use'],
  ['integerMatch', '007', 'leading zeros'],
  ['integerMatch', '-0', 'a negative zero'],
  ['booleanMatch', 'true', 'RFC 4517 §3.3.3: upper case'],
  ['generalizedTimeMatch', '20260230000000Z', 'no such day'],
  ['generalizedTimeMatch', '20260101', 'no hour'],
  ['distinguishedNameMatch', 'nonsense=1,o=x', 'an unknown attribute type'],
  ['distinguishedNameMatch', 'jpegPhoto=x,o=x', 'an attribute type without equality'],
  ['objectIdentifierMatch', 'noSuchName', 'RFC 4517 §4.2.26: an unknown name'],
  ['uuidMatch', '550e8400e29b41d4a716446655440000', 'no hyphens'],
];

for (const [name, value, why] of unfit) {
  test(`${name}: '${value}' does not fit: ${why}`, (t) => t.is(rule(name).normalize(utf8(value)), undefined));
}

test('octets that are not UTF-8 do not fit a rule for text', (t) => {
  t.is(rule('caseIgnoreMatch').normalize(Uint8Array.of(0x61, 0xff)), undefined);
});

test('RFC 4518: preparing twice is preparing once', (t) => {
  const names = ['caseIgnoreMatch', 'caseExactMatch', 'numericStringMatch', 'telephoneNumberMatch'];
  holds(
    t,
    fc.property(fc.constantFrom(...names), fc.string({ unit: 'binary', minLength: 1 }), (name, value) => {
      const once = rule(name).normalize(utf8(value));
      return once === undefined || show(rule(name).normalize(once)) === show(once);
    }),
  );
});

test('integerOrderingMatch: octets stand in the order of the numbers', (t) => {
  const { normalize } = rule('integerOrderingMatch');
  holds(
    t,
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      const [one, other] = [normalize(utf8(String(a))), normalize(utf8(String(b)))];
      return one !== undefined && other !== undefined && Math.sign(compareBytes(one, other)) === (a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test('generalizedTimeOrderingMatch: octets stand in the order of the moments', (t) => {
  const { normalize } = rule('generalizedTimeOrderingMatch');
  const moment = fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true });
  const zone = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const print = (date: Date, zoneMin: number) => {
    const local = new Date(date.getTime() + zoneMin * 60_000).toISOString().replace(/[-:T]/g, '').slice(0, 18);
    const two = (number: number) => String(Math.trunc(number)).padStart(2, '0');
    return `${local}${zoneMin < 0 ? '-' : '+'}${two(Math.abs(zoneMin) / 60)}${two(Math.abs(zoneMin) % 60)}`;
  };
  holds(
    t,
    fc.property(moment, zone, moment, zone, (a, zoneA, b, zoneB) => {
      const [one, other] = [normalize(utf8(print(a, zoneA))), normalize(utf8(print(b, zoneB)))];
      return one !== undefined && other !== undefined && Math.sign(compareBytes(one, other)) === Math.sign(a.getTime() - b.getTime());
    }),
  );
});

test('RFC 4512 §4.1.4: first component rules compare a definition with a part of it', (t) => {
  const first = rule('objectIdentifierFirstComponentMatch');
  t.is(show(first.normalize(utf8("( 2.5.4.3 NAME 'cn' )"))), show(first.assertion(utf8('cn'))));
});

// Tried anew at each space or each zero, these would take hours.
test('a million spaces and a million zeros are prepared in one pass', (t) => {
  const spaces = ' '.repeat(1_000_000);
  const substrings = schema.matchingRule('caseIgnoreSubstringsMatch');
  t.deepEqual(substrings?.substring?.(utf8(`a${spaces}b`), 'any'), utf8('a  b'));
  t.deepEqual(schema.matchingRule('caseIgnoreMatch')?.normalize(utf8(`é${spaces}b${spaces}`)), utf8('é b'));
  const time = schema.matchingRule('generalizedTimeMatch');
  const zeros = '0'.repeat(1_000_000);
  t.is(time?.normalize(utf8(`20260101000000.${zeros}7Z`))?.length, 14 + 1_000_001);
  t.deepEqual(time?.normalize(utf8(`2026010100.5${zeros}Z`)), utf8('20260101003000'));
});
