import test from 'ava';
import fc from 'fast-check';
import { decodeMessage, encodeMessage, type Filter, formatFilter, parseFilter, type SearchRequest } from '#ldap';
import { holds } from '../support/holds.ts';
import { filter as anyFilter } from './arbitraries.ts';

const limits = { depthMax: 20 };
const utf8 = (one: string) => new TextEncoder().encode(one);
const equality = (description: string, value: string): Filter => ({ kind: 'equality', description, value: utf8(value) });
const extensible = (value: string, rest: { description?: string; rule?: string; dnAttributes?: boolean }): Filter => ({
  kind: 'extensible',
  value: utf8(value),
  dnAttributes: false,
  ...rest,
});

/** RFC 4515 §4, in its order; then RFC 4526. */
const examples: readonly [text: string, filter: Filter, printed?: string][] = [
  ['(cn=Babs Jensen)', equality('cn', 'Babs Jensen')],
  ['(!(cn=Tim Howes))', { kind: 'not', filter: equality('cn', 'Tim Howes') }],
  [
    '(&(objectClass=Person)(|(sn=Jensen)(cn=Babs J*)))',
    {
      kind: 'and',
      filters: [
        equality('objectClass', 'Person'),
        { kind: 'or', filters: [equality('sn', 'Jensen'), { kind: 'substrings', description: 'cn', initial: utf8('Babs J'), any: [] }] },
      ],
    },
  ],
  ['(o=univ*of*mich*)', { kind: 'substrings', description: 'o', initial: utf8('univ'), any: [utf8('of'), utf8('mich')] }],
  ['(seeAlso=)', equality('seeAlso', '')],
  ['(cn:caseExactMatch:=Fred Flintstone)', extensible('Fred Flintstone', { description: 'cn', rule: 'caseExactMatch' })],
  ['(cn:=Betty Rubble)', extensible('Betty Rubble', { description: 'cn' })],
  ['(sn:dn:2.4.6.8.10:=Barney Rubble)', extensible('Barney Rubble', { description: 'sn', rule: '2.4.6.8.10', dnAttributes: true })],
  ['(o:dn:=Ace Industry)', extensible('Ace Industry', { description: 'o', dnAttributes: true })],
  ['(:1.2.3:=Wilma Flintstone)', extensible('Wilma Flintstone', { rule: '1.2.3' })],
  ['(:DN:2.4.6.8.10:=Dino)', extensible('Dino', { rule: '2.4.6.8.10', dnAttributes: true }), '(:dn:2.4.6.8.10:=Dino)'],
  ['(o=Parens R Us \\28for all your parenthetical needs\\29)', equality('o', 'Parens R Us (for all your parenthetical needs)')],
  ['(cn=*\\2A*)', { kind: 'substrings', description: 'cn', any: [utf8('*')] }, '(cn=*\\2a*)'],
  ['(filename=C:\\5cMyFile)', equality('filename', 'C:\\MyFile')],
  ['(bin=\\00\\00\\00\\04)', equality('bin', '\0\0\0\u0004')],
  ['(sn=Lu\\c4\\8di\\c4\\87)', equality('sn', 'Lučić'), '(sn=Lučić)'],
  ['(1.3.6.1.4.1.1466.0=\\04\\02\\48\\69)', equality('1.3.6.1.4.1.1466.0', '\u0004\u0002Hi'), '(1.3.6.1.4.1.1466.0=\\04\\02Hi)'],
  ['(&)', { kind: 'and', filters: [] }],
  ['(|)', { kind: 'or', filters: [] }],
];

for (const [text, filter, printed] of examples) {
  test(`RFC 4515 §4: ${text}`, (t) => {
    t.deepEqual(parseFilter(text, limits), { kind: 'filter', filter });
    t.is(formatFilter(filter), printed ?? text);
  });
}

const refused = [
  ['', 0],
  ['cn=a', 0],
  ['(cn=a', 5],
  ['(cn=a))', 6],
  ['(cn)', 1],
  ['(=a)', 1],
  ['(c n=a)', 1],
  ['(cn=a(b)', 5],
  ['(cn=\\2)', 4],
  ['(cn=\\zz)', 4],
  ['(cn=a\0)', 5],
  ['(cn=a**b)', 6],
  ['(!)', 2],
  ['(!(a=b)(c=d))', 12],
  ['(:=x)', 1],
  ['(cn:dn:a:b:=x)', 1],
  ['(&(a=b)', 7],
  ['(cn>=a*)', 6],
] as const;

for (const [text, at] of refused) {
  test(`RFC 4515 §3: ${JSON.stringify(text)} is no filter, and the place is told`, (t) => {
    t.like(parseFilter(text, limits), { kind: 'bad', at });
  });
}

test('spaces between the filters of a list are taken', (t) => {
  t.deepEqual(parseFilter('(& (a=b) (c=d) )', limits), parseFilter('(&(a=b)(c=d))', limits));
});

test('RFC 4515: every filter is parsed as it was printed', (t) => {
  holds(
    t,
    fc.property(anyFilter, (one) => t.deepEqual(parseFilter(formatFilter(one), limits), { kind: 'filter', filter: one })),
  );
});

test('arbitrary text is refused as a filter or parsed to what prints to the same filter', (t) => {
  const text = fc.string({
    unit: fc.constantFrom('(', ')', '&', '|', '!', '=', '*', ':', '\\', 'a', '2', 'é', '<', '~', ' '),
    maxLength: 24,
  });
  holds(
    t,
    fc.property(text, (one) => {
      const parsed = parseFilter(one, limits);
      if (parsed.kind === 'filter') t.deepEqual(parseFilter(formatFilter(parsed.filter), limits), parsed);
    }),
    { numRuns: 3000 },
  );
});

