import { text, utf8 } from '#base';
import type { Filter, Request, SearchRequest } from '#ldap';
import { suffix } from '../directory/driver.ts';
import type { PlainStored } from '../directory/plain-search.ts';
import type { Random } from '../support/people.ts';
import { groups, people } from './content.ts';

/** Who searches: nobody, a person, the administrator. */
export const askers = ['anonymous', 'person', 'administrator'] as const;
export type AskerName = (typeof askers)[number];

export interface DrawnSearch {
  readonly who: AskerName;
  readonly request: SearchRequest;
}

const userNames = [
  ...['uid', 'cn', 'sn', 'givenName', 'displayName', 'mail', 'title', 'ou', 'telephoneNumber', 'mobile', 'employeeNumber', 'employeeType'],
  ...['departmentNumber', 'manager', 'roomNumber', 'street', 'postalCode', 'l', 'preferredLanguage', 'uidNumber', 'gidNumber', 'gecos'],
  ...['homeDirectory', 'loginShell', 'description', 'member', 'uniqueMember', 'owner', 'objectClass', 'dc', 'o', 'serialNumber', 'seeAlso'],
  ...[
    'name',
    '2.5.4.3',
    'CN',
    'cn;lang-fr',
    'cn;lang-de',
    'sn;lang-fr',
    'name;lang-fr',
    'businessCategory',
    'homePostalAddress',
    'initials',
  ],
];
const operationalNames = [
  'entryUUID',
  'createTimestamp',
  'modifyTimestamp',
  'creatorsName',
  'structuralObjectClass',
  'entryDN',
  'hasSubordinates',
];
const strangeNames = ['nothing', 'memberOf', 'userPassword', 'cn;', '1.2.3.4', 'x-nothing;lang-fr'];
const rules = [
  ...[
    'caseIgnoreMatch',
    '2.5.13.2',
    'caseExactMatch',
    'integerMatch',
    'distinguishedNameMatch',
    'caseIgnoreIA5Match',
    'telephoneNumberMatch',
  ],
  ...['caseIgnoreSubstringsMatch', 'integerOrderingMatch', 'caseIgnoreOrderingMatch', 'objectIdentifierMatch', 'noSuchMatch'],
];
const userSelections: readonly (readonly string[])[] = [
  ...[
    [],
    ['*'],
    ['1.1'],
    ['1.1'],
    ['1.1'],
    ['cn'],
    ['cn', 'mail'],
    ['name'],
    ['uid'],
    ['objectClass'],
    ['member'],
    ['uniqueMember', 'owner'],
  ],
  ...[['cn;lang-fr'], ['nothing'], ['*', 'nothing'], ['CN', 'cn'], ['2.5.4.3', 'telephoneNumber'], ['userPassword', 'uid'], ['1.1', 'cn']],
];
const operationalSelections: readonly (readonly string[])[] = [
  ...[['+'], ['*', '+'], ['memberOf'], ['uid', 'hasSubordinates'], ['entryDN', 'entryUUID'], ['createTimestamp', 'cn']],
];

/** Draws a search. Values come from entries that are there, whole, in part, or changed; so do bases. */
export function drawSearch(random: Random, entries: readonly PlainStored[]): DrawnSearch {
  const filter = drawFilter(random, entries, 0);
  return {
    who: random.pick(askers),
    request: {
      kind: 'searchRequest',
      baseObject: drawBase(random, entries),
      scope: random.pick(['sub', 'sub', 'sub', 'one', 'children', 'base'] as const),
      derefAliases: 'never',
      sizeLimit: 0,
      timeLimitS: 0,
      typesOnly: random.chance(0.15),
      filter,
      attributes: random.pick(random.chance(0.9) ? userSelections : operationalSelections),
    },
  };
}

