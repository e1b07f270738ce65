import { utf8 } from '#base';
import { formatLdifRecord, type LdifContent } from '#ldap';
import { type Department, departments, offices } from './departments.ts';
import { names } from './names.ts';

export interface PeopleOptions {
  readonly count: number;
  /** Equal seeds make equal people. */
  readonly seed: number;
  readonly suffix: string;
  /** Behind the @ of their addresses. */
  readonly domain?: string;
}

/**
 * Believable people and their groups, as LDIF records below `ou=people` and `ou=groups` of a suffix: first the people, those who lead in
 * front of those they lead, then the groups, nested ones in front of what holds them. Memory grows with the names only.
 */
export function* generatePeople({ count, seed, suffix, domain = 'example.com' }: PeopleOptions): Generator<LdifContent> {
  const random = randomNumbers(seed);
  const uids = new Uids();
  const chart: Chart = { staff: new Map(), teams: new Map(), offices: new Map(), leads: [] };
  let chief: string | undefined;
  for (let index = 0; index < count; index++) {
    const department = departmentOf(index, random);
    const person = makePerson({ index, random, uids, department, domain, chart, chief });
    chief ??= person.uid;
    enter(chart, department, person);
    yield personRecord(person, department, suffix);
  }
  yield* groupRecords(chart, suffix, random);
}

/** The same as LDIF text, a record at a time. */
export function* peopleLdif(options: PeopleOptions): Generator<string> {
  for (const record of generatePeople(options)) yield formatLdifRecord(record);
}

interface Person {
  readonly index: number;
  readonly uid: string;
  readonly mail: string;
  readonly givenName: string;
  readonly sn: string;
  readonly language: string;
  readonly title: string;
  readonly team: string;
  readonly office: (typeof offices)[number];
  readonly manager: string | undefined;
  readonly leads: boolean;
  readonly phone: string;
  readonly mobile: string | undefined;
  readonly room: string;
  readonly employeeType: string;
}

/** Who belongs where, as far as it is known. The first of a department heads it, the first of a team leads it. */
interface Chart {
  readonly staff: Map<Department, string[]>;
  readonly teams: Map<string, string[]>;
  readonly offices: Map<string, string[]>;
  readonly leads: string[];
}

interface Making {
  readonly index: number;
  readonly random: Random;
  readonly uids: Uids;
  readonly department: Department;
  readonly domain: string;
  readonly chart: Chart;
  readonly chief: string | undefined;
}

function makePerson({ index, random, uids, department, domain, chart, chief }: Making): Person {
  const origin = random.pick(names);
  const givenName = random.pick(random.chance(0.5) ? origin.woman : origin.man);
  const sn = random.pick(origin.surnames);
  const office = random.weighted(offices);
  const head = chart.staff.get(department)?.[0];
  const team = random.pick(department.teams);
  const lead = chart.teams.get(team)?.[0];
  // A team is led by its first, below the department's first, below the very first.
  const leads = head === undefined || lead === undefined;
  const title =
    head === undefined ? department.head : lead === undefined ? `${department.lead}, ${team}` : random.weighted(department.titles).name;
  const address = plain(`${givenName}.${sn}`);
  return {
    index,
    uid: uids.take(plain(`${givenName[0]}${sn}`)),
    mail: `${uids.take(address)}@${domain}`,
    givenName,
    sn,
    language: origin.language,
    title,
    team,
    office,
    manager: head === undefined ? chief : lead === undefined ? head : lead,
    leads,
    phone: office.phone(random.below(1000)),
    mobile: random.chance(leads ? 0.95 : 0.5) ? office.mobile(random.below(1000)) : undefined,
    room: `${office.code}-${1 + random.below(office.floors)}.${String(1 + random.below(40)).padStart(2, '0')}`,
    employeeType: leads || random.chance(0.86) ? 'employee' : random.chance(0.7) ? 'contractor' : 'intern',
  };
}

function enter(chart: Chart, department: Department, { uid, team, office, leads }: Person): void {
  add(chart.staff, department, uid);
  add(chart.teams, team, uid);
  add(chart.offices, office.city, uid);
  if (leads) chart.leads.push(uid);
}

function add<K>(lists: Map<K, string[]>, key: K, uid: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [uid]);
  else list.push(uid);
}

/** Numbers that are given out one by one begin here, clear of those of the system. */
const firstUidNumber = 20001;
const firstGidNumber = 30001;
const firstEmployeeNumber = 100101;

