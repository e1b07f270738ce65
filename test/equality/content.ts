import { text, utf8 } from '#base';
import type { LdifContent, PartialAttribute } from '#ldap';
import { suffix } from '../directory/driver.ts';
import { generatePeople } from '../support/people.ts';

export const people = `ou=people,${suffix}`;
export const groups = `ou=groups,${suffix}`;
export const administrator = `uid=admin,${people}`;
export const password = 'Correct-horse-7-battery';
/** People, groups and what is odd among them, as both servers get them. */
export function generateContent(count: number, seed: number): LdifContent[] {
  const generated = [...generatePeople({ count, seed, suffix })].map(withoutPosix).map(withoutDotted);
  return [
    entry(suffix, { objectClass: ['top', 'dcObject', 'organization'], dc: ['example'], o: ['Example'] }),
    entry(people, { objectClass: ['organizationalUnit'], ou: ['people'] }),
    entry(groups, { objectClass: ['organizationalUnit'], ou: ['groups'] }),
    // A service makes these where they are not there.
    entry(`ou=realms,${suffix}`, { objectClass: ['organizationalUnit'], ou: ['realms'] }),
    entry(`cn=tasks,${suffix}`, { objectClass: ['applicationProcess'], cn: ['tasks'] }),
    entry(administrator, { objectClass: ['inetOrgPerson'], uid: ['admin'], cn: ['Admin'], sn: ['Admin'] }),
    ...generated,
    ...odd,
    ...largeGroups(generated.map(({ dn }) => dn).filter((dn) => dn.endsWith(people))),
  ];
}

/** Groups on both sides of the number of values with which an attribute leaves its entry; writes carry them over it, and back. */
function largeGroups(persons: readonly string[]): LdifContent[] {
  const some = (count: number) => Array.from({ length: count }, (_, at) => persons[at] ?? `uid=gone${at},${people}`);
  const group = (count: number) =>
    entry(`cn=group of ${count},${groups}`, { objectClass: ['groupOfNames'], cn: [`group of ${count}`], member: some(count) });
  return [
    ...largeCounts.map(group),
    entry(`cn=unique of 300,${groups}`, {
      objectClass: ['groupOfUniqueNames'],
      cn: ['unique of 300'],
      uniqueMember: some(300),
      description: ['outside of its entry'],
    }),
  ];
}

const largeCounts = [250, 256, 257, 400];

/** What stands in a directory that has grown: options, several values, names of two parts, names that need escapes, entries below people. */
const odd: readonly LdifContent[] = [
  entry(`uid=anna,${people}`, {
    objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
    uid: ['anna', 'anna.long'],
    cn: ['Anna Müller', 'ANNA   MUELLER', 'Annamaria'],
    'cn;lang-fr': ['Anne Meunier'],
    'cn;lang-de;x-old': ['Anna Schmidt'],
    sn: ['Müller', 'Schmidt'],
    'sn;lang-fr': ['Meunier'],
    telephoneNumber: ['+49 30 1234-567', '+49301234568'],
    mail: ['anna@example.com', 'Anna.Mueller@Example.COM'],
    description: ['First line', 'a*b (c) \\d'],
    employeeNumber: ['007'],
    homePostalAddress: ['1 High Street$Town'],
    seeAlso: [`uid=admin,${people}`],
  }),
  entry(`cn=Printer\\, 2nd floor+serialNumber=7,${people}`, {
    objectClass: ['top', 'device'],
    cn: ['Printer, 2nd floor', 'Printer'],
    serialNumber: ['7'],
    owner: [`uid=anna,${people}`],
    l: ['Berlin'],
    description: ['an odd one'],
  }),
  entry(`ou=retired,${people}`, { objectClass: ['organizationalUnit'], ou: ['retired'], description: ['gone'] }),
  entry(`uid=old\\+timer,ou=retired,${people}`, {
    objectClass: ['inetOrgPerson'],
    uid: ['old+timer'],
    cn: ['#1 Old "Timer"'],
    sn: ['<Timer>'],
    description: [' leading and trailing '],
  }),
  entry(`ou=archive,ou=retired,${people}`, { objectClass: ['organizationalUnit'], ou: ['archive'] }),
  entry(`cn=Ærøskøbing 漢字 🙂,ou=archive,ou=retired,${people}`, {
    objectClass: ['person'],
    cn: ['Ærøskøbing 漢字 🙂'],
    sn: ['漢字'],
    telephoneNumber: ['+45 62 52 00 00'],
  }),
  entry(`cn=unique,${groups}`, {
    objectClass: ['groupOfUniqueNames'],
    cn: ['unique'],
    uniqueMember: [`uid=anna,${people}`, administrator],
  }),
  entry(`ou=nested,${groups}`, { objectClass: ['organizationalUnit'], ou: ['nested'] }),
  entry(`cn=inner,ou=nested,${groups}`, {
    objectClass: ['groupOfNames'],
    cn: ['inner'],
    description: ['within'],
    businessCategory: ['odd', 'ODDER'],
    member: [`uid=anna,${people}`, `UID=Nobody, ${people}`],
    owner: [administrator],
  }),
];

/** slapd's posixGroup is structural, ours auxiliary (RFC 2307bis): groups here are none. */
function withoutPosix(record: LdifContent): LdifContent {
  if (!record.dn.endsWith(groups)) return record;
  const attributes = record.attributes
    .filter(({ description }) => description !== 'gidNumber')
    .map((one) =>
      one.description === 'objectClass' ? { ...one, values: one.values.filter((value) => text(value) !== 'posixGroup') } : one,
    );
  return { ...record, attributes };
}

/**
 * İ becomes two letters by RFC 4518 §2.2, i and a dot, and one by slapd, which folds letters one by one (as `sharp` in `slapd-can.ts`). It stands in
 * the entries and not in what is asked for, so that no search could be told from it: nobody here is called İbrahim.
 */
function withoutDotted(record: LdifContent): LdifContent {
  const plain = (value: Uint8Array) => {
    const said = text(value);
    return said?.includes('İ') ? utf8(said.replaceAll('İ', 'I')) : value;
  };
  return { ...record, attributes: record.attributes.map((one) => ({ ...one, values: one.values.map(plain) })) };
}

export function withPassword(record: LdifContent, stored: string): LdifContent {
  const isPerson = record.attributes.some(({ description }) => description === 'uid');
  if (!isPerson) return record;
  return { ...record, attributes: [...record.attributes, { description: 'userPassword', values: [utf8(stored)] }] };
}

function entry(dn: string, given: Readonly<Record<string, readonly string[]>>): LdifContent {
  const attributes: PartialAttribute[] = Object.entries(given).map(([description, values]) => ({ description, values: values.map(utf8) }));
  return { kind: 'content', line: 0, dn, attributes };
}
