import type { Answers } from '../directory/driver.ts';
import type { Random } from '../support/people.ts';
import { randomNumbers } from '../support/people.ts';
import type { Ask } from './asks.ts';
import { drawAsker } from './draw-askers.ts';
import { drawAsk } from './draw-asks.ts';
import { drawPerson, drawWorld } from './draw-world.ts';
import { judge } from './oracle.ts';
import { type Asker, groupsOf, type PlainEntry, type PlainWorld } from './plain.ts';
import type { Engine } from './service.ts';
import type { Services } from './services.ts';
import { keeperOf, pools } from './words.ts';

/** Something that one may not see, and what stands in its place in a directory that is the same but for it. */
interface Unseen {
  readonly what: string;
  readonly one: PlainEntry;
  readonly other: PlainEntry;
  /** Whom one of the two names: with their name goes what names them, and a synchronisation's cookie counts changes that one may not see, too. */
  readonly names?: string;
}

/**
 * Two directories that differ only in what somebody may not see give them the same answers, to the last octet: entries and their order, refusals, counts
 * of lists and pages, cookies.
 *
 * @returns how many requests were held against each other, and the difference, when there is one
 */
export async function proveUnseen(services: Services, seed: number, cases: number): Promise<{ done: number; difference?: string }> {
  const random = randomNumbers(seed);
  const drawn = drawWorld(random);
  const hidden = drawHidden(random, drawn.world);
  if (hidden === undefined) return { done: 0 };
  const { asker, unseen } = hidden;
  const [one, other] = [unseen.one, unseen.other].map((entry) => withEntry(drawn.world, unseen.one.dn, entry)) as [PlainWorld, PlainWorld];
  const [left, right] = services.pair(one, seed);
  await left.fill(one, drawn.passwords);
  await right.fill(other, drawn.passwords);
  let world: PlainWorld = { ...one, entries: left.stored() };
  for (let number = 1; number <= cases; number++) {
    const commits = left.state();
    const ask = related(random, world, drawAsk({ random, world, passwords: drawn.passwords, asker, number }));
    const answers = await Promise.all([left, right].map(async (service) => wordsOf(await service.ask(asker, ask, drawn.passwords))));
    if (answers[0] !== answers[1]) {
      const told = [
        'what may not be seen changes an answer',
        `  unseen ${unseen.what}`,
        `  who    ${JSON.stringify(asker)}`,
        `  asks   ${JSON.stringify(ask)}`,
      ];
      return { done: number, difference: [...told, ...answers.map((said) => `  answer ${said}`)].join('\n') };
    }
    if (left.state() === commits) continue;
    world = { ...one, entries: left.stored() };
    // A change of the rules, or of that very entry, may show it.
    if (!isHiddenStill(asker, unseen, left, right, drawn.world)) return { done: number };
  }
  return { done: cases };
}

/** Who asks, and what they may not see; nothing where everybody sees everything. */
function drawHidden(random: Random, world: PlainWorld): { readonly asker: Asker; readonly unseen: Unseen } | undefined {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const asker = drawAsker(random, world);
    const unseen = random.pick([drawValue, drawValue, drawEntry, drawMember])(random, world);
    const named = [unseen.one.dn, unseen.other.dn];
    if (named.includes(asker.dn ?? '') || named.includes(asker.through ?? '') || isRuledBy(world, unseen)) continue;
    if ([unseen.one, unseen.other].every((entry) => isHidden(withEntry(world, unseen.one.dn, entry), asker, unseen, entry)))
      return { asker, unseen };
  }
  return undefined;
}

const attemptsMax = 40;

/** Another value of an attribute, or none. */
function drawValue(random: Random, world: PlainWorld): Unseen {
  const one = random.pick([...world.entries.values()].filter(({ dn }) => dn.startsWith('uid=')));
  const name = random.pick(Object.keys(pools).filter((each) => each !== 'businessCategory'));
  const { [name]: values, ...rest } = one.attributes;
  const others = (pools[name] ?? []).filter((value) => !values?.includes(value));
  const isNeeded = name === 'cn' || name === 'sn';
  const attributes = values !== undefined && !isNeeded && random.chance(0.3) ? rest : { ...rest, [name]: [random.pick(others)] };
  return {
    what: `${name} of ${one.dn}: ${values} or ${attributes[name as keyof typeof attributes]}`,
    one,
    other: { dn: one.dn, attributes },
  };
}

/** Who else is in a group. */
function drawMember(random: Random, world: PlainWorld): Unseen {
  const all = [...world.entries.values()];
  const one = random.pick(all.filter(({ dn }) => /^cn=[^,]*,ou=groups,/.test(dn)));
  const people = all.map(({ dn }) => dn).filter((dn) => dn.startsWith('uid=') && !one.attributes['member']?.includes(dn));
  const names = random.pick(people);
  const member = [...(one.attributes['member'] ?? []), names];
  return { what: `whether ${names} is in ${one.dn}`, one, other: { dn: one.dn, attributes: { ...one.attributes, member } }, names };
}

