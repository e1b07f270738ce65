import test from 'ava';
import fc from 'fast-check';
import { type Dn, formatDn, formatRdn, parentOf, parseDn, parseRdn } from '#ldap';
import { holds } from '../support/holds.ts';
import { dn as anyDn } from './arbitraries.ts';

const utf8 = (one: string) => new TextEncoder().encode(one);
const ava = (type: string, value: string) => ({ type, value: utf8(value) });

/** RFC 4514 §4, in its order. */
const examples: readonly [text: string, dn: Dn, printed?: string][] = [
  ['UID=jsmith,DC=example,DC=net', [[ava('UID', 'jsmith')], [ava('DC', 'example')], [ava('DC', 'net')]]],
  ['OU=Sales+CN=J.  Smith,DC=example,DC=net', [[ava('OU', 'Sales'), ava('CN', 'J.  Smith')], [ava('DC', 'example')], [ava('DC', 'net')]]],
  [
    'CN=James \\"Jim\\" Smith\\, III,DC=example,DC=net',
    [[ava('CN', 'James "Jim" Smith, III')], [ava('DC', 'example')], [ava('DC', 'net')]],
  ],
  ['CN=Before\\0dAfter,DC=example,DC=net', [[ava('CN', 'Before\rAfter')], [ava('DC', 'example')], [ava('DC', 'net')]]],
  ['1.3.6.1.4.1.1466.0=#04024869', [[ava('1.3.6.1.4.1.1466.0', 'Hi')]]],
  ['CN=Lu\\C4\\8Di\\C4\\87', [[ava('CN', 'Lučić')]], 'CN=Lučić'],
];

for (const [text, dn, printed] of examples) {
  test(`RFC 4514 §4: ${text}`, (t) => {
    t.deepEqual(parseDn(text), dn);
    t.is(formatDn(dn), printed ?? text);
  });
}

const taken: readonly [why: string, text: string, dn: Dn][] = [
  ['no text is the empty DN', '', []],
  ['spaces around separators do not count', ' cn = a b  +  sn= c ,  dc=d ', [[ava('cn', 'a b'), ava('sn', 'c')], [ava('dc', 'd')]]],
  ['escaped spaces count', 'cn=\\ a\\ ,dc=\\20', [[ava('cn', ' a ')], [ava('dc', ' ')]]],
  ['every special character may be escaped by itself', 'cn=\\"\\+\\,\\;\\<\\>\\\\\\#\\=\\ ', [[ava('cn', '"+,;<>\\#= ')]]],
  ['every octet may be escaped by its number', 'cn=\\61\\2C\\c3\\a9', [[ava('cn', 'a,é')]]],
  ['a value may be empty', 'cn=', [[ava('cn', '')]]],
  ['# needs an escape only at the start, = nowhere', 'cn=a#b=c', [[ava('cn', 'a#b=c')]]],
  ['#hex is the BER of the value, whatever the type', 'cn=#0C03414243,dc=a', [[ava('cn', 'ABC')], [ava('dc', 'a')]]],
  ['#hex may use a long length', 'cn=#0481024869', [[ava('cn', 'Hi')]]],
];

for (const [why, text, dn] of taken) test(`RFC 4514 §3: ${why}`, (t) => t.deepEqual(parseDn(text), dn));

/** RFC 4514 §4: "Implementations MAY recognize other DN string representations." slapd does. */
const older: readonly [why: string, text: string, dn: Dn][] = [
  ['a semicolon separates', 'cn=a ; dc=b', [[ava('cn', 'a')], [ava('dc', 'b')]]],
  [
    'a value may stand in quotes',
    'cn="a,b;c+d=e<f>#"+sn=" g ",dc="\\61\\"\\\\"',
    [[ava('cn', 'a,b;c+d=e<f>#'), ava('sn', ' g ')], [ava('dc', 'a"\\')]],
  ],
  ['spaces around quotes do not count', 'cn = "a" , dc= "b" ', [[ava('cn', 'a')], [ava('dc', 'b')]]],
];

