import test from 'ava';
import fc from 'fast-check';
import { type Filter, parseFilter } from '#ldap';
import { compileFilter, matches } from '#schema';
import { entryOf, readTestSchema } from '../support/schema.ts';

const schema = readTestSchema();

function filter(text: string): Filter {
  const parsed = parseFilter(text, { depthMax: 20 });
  if (parsed.kind === 'bad') throw new Error(`${parsed.why}: ${text}`);
  return parsed.filter;
}

const ada = entryOf(schema, 'uid=ada,ou=people,dc=example,dc=com', {
  objectClass: ['inetOrgPerson', 'posixAccount'],
  uid: 'ada',
  cn: ['Ada Lovelace', 'foo bar'],
  'cn;lang-fr': 'Ada de Lovelace',
  sn: 'Lovelace',
  mail: 'ada@Example.com',
  telephoneNumber: '+44 117 496 0001',
  manager: 'uid=Charles, ou=People,dc=example,dc=com',
  uidNumber: '10',
  gidNumber: '5',
  homeDirectory: '/home/ada',
  userPassword: '{SCRYPT}x',
  createTimestamp: '20260101120000Z',
});

const answers: readonly [filter: string, answer: boolean | undefined, why: string][] = [
  ['(cn=ADA  lovelace)', true, 'by the rule of the attribute'],
  ['(cn=ada)', false, 'no value is equal'],
  ['(commonName=ada lovelace)', true, 'an alias'],
  ['(2.5.4.3=ada lovelace)', true, 'an OID'],
  ['(name=lovelace)', true, 'RFC 4512 §2.5.1: a supertype is answered from its subtypes'],
  ['(name;lang-fr=ada de lovelace)', true, 'supertype and option together'],
  ['(cn=ada de lovelace)', true, 'RFC 4512 §2.5.2: options are subtypes'],
  ['(cn;lang-fr=ada lovelace)', false, 'options asked for must be there'],
  ['(cn;lang-fr=*)', true, 'presence with an option'],
  ['(objectClass=person)', true, 'RFC 4512 §2.4.1: of a class is of those above'],
  ['(objectClass=2.5.6.6)', true, 'a class by OID'],
  ['(objectClass=device)', false, 'another class'],
  ['(objectClass=wizard)', undefined, 'RFC 4517 §4.2.26: an unknown class'],
  ['(nonsense=x)', undefined, 'RFC 4511 §4.5.1.7: an unknown attribute'],
  ['(!(nonsense=x))', undefined, 'not Undefined is Undefined'],
  ['(&(uid=ada)(nonsense=x))', undefined, 'True and Undefined'],
  ['(&(uid=bob)(nonsense=x))', false, 'False and Undefined'],
  ['(|(uid=ada)(nonsense=x))', true, 'True or Undefined'],
  ['(|(uid=bob)(nonsense=x))', undefined, 'False or Undefined'],
  ['(&)', true, 'RFC 4526: absolute true'],
  ['(|)', false, 'RFC 4526: absolute false'],
  ['(mail=*)', true, 'present'],
  ['(mobile=*)', false, 'absent'],
  ['(nonsense=*)', undefined, 'presence of an unknown attribute'],
  ['(mobile=1)', false, 'an absent attribute equals nothing'],
  ['(!(mobile=1))', true, 'and so its negation holds'],
  ['(uidNumber=010)', undefined, 'an assertion that does not fit the syntax'],
  ['(telephoneNumber=Fábio)', undefined, 'RFC 4517 §3.3.31: a telephone number is printable'],
  ['(!(telephoneNumber=*\\2a*))', undefined, 'and so is a part of one, RFC 4511 §4.5.1.7.2'],
  ['(x121Address=12a)', undefined, 'RFC 4517 §3.3.23: digits and spaces'],
  ['(!(mail=*é*))', undefined, 'a part that is not IA5'],
  ['(!(mail=é))', undefined, 'a value that is not IA5'],
  ['(uidNumber>=9)', true, 'numbers are ordered as numbers'],
  ['(uidNumber<=9)', false, 'in both directions'],
  ['(uidNumber>=10)', true, 'the bound belongs to it'],
  ['(cn>=a)', undefined, 'cn has no ordering rule'],
  ['(createTimestamp>=20260101120000Z)', true, 'moments'],
  ['(createTimestamp<=202601011300+0100)', true, 'in other zones'],
  ['(cn=ada*)', true, 'initial'],
  ['(cn=*LACE)', true, 'final'],
  ['(cn=*a love*)', true, 'any, with a space'],
  ['(cn=a*love*e)', true, 'in order'],
  ['(cn=love*ada)', false, 'out of order'],
  ['(cn=foo * bar)', true, 'RFC 4518 §2.6.1: both parts take of the space between words'],
  ['(cn=ada lovelace*e)', false, 'parts do not overlap'],
  ['(uid=ada*a)', false, 'final takes what initial left'],
  ['(mail=*@EXAMPLE.com)', true, 'IA5 substrings'],
  ['(telephoneNumber=+441174*)', true, 'telephone substrings'],
  ['(uidNumber=1*)', undefined, 'no substrings rule'],
  ['(manager=UID=charles,ou=people,DC=example,dc=com)', true, 'DNs by rule'],
  ['(manager=nonsense=x)', undefined, 'a DN of unknown types'],
  ['(cn~=ada lovelace)', true, 'approx is equality'],
  ['(cn:caseExactMatch:=Ada Lovelace)', true, 'a named rule'],
  ['(cn:caseExactMatch:=ada lovelace)', false, 'a named rule decides'],
  ['(cn:2.5.13.5:=Ada Lovelace)', true, 'a rule by OID'],
  ['(cn:=ada lovelace)', true, 'RFC 4511 §4.5.1.7.7: without a rule, equality'],
  ['(objectClass:=top)', true, 'an equality match all the same: an entry is of the classes above its own'],
  ['(objectClass:dn:=top)', true, 'and with the name looked at'],
  ['(objectClass:objectIdentifierMatch:=top)', false, 'a named rule compares what is listed'],
  ['(cn:integerMatch:=1)', undefined, 'a rule for other syntaxes'],
  ['(cn:noSuchRule:=1)', undefined, 'an unknown rule'],
  ['(:caseIgnoreMatch:=lovelace)', true, 'a rule alone, over all it applies to'],
  ['(:caseIgnoreMatch:=example)', false, 'the name is no part of that'],
  ['(ou:dn:=people)', true, 'RFC 4511 §4.5.1.7.7: dnAttributes'],
  ['(ou:=people)', false, 'without it the name is not looked at'],
  ['(:dn:caseIgnoreMatch:=people)', true, 'a rule alone, the name too'],
  ['(cn:caseIgnoreSubstringsMatch:=ada\\2alace)', true, 'a substrings rule takes a substring assertion'],
  ['(uidNumber:integerOrderingMatch:=11)', true, 'RFC 4517 §4.2.20: an ordering rule alone asks for less'],
  ['(userPassword=*)', undefined, 'a secret is not filtered on'],
  ['(userPassword={SCRYPT}x)', undefined, 'not by value either'],
  ['(userPassword:octetStringMatch:={SCRYPT}x)', undefined, 'nor by a rule'],
  ['(:octetStringMatch:={SCRYPT}x)', false, 'nor by a rule alone'],
];