function drawBase(random: Random, entries: readonly PlainStored[]): string {
  if (random.chance(0.5)) return random.pick([suffix, people, people, people, groups]);
  if (random.chance(0.15))
    return random.pick(['OU=People,  DC=Example,DC=com', `ou=retired,${people}`, `ou=nested,${groups}`, `uid=none,${people}`, 'x']);
  return random.chance(0.5) ? random.pick(entries).dn : people;
}

const depthMax = 3;

function drawFilter(random: Random, entries: readonly PlainStored[], depth: number): Filter {
  if (depth < depthMax && random.chance(0.35)) {
    const inner = () => drawFilter(random, entries, depth + 1);
    if (random.chance(0.35)) return { kind: 'not', filter: inner() };
    return { kind: random.pick(['and', 'or'] as const), filters: Array.from({ length: 1 + random.below(3) }, inner) };
  }
  return drawLeaf(random, entries);
}

function drawLeaf(random: Random, entries: readonly PlainStored[]): Filter {
  const { description, value } = drawAssertion(random, entries);
  const kind = random.below(100);
  if (kind < 45) return { kind: 'equality', description, value };
  if (kind < 55) return { kind: 'present', description };
  if (kind < 77) return substrings(random, description, value);
  if (kind < 90) return { kind: random.pick(['greaterOrEqual', 'lessOrEqual'] as const), description, value };
  if (kind < 93) return { kind: 'approx', description, value };
  const rule = random.chance(0.7) ? { rule: random.pick(rules) } : undefined;
  const named = rule === undefined || random.chance(0.7) ? { description } : {};
  return { kind: 'extensible', ...rule, ...named, value, dnAttributes: random.chance(0.3) };
}

/** An attribute and a value: mostly what an entry holds, sometimes a value of another attribute or none that anybody has. */
function drawAssertion(random: Random, entries: readonly PlainStored[]): { description: string; value: Uint8Array } {
  const { attributes } = random.pick(random.chance(largeShare) ? largeOf(entries) : entries);
  // User attributes stand in front of the operational ones.
  const held = random.pick(random.chance(0.9) ? attributes.slice(0, Math.max(1, attributes.length - operationalNames.length)) : attributes);
  const value = changed(random, random.pick(held.values) ?? utf8('x'));
  const odd = random.below(20);
  if (odd < 15) return { description: held.description, value };
  if (odd === 15) return { description: random.pick(strangeNames), value };
  if (odd === 16) return { description: random.pick(operationalNames), value };
  return { description: random.pick(userNames), value };
}

function changed(random: Random, value: Uint8Array): Uint8Array {
  const said = text(value);
  if (said === undefined || random.chance(0.6)) return value;
  switch (random.below(6)) {
    case 0:
      return utf8(said.toUpperCase());
    case 1:
      return utf8(said.toLowerCase());
    case 2:
      return utf8(said.replaceAll(' ', '   '));
    case 3:
      return utf8(` ${said} `);
    case 4:
      return utf8(said.slice(0, 1 + random.below(said.length)));
    default:
      return utf8(`${said}${random.below(10)}`);
  }
}

function substrings(random: Random, description: string, value: Uint8Array): Filter {
  const said = [...(text(value) ?? 'x')];
  const from = random.below(said.length);
  const part = (begin: number, length: number) => utf8(said.slice(begin, begin + length).join(''));
  const length = 1 + random.below(6);
  switch (random.below(5)) {
    case 0:
      return { kind: 'substrings', description, initial: part(0, length), any: [] };
    case 1:
      return { kind: 'substrings', description, any: [], final: utf8(said.slice(from).join('')) };
    case 2:
      return { kind: 'substrings', description, any: [part(from, length), part(from + length, 2)].filter((each) => each.length > 0) };
    case 3:
      return { kind: 'substrings', description, initial: part(0, 1 + random.below(2)), any: [], final: part(said.length - 1, 1) };
    default:
      return { kind: 'substrings', description, any: [part(from, length + 2)] };
  }
}