for (const [why, text, dn] of older) test(`RFC 2253 §4: ${why}`, (t) => t.deepEqual(parseDn(text), dn));

const refused = [
  'cn',
  'cn=a,',
  ',cn=a',
  'cn=a,,dc=b',
  'cn=a+',
  '=a',
  '1=a',
  '2.5..4=a',
  'cn;lang-de=a',
  'c n=a',
  ' ',
  'cn="a',
  'cn="a\\"',
  'cn="a"b',
  'cn=a"b"',
  'cn="\\zz"',
  'cn="a\0"',
  'cn=a;;dc=b',
  'cn=a<b',
  'cn=a>b',
  'cn=a\0',
  'cn=a\\',
  'cn=\\zz',
  'cn=\\4',
  'cn=#',
  'cn=#0',
  'cn=#0402486',
  'cn=#0403 4869',
  'cn=#04034869',
  'cn=#3000',
  'cn=#04024869x',
];

for (const text of refused) test(`RFC 4514 §3: ${JSON.stringify(text)} is no DN`, (t) => t.is(parseDn(text), undefined));

test('RFC 4514 §2.4: a value of octets that are no text is written octet by octet', (t) => {
  const dn = [[{ type: 'cn', value: Uint8Array.of(0x61, 0xff, 0) }]];
  t.is(formatDn(dn), 'cn=\\61\\ff\\00');
  t.deepEqual(parseDn('cn=\\61\\ff\\00'), dn);
});

test('RFC 4514: every DN is parsed as it was printed', (t) => {
  holds(
    t,
    fc.property(anyDn, (one) => t.deepEqual(parseDn(formatDn(one)), one)),
  );
});

test('arbitrary text is refused as a DN or parsed to what prints to the same DN', (t) => {
  const text = fc.string({ unit: fc.constantFrom('=', ',', '+', '#', '\\', ' ', 'c', '0', '4', '1', '.', 'é', '"', ';'), maxLength: 20 });
  holds(
    t,
    fc.property(text, (one) => {
      const parsed = parseDn(one);
      if (parsed) t.deepEqual(parseDn(formatDn(parsed)), parsed);
    }),
    { numRuns: 3000 },
  );
});

test('a relative DN is one level, and nothing stands behind it', (t) => {
  t.deepEqual(parseRdn('cn=a+sn=b'), [ava('cn', 'a'), ava('sn', 'b')]);
  t.is(formatRdn([ava('cn', 'a'), ava('sn', 'b')]), 'cn=a+sn=b');
  t.is(parseRdn('cn=a,dc=b'), undefined);
  t.is(parseRdn(''), undefined);
});

test('above a DN is what is left without its first RDN, above the empty one nothing', (t) => {
  t.is(formatDn(parentOf(parseDn('cn=a,dc=b,dc=c') ?? []) ?? []), 'dc=b,dc=c');
  t.deepEqual(parentOf([[ava('dc', 'a')]]), []);
  t.is(parentOf([]), undefined);
});

test('RFC 4514 §2.4: spaces at both ends and # at the start are escaped, and all that is special', (t) => {
  const printed = (value: string) => formatDn([[ava('cn', value)]]);
  t.is(printed(' '), 'cn=\\ ');
  t.is(printed('  '), 'cn=\\ \\ ');
  t.is(printed(' a b '), 'cn=\\ a b\\ ');
  t.is(printed('#a#'), 'cn=\\#a#');
  t.is(printed('a,b+c"d\\e<f>g;h=i'), 'cn=a\\,b\\+c\\"d\\\\e\\<f\\>g\\;h=i');
  t.is(printed('\0\t'), 'cn=\\00\\09');
});

// Tried anew at each space, either would take hours.
test('a million spaces around a type are read in one pass, those that end in nothing too', (t) => {
  const spaces = ' '.repeat(1_000_000);
  t.deepEqual(parseDn(`cn=a,${spaces}cn${spaces}=b`), [[ava('cn', 'a')], [ava('cn', 'b')]]);
  t.is(parseDn(`cn=a,x${spaces}y=b`), undefined);
});
