import type { Random } from '../support/people.ts';
import type { Add, Ask, Delete, Modify, Rename, Search, Update } from './asks.ts';
import { drawFilter, drawItem } from './draw-filter.ts';
import { drawRule } from './draw-rules.ts';
import { drawTransaction } from './draw-transactions.ts';
import { drawGroup, drawPerson } from './draw-world.ts';
import type { Passwords } from './outcome.ts';
import { type Asker, isWithin, type PlainEntry, type PlainWorld, parentOf } from './plain.ts';
import { pools } from './words.ts';

const selections: readonly (readonly string[])[] = [
  ...[
    ['*'],
    ['*', '+'],
    ['+'],
    [],
    ['cn', 'sn', 'mail'],
    ['name'],
    ['objectClass'],
    ['uid', 'title', 'description'],
    ['member', 'cn'],
    ['userPassword', 'uid'],
  ],
  ...[
    ['employeeNumber', 'telephoneNumber', 'l'],
    ['structuralObjectClass', 'createTimestamp'],
    ['1.1'],
    ['manager', 'entryUUID'],
    ['noSuchThing', 'cn'],
  ],
];
const keys = ['cn', 'sn', 'title', 'employeeNumber', 'description', 'uid'];

/** What requests are drawn from. */
export interface Drawing {
  readonly random: Random;
  readonly world: PlainWorld;
  readonly passwords: Passwords;
  readonly asker: Asker;
  /** For names that were not there before. */
  readonly number: number;
}

/** Draws a request. What it changes could be changed so by somebody who may do everything: a refusal is one of the rules. */
export function drawAsk(drawing: Drawing): Ask {
  const kind = drawing.random.below(100);
  if (kind < 42) return drawSearch(drawing);
  if (kind < 52) return drawCompare(drawing);
  if (kind < 86) return drawUpdate(drawing);
  if (kind < 89) return drawPassword(drawing);
  if (kind < 91) return drawBind(drawing);
  return drawTransaction(drawing, drawModify);
}

export function drawSearch({ random, world }: Drawing): Search {
  const suffixes = world.realms.map(({ suffix }) => suffix);
  const base = random.chance(0.6) ? random.pick([...suffixes, ...suffixes, ...placesIn(world)]) : someName(random, world);
  const assertion = drawAssertion(random);
  const plain: Search = {
    op: 'search',
    base,
    scope: random.pick(['base', 'one', 'sub', 'sub', 'sub', 'children']),
    filter: random.chance(0.4) ? '(objectClass=*)' : drawFilter(random, 2),
    attributes: random.pick(selections),
    ...(random.chance(0.08) ? { typesOnly: true } : {}),
    ...(assertion === undefined ? {} : { assertion }),
  };
  const sort = `${random.chance(0.3) ? '-' : ''}${random.pick(keys)}`;
  switch (random.below(11)) {
    case 0:
      return { ...plain, sort };
    case 1:
      return { ...plain, sort, view: [1 + random.below(3), random.below(4)] };
    case 2:
      return { ...plain, page: 1 + random.below(5) };
    case 3:
      return { ...plain, sort, page: 1 + random.below(5) };
    case 4:
      return { ...plain, matched: Array.from({ length: 1 + random.below(2) }, () => drawMatched(random)) };
    case 9:
      return drawMatchedPeople(random, world, plain);
    case 5:
      return { ...plain, deref: random.chance(0.7) ? { member: ['cn', 'mail', 'uid', 'employeeNumber'] } : { manager: ['cn', 'title'] } };
    case 6:
      return { ...plain, follow: random.pick(['sync', 'persistent']) };
    case 7:
      return { ...plain, attributes: ['*'], matched: [drawMatched(random), drawMatched(random)] };
    case 8:
      return {
        ...plain,
        base: `ou=groups,${random.pick(world.realms).suffix}`,
        filter: '(member=*)',
        deref: { member: ['cn', 'mail', 'title', 'description'] },
      };
    default:
      return plain;
  }
}

/** Values of people, of whom many are found. */
function drawMatchedPeople(random: Random, world: PlainWorld, plain: Search): Search {
  const base = random.pick(['', 'ou=people,']) + random.pick(world.realms).suffix;
  const matched = [random.chance(0.5) ? random.pick(['(name=ann)', '(name=bob)', '(name=*)', '(name=*o*)']) : drawMatched(random)];
  return {
    ...plain,
    base,
    scope: 'sub',
    filter: '(objectClass=*)',
    attributes: random.pick([[], ['*'], ['cn', 'title', 'l', 'sn']]),
    matched,
  };
}

