import type { Random } from '../support/people.ts';
import { drawRule } from './draw-rules.ts';
import { drawSituations } from './draw-situations.ts';
import type { PlainEntry, PlainRealm, PlainWorld } from './plain.ts';
import { defaultSuffix, innerSuffix, keeperOf, pools, roles } from './words.ts';

const optional = [
  'givenName',
  'mail',
  'title',
  'description',
  'employeeNumber',
  'employeeType',
  'telephoneNumber',
  'displayName',
  'l',
  'roomNumber',
];

export interface DrawnWorld {
  readonly world: PlainWorld;
  readonly passwords: ReadonlyMap<string, string>;
}

/** Draws a directory: people in two places, groups of groups, roles, applications, and rules of access. */
export function drawWorld(random: Random, realmsMax = 2): DrawnWorld {
  const passwords = new Map<string, string>();
  const realms = (random.chance(0.5) && realmsMax > 1 ? [defaultSuffix, innerSuffix] : [defaultSuffix]).map(
    (suffix): PlainRealm => ({ suffix, administrator: `uid=admin,ou=people,${suffix}` }),
  );
  const entries = realms.flatMap((realm) => drawRealm(random, realm, realms));
  for (const { dn } of entries) if (dn.startsWith('uid=')) passwords.set(dn, `Secret 7 of ${dn.slice(4, dn.indexOf(','))}`);
  const world: PlainWorld = {
    realms,
    entries: new Map(entries.map((entry) => [entry.dn, entry])),
    anonymousRead: random.chance(0.3) ? 'public' : 'none',
  };
  return { world, passwords };
}

function drawRealm(random: Random, { suffix }: PlainRealm, realms: readonly PlainRealm[]): PlainEntry[] {
  const [, label = ''] = /^dc=([^,]*)/.exec(suffix) ?? [];
  const unit = (dn: string): PlainEntry => ({
    dn,
    attributes: { objectClass: ['organizationalUnit'], ou: [dn.slice(3, dn.indexOf(','))] },
  });
  const people = [
    ...['admin', 'keeper', 'p0', 'p1', 'p2', 'p3'].map((uid) => `uid=${uid},ou=people,${suffix}`),
    ...['s0', 's1'].map((uid) => `uid=${uid},ou=sales,ou=people,${suffix}`),
  ];
  // Names lead into other realms, and nothing comes of it.
  const strangers = realms
    .filter((other) => other.suffix !== suffix)
    .flatMap((other) => ['p0', 'p1'].map((uid) => `uid=${uid},ou=people,${other.suffix}`));
  const groups = ['g0', 'g1', 'g2', 'g3'].map((cn) => `cn=${cn},ou=groups,${suffix}`);
  const places = ['people', 'groups', 'applications', 'accessrules', 'sales,ou=people'].map((ou) => unit(`ou=${ou},${suffix}`));
  return [
    { dn: suffix, attributes: { objectClass: ['dcObject', 'organization'], dc: [label], o: ['example'] } },
    ...places,
    ...people.map((dn) => drawPerson(random, dn, people)),
    ...groups.map((dn, at) => drawGroup(random, dn, [...people, ...strangers, ...groups.slice(0, at)])),
    ...['one', 'two'].map((cn) => drawApplication(random, `cn=${cn},ou=applications,${suffix}`)),
    ...drawRules(random, suffix),
  ];
}

function drawRules(random: Random, suffix: string): PlainEntry[] {
  const rules = Array.from({ length: random.below(9) }, (_, at) => drawRule(random, suffix, `r${at}`));
  for (const [at, right] of [looks, random.pick(changes)].entries())
    if (random.chance(0.6)) rules.push(wide(random, suffix, `wide${at}`, right));
  rules.push(...drawSituations(random, suffix));
  // Below such a rule nothing that is built in is ever asked: what the rules say is all there is.
  return random.chance(0.5) ? rules : [...rules, floor(suffix)];
}

const looks = ['read', 'search', 'compare'];
const changes = [
  ['write', 'add', 'delete'],
  ['write', 'delete'],
  ['write', 'add', 'delete', 'manage'],
  ['write', 'manage'],
];

/** A rule that gives a lot where no other one says otherwise: a directory that shows nothing to anybody proves little. */
function wide(random: Random, suffix: string, cn: string, right: readonly string[]): PlainEntry {
  const attributes = {
    objectClass: ['stsAccessRule'],
    cn: [cn],
    stsRuleOrder: ['600000'],
    stsRuleWho: [random.pick(['anyone', 'authenticated'])],
    stsRuleRight: right,
    ...(random.chance(0.3)
      ? { stsRuleAttribute: random.pick([['*'], ['@inetOrgPerson'], ['*', '+', '!mail'], ['objectClass', 'name', 'uid', 'member']]) }
      : {}),
    ...(random.chance(0.3) ? { stsRuleTarget: [`children:ou=people,${suffix}`, `subtree:ou=groups,${suffix}`] } : {}),
  };
  return { dn: `cn=${cn},ou=accessrules,${suffix}`, attributes };
}

function floor(suffix: string): PlainEntry {
  const right = ['auth', 'compare', 'search', 'read', 'write', 'add', 'delete', 'manage'];
  const attributes = {
    objectClass: ['stsAccessRule'],
    cn: ['floor'],
    stsRuleOrder: ['999999'],
    stsRuleEffect: ['deny'],
    stsRuleWho: ['anyone'],
    stsRuleRight: right,
  };
  return { dn: `cn=floor,ou=accessrules,${suffix}`, attributes };
}

export function drawPerson(random: Random, dn: string, others: readonly string[]): PlainEntry {
  const attributes: Record<string, readonly string[]> = {
    objectClass: ['inetOrgPerson'],
    uid: [dn.slice(4, dn.indexOf(','))],
    cn: [random.pick(pools['cn'] ?? [])],
    sn: [random.pick(pools['sn'] ?? [])],
  };
  for (const name of optional) if (random.chance(0.5)) attributes[name] = [random.pick(pools[name] ?? [])];
  if (random.chance(0.4)) attributes['manager'] = [random.pick(others)];
  return { dn, attributes };
}

export function drawGroup(random: Random, dn: string, others: readonly string[]): PlainEntry {
  const role = random.chance(0.35) ? [random.pick(roles)] : [];
  const member = [
    ...new Set([
      keeperOf(dn.slice(dn.indexOf(',ou=groups,') + ',ou=groups,'.length)),
      ...others.filter((each) => each !== dn && random.chance(0.2)),
    ]),
  ];
  const attributes: Record<string, readonly string[]> = {
    objectClass: role.length > 0 ? ['groupOfNames', 'stsRoleGroup'] : ['groupOfNames'],
    cn: [dn.slice(3, dn.indexOf(','))],
    member,
  };
  if (role.length > 0) attributes['stsRole'] = role;
  for (const name of ['description', 'businessCategory']) if (random.chance(0.5)) attributes[name] = [random.pick(pools[name] ?? [])];
  return { dn, attributes };
}

function drawApplication(random: Random, dn: string): PlainEntry {
  const description = [random.pick(pools['description'] ?? [])];
  return { dn, attributes: { objectClass: ['stsApplication'], cn: [dn.slice(3, dn.indexOf(','))], description } };
}