function searchWith(filter: Filter): Uint8Array {
  const op: SearchRequest = {
    kind: 'searchRequest',
    baseObject: '',
    scope: 'base',
    derefAliases: 'never',
    sizeLimit: 0,
    timeLimitS: 0,
    typesOnly: false,
    filter,
    attributes: [],
  };
  return encodeMessage({ messageId: 1, op, controls: [] });
}

function nested(depth: number, kind: 'and' | 'or' | 'not'): Filter {
  let filter: Filter = { kind: 'present', description: 'a' };
  for (let i = 1; i < depth; i++) filter = kind === 'not' ? { kind, filter } : { kind, filters: [filter] };
  return filter;
}

for (const kind of ['and', 'or', 'not'] as const) {
  test(`a filter of ${kind} as deep as the limit is taken, one deeper is refused, as text and on the wire`, (t) => {
    t.is(parseFilter(formatFilter(nested(20, kind)), limits).kind, 'filter');
    t.like(parseFilter(formatFilter(nested(21, kind)), limits), { kind: 'bad', why: 'nested too deeply' });
    t.is(decodeMessage(searchWith(nested(20, kind)), limits).kind, 'message');
    t.like(decodeMessage(searchWith(nested(21, kind)), limits), { kind: 'bad', why: 'filter is nested too deeply', messageId: 1 });
  });
}

test('filters beside each other do not add to the depth', (t) => {
  t.is(parseFilter(`(&${'(!(a=b))'.repeat(50)})`, { depthMax: 3 }).kind, 'filter');
  const filters = Array.from({ length: 50 }, () => nested(2, 'not'));
  t.is(decodeMessage(searchWith({ kind: 'and', filters }), { depthMax: 3 }).kind, 'message');
  const lists = Array.from({ length: 50 }, () => nested(2, 'or'));
  t.is(decodeMessage(searchWith({ kind: 'and', filters: lists }), { depthMax: 3 }).kind, 'message');
  t.is(parseFilter(`(&${'(|(a=b))'.repeat(50)})`, { depthMax: 3 }).kind, 'filter');
});

test('no limit asked for lets a filter use up the stack', (t) => {
  const deep = `${'(!'.repeat(100_000)}(a=b)${')'.repeat(100_000)}`;
  t.is(parseFilter(deep, { depthMax: Number.MAX_SAFE_INTEGER }).kind, 'bad');
  let inner: Uint8Array = Uint8Array.of(0x87, 1, 0x61);
  for (let i = 0; i < 5000; i++) {
    const length = inner.length;
    inner = Buffer.concat([Uint8Array.of(0xa2, 0x83, length >> 16, (length >> 8) & 255, length & 255), inner]);
  }
  const head = Buffer.from('0400 0a0100 0a0100 020100 020100 010100'.replaceAll(' ', ''), 'hex');
  const search = Buffer.concat([head, inner, Uint8Array.of(0x30, 0)]);
  const wrap = (tag: number, content: Uint8Array) => {
    const { length } = content;
    return Buffer.concat([Uint8Array.of(tag, 0x83, length >> 16, (length >> 8) & 255, length & 255), content]);
  };
  const whole = wrap(0x30, Buffer.concat([Uint8Array.of(2, 1, 1), wrap(0x63, search)]));
  t.like(decodeMessage(whole, { depthMax: Number.MAX_SAFE_INTEGER }), { kind: 'bad', why: 'filter is nested too deeply' });
});

test('the components of a filter are counted at every level', (t) => {
  const text = '(|(a=b)(&(a=b)(a=b)))';
  const parsed = parseFilter(text, { ...limits, filterItemsMax: 5 });
  t.is(parsed.kind, 'filter');
  t.like(parseFilter(text, { ...limits, filterItemsMax: 4 }), { kind: 'bad', why: 'too many components' });
  if (parsed.kind !== 'filter') return;
  t.is(decodeMessage(searchWith(parsed.filter), { ...limits, filterItemsMax: 5 }).kind, 'message');
  t.is(decodeMessage(searchWith(parsed.filter), { ...limits, filterItemsMax: 4 }).kind, 'bad');
});

test('the inner parts of substrings are counted with the components of a filter', (t) => {
  const bytes = searchWith({ kind: 'substrings', description: 'a', any: ['x', 'y', 'z'].map(utf8) });
  t.is(decodeMessage(bytes, { ...limits, filterItemsMax: 4 }).kind, 'message');
  t.like(decodeMessage(bytes, { ...limits, filterItemsMax: 3 }), { kind: 'bad', why: 'filter has too many components' });
});

test('RFC 4511 §4.5.1.7.2: substrings in another order than initial, any, final are refused', (t) => {
  const bytes = searchWith({ kind: 'substrings', description: 'a', initial: utf8('x'), any: [utf8('y')] });
  const at = Buffer.from(bytes).indexOf(Uint8Array.of(0x81, 1, 0x79));
  bytes[at] = 0x80;
  t.like(decodeMessage(bytes, limits), { kind: 'bad', why: 'substrings out of order' });
});

test('RFC 4517 §3.3.30: an empty substring is refused on the wire, as it is in text', (t) => {
  const bytes = searchWith({ kind: 'substrings', description: 'a', initial: new Uint8Array(0), any: [utf8('y')] });
  t.like(decodeMessage(bytes, limits), { kind: 'bad', why: 'empty substring' });
});