/** A simple item, as matched values take it. */
function drawMatched(random: Random): string {
  const item = drawItem(random);
  return /^\(:|noSuchThing/.test(item) ? '(objectClass=*)' : item;
}

function drawAssertion(random: Random): string | undefined {
  return random.chance(0.12) ? drawFilter(random, 1) : undefined;
}

function drawCompare({ random, world }: Drawing): Ask {
  const dn = someName(random, world);
  const attribute = random.chance(0.85)
    ? random.pick(Object.keys(pools))
    : random.pick(['userPassword', 'uid', 'entryUUID', 'objectClass']);
  const value =
    attribute === 'objectClass'
      ? 'groupOfNames'
      : attribute === 'entryUUID'
        ? '00000000-0000-4000-8000-000000000000'
        : random.pick(pools[attribute] ?? ['p1']);
  const assertion = drawAssertion(random);
  return { op: 'compare', dn, attribute, value, ...(assertion === undefined ? {} : { assertion }) };
}

function drawUpdate(drawing: Drawing): Update {
  const { random } = drawing;
  const kind = random.below(20);
  if (kind < 10) return drawModify(drawing);
  if (kind < 14) return drawAdd(drawing);
  if (kind < 17) return drawDelete(drawing);
  return drawRename(drawing);
}

function reading(random: Random, before: boolean, after: boolean) {
  const assertion = drawAssertion(random);
  return {
    ...(assertion === undefined ? {} : { assertion }),
    ...(before && random.chance(0.25) ? { preRead: someSelection(random) } : {}),
    ...(after && random.chance(0.25) ? { postRead: someSelection(random) } : {}),
  };
}

function someSelection(random: Random): readonly string[] {
  return random.pick(selections.filter(({ length }) => length > 0));
}

function drawModify(drawing: Drawing): Modify {
  const { random, world } = drawing;
  const dn = someName(random, world);
  const entry = world.entries.get(dn);
  const controls = reading(random, true, true);
  if (entry?.attributes['member'] !== undefined && random.chance(0.5))
    return { op: 'modify', dn, changes: [memberChange(random, world, entry)], ...controls };
  const fits = [
    'description',
    ...(isPerson(dn) ? ['title', 'employeeNumber', 'telephoneNumber', 'displayName', 'l', 'mail', 'sn', 'roomNumber'] : []),
  ];
  const chosen = [...new Set(Array.from({ length: 1 + random.below(2) }, () => random.pick(fits)))];
  const changes = chosen.map((name) => ['replace', name, random.pick(pools[name] ?? [])] as const);
  if (isPerson(dn) && random.chance(0.06))
    return { op: 'modify', dn, changes: [['replace', 'userPassword', `Fresh 1 password ${drawing.number}`]], ...controls };
  // What the directory keeps for itself, and rules that are relaxed, are for those who manage.
  if (isPerson(dn) && random.chance(0.14)) {
    const name = random.pick(['authzTo', 'authzFrom']);
    return { op: 'modify', dn, changes: [['replace', name, `dn:uid=nobody,${world.realms[0]?.suffix}`]], ...controls };
  }
  return { op: 'modify', dn, changes, ...(random.chance(0.04) ? { relax: true } : {}), ...controls };
}

function memberChange(random: Random, world: PlainWorld, group: PlainEntry): Modify['changes'][number] {
  const members = group.attributes['member'] ?? [];
  const candidate = random.pick([...world.entries.keys()].filter((dn) => isPerson(dn) || isGroup(dn)));
  if (candidate.startsWith('uid=keeper,')) return ['replace', 'description', random.pick(pools['description'] ?? [])];
  return [members.includes(candidate) ? 'delete' : 'add', 'member', candidate];
}

function drawAdd({ random, world, number }: Drawing): Add {
  const suffix = random.pick(world.realms).suffix;
  const people = [...world.entries.keys()].filter(isPerson);
  const controls = reading(random, false, true);
  const kind = random.below(10);
  const { dn, attributes } =
    kind < 6
      ? drawPerson(random, `uid=n${number},${random.pick([`ou=people,${suffix}`, `ou=sales,ou=people,${suffix}`])}`, people)
      : kind < 8
        ? drawGroup(random, `cn=ng${number},ou=groups,${suffix}`, people)
        : drawRule(random, suffix, `nr${number}`);
  const password = isPerson(dn) && random.chance(0.15) ? { userPassword: [`Secret 7 of n${number}`] } : {};
  return { op: 'add', dn, attributes: { ...attributes, ...password }, ...controls };
}

function drawDelete({ random, world, asker }: Drawing): Delete {
  const all = [...world.entries.keys()].filter((dn) => isRemovable(world, dn) && dn !== asker.dn && dn !== asker.through);
  const places = treesIn(world, asker);
  if (places.length > 0 && random.chance(0.3)) return { op: 'delete', dn: random.pick(places), tree: true };
  const dn = random.chance(0.1) ? `uid=none,ou=people,${random.pick(world.realms).suffix}` : random.pick(all);
  return { op: 'delete', dn, ...(random.chance(0.15) ? { tree: true } : {}), ...reading(random, true, false) };
}

/** Trees with people in them, but for the one who asks. */
function treesIn(world: PlainWorld, asker: Asker): string[] {
  return [...world.entries.keys()].filter(
    (each) => each.startsWith('ou=sales,') && !isWithin(asker.dn ?? '', each) && !isWithin(asker.through ?? '', each),
  );
}

/** A whole tree goes to another place, or is called otherwise where it is. */
function drawTreeMove({ random, world, number }: Drawing, dn: string): Rename {
  const realm = world.realms.filter(({ suffix }) => isWithin(dn, suffix)).at(-1);
  const superior = random.pick(['people', 'applications'].map((ou) => `ou=${ou},${realm?.suffix}`));
  const isMove = superior !== parentOf(dn);
  const rdn = isMove && random.chance(0.8) ? 'ou=sales' : `ou=m${number}`;
  return { op: 'rename', dn, rdn, ...(isMove ? { superior } : {}), ...reading(random, true, true) };
}

function drawRename(drawing: Drawing): Rename {
  const { random, world, asker, number } = drawing;
  const places = treesIn(world, asker);
  if (places.length > 0 && random.chance(0.5)) return drawTreeMove(drawing, random.pick(places));
  const all = [...world.entries.keys()].filter(
    (dn) => isRemovable(world, dn) && dn !== asker.dn && dn !== asker.through && /^(uid|cn)=/.test(dn),
  );
  const dn = random.pick(all);
  const [type = '', old = ''] = dn.slice(0, dn.indexOf(',')).split('=');
  const realm = world.realms.find(({ suffix }) => isWithin(dn, suffix));
  const superior =
    isPerson(dn) && random.chance(0.75) ? random.pick([`ou=people,${realm?.suffix}`, `ou=sales,ou=people,${realm?.suffix}`]) : undefined;
  const rdn = `${type}=${random.chance(0.6) || superior === undefined ? `m${number}` : old}`;
  const controls = reading(random, true, true);
  return { op: 'rename', dn, rdn, ...(superior === undefined || superior === parentOf(dn) ? {} : { superior }), ...controls };
}

function drawPassword({ random, world, passwords, asker, number }: Drawing): Ask {
  const own = asker.dn !== undefined && random.chance(0.6);
  const dn = own && asker.dn !== undefined ? asker.dn : random.pick([...world.entries.keys()].filter(isPerson));
  const old = own && random.chance(0.7) ? (random.chance(0.8) ? passwords.get(dn) : 'wrong') : undefined;
  return { op: 'password', dn, fresh: `Fresh 1 password ${number}`, ...(old === undefined ? {} : { old }) };
}

function drawBind({ random, world, passwords }: Drawing): Ask {
  const dn = random.chance(0.9)
    ? random.pick([...passwords.keys()].filter((each) => world.entries.has(each)))
    : `uid=none,ou=people,${world.realms[0]?.suffix}`;
  return { op: 'bind', dn, password: random.chance(0.8) ? (passwords.get(dn) ?? 'x') : 'wrong' };
}

function isPerson(dn: string): boolean {
  return dn.startsWith('uid=');
}

function isGroup(dn: string): boolean {
  return dn.startsWith('cn=') && parentOf(dn).startsWith('ou=groups,');
}

/** What may go or have another name without anything else having to change with it. */
function isRemovable(world: PlainWorld, dn: string): boolean {
  if (dn.startsWith('uid=keeper,') || world.realms.some(({ administrator }) => administrator === dn)) return false;
  return (
    isPerson(dn) ||
    isGroup(dn) ||
    parentOf(dn).startsWith('ou=accessrules,') ||
    parentOf(dn).startsWith('ou=applications,') ||
    dn.startsWith('ou=sales,')
  );
}

function placesIn({ realms }: PlainWorld): string[] {
  return realms.flatMap(({ suffix }) =>
    ['people', 'groups', 'applications', 'accessrules', 'sales,ou=people'].map((ou) => `ou=${ou},${suffix}`),
  );
}

function someName(random: Random, world: PlainWorld): string {
  if (random.chance(0.05))
    return `uid=none,ou=${random.pick(['people', 'sales,ou=people', 'none,ou=people'])},${random.pick(world.realms).suffix}`;
  return random.pick([...world.entries.keys()]);
}