function personRecord(person: Person, department: Department, suffix: string): LdifContent {
  const name = `${person.givenName} ${person.sn}`;
  return record(`uid=${person.uid},ou=people,${suffix}`, [
    ['objectClass', 'top', 'person', 'organizationalPerson', 'inetOrgPerson', 'posixAccount'],
    ['uid', person.uid],
    ['cn', name],
    ['sn', person.sn],
    ['givenName', person.givenName],
    ['displayName', name],
    ['mail', person.mail],
    ['telephoneNumber', person.phone],
    ...(person.mobile === undefined ? [] : [['mobile', person.mobile] as const]),
    ['title', person.title],
    ['ou', department.name],
    ['departmentNumber', department.number],
    ['employeeNumber', String(firstEmployeeNumber + person.index)],
    ['employeeType', person.employeeType],
    ...(person.manager === undefined ? [] : [['manager', `uid=${person.manager},ou=people,${suffix}`] as const]),
    ['roomNumber', person.room],
    ['street', person.office.street],
    ['postalCode', person.office.postalCode],
    ['l', person.office.city],
    [
      'preferredLanguage',
      person.language === person.office.language ? person.language : `${person.language}, ${person.office.language};q=0.8`,
    ],
    ['uidNumber', String(firstUidNumber + person.index)],
    ['gidNumber', String(gidOf(department))],
    ['homeDirectory', `/home/${person.uid}`],
    ['loginShell', person.index % 7 === 3 ? '/bin/zsh' : '/bin/bash'],
    ['gecos', plainName(name)],
  ]);
}

function gidOf(department: Department): number {
  return firstGidNumber + departments.indexOf(department);
}

/** Groups of very uneven size: teams, departments holding their teams, offices, everyone, and those who lead. */
function* groupRecords(chart: Chart, suffix: string, random: Random): Generator<LdifContent> {
  const person = (uid: string) => `uid=${uid},ou=people,${suffix}`;
  const group = (cn: string) => `cn=${cn},ou=groups,${suffix}`;
  const all: string[] = [];
  for (const [department, staff] of chart.staff) {
    const teams = department.teams.filter((team) => chart.teams.has(team) && department.teams.length > 1);
    for (const team of teams) {
      yield groupRecord(group(slug(team)), `${team} team`, (chart.teams.get(team) ?? []).map(person));
    }
    const own = teams.length === 0 ? staff.map(person) : [person(staff[0] as string), ...teams.map((team) => group(slug(team)))];
    yield groupRecord(group(slug(department.name)), `Everyone in ${department.name}`, own, gidOf(department));
    all.push(group(slug(department.name)));
  }
  if (all.length === 0) return;
  for (const [city, staff] of chart.offices)
    yield groupRecord(group(`office-${slug(city)}`), `Everyone who works in ${city}`, staff.map(person));
  yield groupRecord(group('leads'), 'Those who lead a team or a department', chart.leads.map(person));
  const everyone = [...chart.staff.values()].flat();
  const some = (share: number) => everyone.filter(() => random.chance(share)).map(person);
  yield groupRecord(group('first-aid'), 'Trained first-aiders', some(0.06).concat(person(everyone[0] as string)));
  yield groupRecord(group('book-club'), 'Reads one book a month', some(0.04).concat(person(everyone[0] as string)));
  yield groupRecord(group('all-staff'), 'Everyone, by department', all, firstGidNumber + 99);
}

function groupRecord(dn: string, description: string, members: readonly string[], gidNumber?: number): LdifContent {
  const cn = dn.slice('cn='.length, dn.indexOf(','));
  return record(dn, [
    ['objectClass', 'top', 'groupOfNames', ...(gidNumber === undefined ? [] : ['posixGroup'])],
    ['cn', cn],
    ['description', description],
    ...(gidNumber === undefined ? [] : [['gidNumber', String(gidNumber)] as const]),
    ['member', ...new Set(members)],
  ]);
}

function record(dn: string, attributes: readonly (readonly [string, ...string[]])[]): LdifContent {
  return {
    kind: 'content',
    line: 0,
    dn,
    attributes: attributes.map(([description, ...values]) => ({ description, values: values.map(utf8) })),
  };
}

/** The first people fill one place in each department, so that each has its head; the rest fall by weight. */
function departmentOf(index: number, random: Random): Department {
  return departments[index] ?? random.weighted(departments);
}

/** Names as they are wanted in addresses: ASCII, lower case, nothing but letters and single dots. */
function plain(name: string): string {
  return plainName(name)
    .toLowerCase()
    .replace(/[^a-z.]/g, '');
}

function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łŁøØđĐßæÆœŒıð]/g, (letter) => letters[letter] ?? '');
}

const letters: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ı: 'i',
  ð: 'd',
};

function slug(name: string): string {
  return plainName(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}

/** Names are given out once: the second jsmith is jsmith2. */
class Uids {
  readonly #taken = new Map<string, number>();
  take(wanted: string): string {
    const before = this.#taken.get(wanted) ?? 0;
    this.#taken.set(wanted, before + 1);
    return before === 0 ? wanted : `${wanted}${before + 1}`;
  }
}

export interface Random {
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  weighted<T extends { readonly weight: number }>(list: readonly T[]): T;
}

/** A small generator of its own (mulberry32): the same numbers from the same seed on every machine. */
export function randomNumbers(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    weighted(list) {
      let left = next() * list.reduce((sum, { weight }) => sum + weight, 0);
      for (const each of list) {
        left -= each.weight;
        if (left < 0) return each;
      }
      return list[list.length - 1] as (typeof list)[number];
    },
  };
}