for (const [text, answer, why] of answers) {
  test(`${text} is ${answer === undefined ? 'Undefined' : answer}: ${why}`, (t) => t.is(matches(schema, filter(text), ada), answer));
}

/** Three-valued logic, word by word as RFC 4511 §4.5.1.7 defines it. */
function plainly(one: Filter, entry: typeof ada): boolean | undefined {
  if (one.kind === 'and' || one.kind === 'or') {
    const all = one.filters.map((each) => plainly(each, entry));
    const deciding = one.kind === 'or';
    if (all.includes(deciding)) return deciding;
    return all.includes(undefined) ? undefined : !deciding;
  }
  if (one.kind === 'not') {
    const inner = plainly(one.filter, entry);
    return inner === undefined ? undefined : !inner;
  }
  if (one.kind !== 'equality' && one.kind !== 'present' && one.kind !== 'substrings') throw new Error(one.kind);
  if (one.description === 'nonsense') return undefined;
  const values = (entry.attributes.get(one.description)?.values ?? []).map((each) => Buffer.from(each).toString().toLowerCase());
  if (one.kind === 'present') return values.length > 0;
  if (one.kind === 'equality') return values.includes(Buffer.from(one.value).toString().toLowerCase());
  const part = (octets: Uint8Array | undefined) =>
    Buffer.from(octets ?? [])
      .toString()
      .toLowerCase();
  return values.some((each) => {
    let at = part(one.initial).length;
    if (!each.startsWith(part(one.initial))) return false;
    for (const any of one.any) {
      const found = each.indexOf(part(any), at);
      if (found < 0) return false;
      at = found + part(any).length;
    }
    return each.length - part(one.final).length >= at && each.endsWith(part(one.final));
  });
}