const firstWords = ['Ada', 'Grace', 'Žofie', 'ada', 'O’Neill', 'x'];

/** Draws a write that the administrator makes; some of them must be refused. */
export function drawWrite(random: Random, entries: readonly PlainStored[], number: number): Request {
  const persons = entries.filter(({ dn }) => /^uid=[^,]*,ou=people,/.test(dn) && !/^uid=(admin|anna),/.test(dn));
  const person = random.pick(persons).dn;
  const word = random.pick(firstWords);
  switch (random.below(7)) {
    case 0:
      return addPerson(`new${number}`, word);
    case 1:
      return random.chance(0.2) ? { kind: 'delRequest', entry: person } : addPerson(`new${number}`, word);
    case 2:
      return { kind: 'modifyDNRequest', entry: person, newRdn: `uid=moved${number}`, deleteOldRdn: random.chance(0.7) };
    case 3: {
      const [description, value] = random.pick([
        ['cn', `${word} ${number}`],
        ['mail', `${number}@example.org`],
        ['description', `${word}  described`],
        ['employeeNumber', String(number)],
        ['telephoneNumber', `+49 30 ${number}`],
        ['cn;lang-fr', `${word} la ${number}e`],
        ['mobile', ''],
        ['sn', ''],
      ] as const);
      return modify(person, 'replace', description, value);
    }
    case 4: {
      const all = entries.filter(({ attributes }) => attributes.some(({ description }) => description === 'member'));
      return modify(random.pick(all).dn, random.pick(['add', 'delete'] as const), 'member', person);
    }
    case 5:
      return changeLarge(random, entries, persons);
    default:
      return modify(person, 'add', random.pick(['description', 'title', 'cn']), `${word} ${number % 7}`);
  }
}

/** Members of a large group by the dozen, so that it comes to both sides of the bounds of values that lie in an entry. */
function changeLarge(random: Random, entries: readonly PlainStored[], persons: readonly PlainStored[]): Request {
  const { dn, attributes } = random.pick(largeOf(entries));
  const { description, values } = attributes.find((one) => /member$/i.test(one.description)) ?? { description: 'member', values: [] };
  const held = new Set(values.map((value) => text(value)?.toLowerCase()));
  const first = random.below(values.length);
  const gone = values.slice(first, first + 1 + random.below(random.pick(movedMax))).slice(0, values.length - 1);
  const from = random.below(persons.length);
  const come = persons
    .slice(from, from + 1 + random.below(random.pick(movedMax)))
    .filter((person) => !held.has(person.dn.toLowerCase()))
    .map((person) => utf8(person.dn));
  const changes = [
    { operation: 'delete', attribute: { description, values: gone } },
    { operation: 'add', attribute: { description, values: come } },
  ] as const;
  return { kind: 'modifyRequest', object: dn, changes: changes.filter(({ attribute }) => attribute.values.length > 0) };
}

const movedMax = [1, 3, 100, 300];

/** How many assertions are about an entry with very many values, of which there are few. */
const largeShare = 0.1;

function largeOf(entries: readonly PlainStored[]): readonly PlainStored[] {
  return entries.filter(({ dn }) => /^cn=(group|unique) of /.test(dn));
}

function modify(object: string, operation: 'add' | 'delete' | 'replace', description: string, value: string): Request {
  return {
    kind: 'modifyRequest',
    object,
    changes: [{ operation, attribute: { description, values: value === '' ? [] : [utf8(value)] } }],
  };
}

function addPerson(uid: string, word: string): Request {
  const given: readonly (readonly [string, string])[] = [
    ['objectClass', 'inetOrgPerson'],
    ['uid', uid],
    ['cn', `${word} ${uid}`],
    ['sn', uid],
    ['mail', `${uid}@example.com`],
  ];
  return {
    kind: 'addRequest',
    entry: `uid=${uid},${people}`,
    attributes: given.map(([description, value]) => ({ description, values: [utf8(value)] })),
  };
}