/** Some searches ask for what is worked out of who is in which group. */
function related(random: Random, world: PlainWorld, ask: Ask): Ask {
  if (ask.op !== 'search' || random.chance(0.7)) return ask;
  const names = [...world.entries.keys()];
  const [group, person] = [
    random.pick(names.filter((dn) => dn.includes(',ou=groups,'))),
    random.pick(names.filter((dn) => dn.startsWith('uid='))),
  ];
  const chain = '1.2.840.113556.1.4.1941';
  const filters = [
    '(memberOf=*)',
    `(memberOf=${group})`,
    `(memberOf:${chain}:=${group})`,
    `(member:${chain}:=${person})`,
    '(hasSubordinates=TRUE)',
  ];
  return {
    ...ask,
    filter: random.pick([...filters, `(!(memberOf=${group}))`, '(objectClass=*)']),
    attributes: ['memberOf', 'hasSubordinates', 'cn'],
  };
}

/** A person who is there, or is not: somebody else is then. */
function drawEntry(random: Random, world: PlainWorld): Unseen {
  const suffix = world.realms[0]?.suffix ?? '';
  const one = drawPerson(random, `uid=h0,ou=people,${suffix}`, [keeperOf(suffix)]);
  const other: PlainEntry = { dn: `uid=h1,ou=people,${suffix}`, attributes: { ...one.attributes, uid: ['h1'] } };
  return { what: `whether ${one.dn} is there`, one, other };
}

/** Whether who is and what fits depends on it. */
function isRuledBy(world: PlainWorld, { one, other }: Unseen): boolean {
  const rules = [...world.entries.values()].filter(({ dn }) => /^cn=[^,]*,ou=accessrules,/.test(dn));
  const names = [...new Set([...Object.keys(one.attributes), ...Object.keys(other.attributes)])];
  const changed = names.filter((name) => one.attributes[name]?.join() !== other.attributes[name]?.join());
  const watched = changed.flatMap((name) => (['cn', 'sn'].includes(name) ? [name, 'name'] : [name]));
  // Who is in a group is asked by rules, and by what gives a role.
  if (changed.includes('member') && isAskedOf(world, one.dn, rules)) return true;
  return rules.some(({ attributes }) =>
    attributes['stsRuleFilter']?.some((filter) => filter.includes('(:') || watched.some((name) => filter.includes(`(${name}`))),
  );
}

/** Whether anything depends on who is in a group: a rule, a role, or another group that does. */
function isAskedOf(world: PlainWorld, dn: string, rules: readonly PlainEntry[]): boolean {
  return [dn, ...groupsOf(world, dn, true, world.realms[0]), ...groupsOf(world, dn, true, world.realms[1])].some((group) => {
    const hasRole = world.entries.get(group)?.attributes['stsRole'] !== undefined;
    return hasRole || rules.some(({ attributes }) => attributes['stsRuleWho']?.some((who) => who.endsWith(`:${group}`)));
  });
}

/** An attribute that one may neither read nor search nor compare, or an entry that does not exist for them. */
function isHidden(world: PlainWorld, asker: Asker, { one, other }: Unseen, entry: PlainEntry): boolean {
  const judged = judge(world, asker, entry);
  if (one.dn !== other.dn) return !judged.visible;
  const names = [...new Set([...Object.keys(one.attributes), ...Object.keys(other.attributes)])];
  const changed = names.filter((name) => one.attributes[name]?.join() !== other.attributes[name]?.join());
  return changed.every((name) => (['read', 'search', 'compare'] as const).every((right) => !judged.may(right, name).allowed));
}

function isHiddenStill(asker: Asker, unseen: Unseen, left: Engine, right: Engine, { realms, anonymousRead }: PlainWorld): boolean {
  if ([asker.dn, unseen.names].some((dn) => dn !== undefined && !left.stored().has(dn))) return false;
  return [left, right].every((service, at) => {
    const world = { realms, anonymousRead, entries: service.stored() };
    const entry = world.entries.get((at === 0 ? unseen.one : unseen.other).dn);
    return entry !== undefined && !isRuledBy(world, unseen) && isHidden(world, asker, unseen, entry);
  });
}

function withEntry(world: PlainWorld, dn: string, entry: PlainEntry): PlainWorld {
  const entries = new Map([...world.entries].map(([name, each]) => (name === dn ? [entry.dn, entry] : [name, each])));
  entries.set(entry.dn, entry);
  return { ...world, entries };
}

/** An answer whole, as text. */
function wordsOf({ result, entries, controls, last }: Answers): string {
  return JSON.stringify(
    [result, entries.map(({ dn, attributes, controls: own }) => [dn, attributes, own]), controls, last],
    (_name, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value),
  );
}