test('compiled filters answer like a plain evaluation, over generated filters and entries', (t) => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A'), minLength: 1, maxLength: 3 });
  const octets = word.map((each) => new TextEncoder().encode(each));
  const description = fc.constantFrom('cn', 'sn', 'uid', 'nonsense');
  const { tree } = fc.letrec<{ tree: Filter }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.record({ kind: fc.constant('equality' as const), description, value: octets }),
      fc.record({ kind: fc.constant('present' as const), description }),
      fc.record(
        { kind: fc.constant('substrings' as const), description, initial: octets, any: fc.array(octets, { maxLength: 2 }), final: octets },
        { requiredKeys: ['kind', 'description', 'any'] },
      ),
      fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), filters: fc.array(tie('tree'), { maxLength: 3 }) }),
      fc.record({ kind: fc.constant('not' as const), filter: tie('tree') }),
    ),
  }));
  const some = fc.array(word, { minLength: 1, maxLength: 2 });
  const entry = fc
    .record({ cn: some, sn: some, uid: some }, { requiredKeys: [] })
    .map((given) => entryOf(schema, 'cn=x', { objectClass: 'person', ...given }));
  let decided = 0;
  fc.assert(
    fc.property(tree, entry, (one, of) => {
      const answer = compileFilter(schema, one)(of);
      if (answer === true) decided++;
      return answer === plainly(one, of);
    }),
    { numRuns: 3000 },
  );
  t.true(decided > 100);
});

test('keys begin as a rule says of an initial part, and where it says that this tells enough, only those of values that have the part', (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', 'é', ' ', '\u0301', '\t', '-', '\u00ad', '1'), maxLength: 5 });
  const names = fc.constantFrom('cn', 'mail', 'telephoneNumber', 'uid', 'ou');
  let told = 0;
  let others = 0;
  fc.assert(
    fc.property(names, text, text, fc.boolean(), (name, part, rest, isJoined) => {
      const type = schema.attributeType(name);
      const initial = Buffer.from(part);
      const value = Buffer.from(isJoined ? `${part}${rest}` : rest);
      const key = type?.equality?.normalize(value);
      const prefix = type?.substrings?.prefix?.(initial);
      if (key === undefined || prefix === undefined || part === '') return;
      const entry = { dn: [], attributes: new Map([[name.toLowerCase(), { description: name, values: [value] }]]) };
      const fits = matches(schema, { kind: 'substrings', description: name, initial, any: [] }, entry) === true;
      const begins = Buffer.from(key).subarray(0, prefix.length).equals(prefix);
      const tells = type?.substrings?.prefixTells?.(initial) === true;
      const what = JSON.stringify([name, part, value.toString()]);
      if (fits) t.true(begins, what);
      if (tells) t.is(begins, fits, what);
      if (tells && fits) told++;
      if (!tells && begins && !fits) others++;
    }),
    { numRuns: 5000 },
  );
  t.true(told > 100, String(told));
  t.true(others > 0, 'where it does not tell enough, some keys begin so and do not have the part');
});

test('what a rule says stands within the key of every value with a part does, wherever the spaces and marks are', (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', 'é', ' ', '\u0301', '\t', '-', '\u00ad', '1'), maxLength: 10 });
  const names = fc.constantFrom('cn', 'mail', 'telephoneNumber', 'uid', 'ou');
  const positions = fc.constantFrom('initial' as const, 'any' as const, 'final' as const);
  let held = 0;
  fc.assert(
    fc.property(names, positions, text, text, text, (name, position, before, part, after) => {
      const type = schema.attributeType(name);
      const whole = `${position === 'initial' ? '' : before}${part}${position === 'final' ? '' : after}`;
      const value = Buffer.from(whole);
      const parts = {
        any: position === 'any' ? [Buffer.from(part)] : [],
        ...(position === 'any' ? {} : { [position]: Buffer.from(part) }),
      };
      const key = type?.equality?.normalize(value);
      const entry = { dn: [], attributes: new Map([[name.toLowerCase(), { description: name, values: [value] }]]) };
      if (key === undefined || matches(schema, { kind: 'substrings', description: name, ...parts }, entry) !== true) return;
      const within = type?.substrings?.within?.(Buffer.from(part), position);
      if (within === undefined) return;
      held++;
      t.true(Buffer.from(key).includes(within), JSON.stringify([name, position, whole, part]));
    }),
    { numRuns: 3000 },
  );
  t.true(held > 300);
});
