import type { Random } from '../support/people.ts';
import { drawFilter } from './draw-filter.ts';
import type { PlainEntry } from './plain.ts';
import { roles } from './words.ts';

/** Attributes that rules speak of. */
const names = [
  ...['cn', 'sn', 'uid', 'name', 'mail', 'title', 'description', 'employeeNumber', 'telephoneNumber', 'displayName', 'l', 'roomNumber'],
  ...['member', 'manager', 'ou', 'objectClass', 'userPassword', 'structuralObjectClass', 'createTimestamp', 'entryUUID', 'stsRole'],
];
const sets: readonly (readonly string[])[] = [
  ...[['*'], ['*', '+'], ['+'], ['@person'], ['@inetOrgPerson', '!mail'], ['@organizationalPerson'], ['@groupOfNames'], ['*', '!member']],
  ...[
    ['*', '+', '!name'],
    ['name', '!sn'],
    ['cn', 'objectClass', 'uid'],
    ['objectClass', 'uid', '@person'],
    ['*', '!employeeNumber', '!title'],
  ],
];
const strengths = [
  ...[
    'own-password',
    'app-password',
    'certificate',
    'session',
    'two-factors',
    'fresh:60',
    'fresh:300',
    'session+two-factors',
    'all-factors',
    'operators',
  ],
  ...['two-factors+fresh:300', 'session+fresh:900'],
];
export const networks = [
  '192.0.2.0/24',
  '192.0.2.128/25',
  '198.51.100.7/32',
  '2001:db8::/32',
  '2001:db8:1::/48',
  '0.0.0.0/0',
  'this-machine',
];
const rightSets: readonly (readonly string[])[] = [
  ...[
    ['read'],
    ['search'],
    ['compare'],
    ['write'],
    ['add'],
    ['delete'],
    ['manage'],
    ['auth'],
    ['read', 'search'],
    ['read', 'search', 'compare'],
  ],
  ...[
    ['read', 'search', 'compare'],
    ['read', 'write'],
    ['add', 'delete', 'write'],
    ['read', 'search', 'compare', 'write', 'add', 'delete'],
  ],
  ...[
    ['auth', 'compare', 'search', 'read', 'write', 'add', 'delete', 'manage'],
    ['read', 'search', 'write'],
  ],
];

/** Draws a rule of access of a realm. Few orders: ties are as good as others. */
export function drawRule(random: Random, suffix: string, cn: string): PlainEntry {
  const attributes: Record<string, readonly string[]> = {
    objectClass: ['stsAccessRule'],
    cn: [cn],
    stsRuleOrder: [String(random.pick([0, 5, 10, 10, 10, 20, 20, 30, 500_000]))],
    stsRuleWho: some(random, 2, () => drawWho(random, suffix)),
    stsRuleRight: random.pick(rightSets),
  };
  if (random.chance(0.7)) attributes['stsRuleEffect'] = [random.chance(0.55) ? 'deny' : 'allow'];
  if (random.chance(0.4)) attributes['stsRuleStrength'] = some(random, 2, () => random.pick(strengths));
  if (random.chance(0.2)) attributes['stsRuleFrom'] = some(random, 2, () => random.pick([...networks, 'protected', 'protected']));
  if (random.chance(0.7)) attributes['stsRuleTarget'] = some(random, 2, () => drawTarget(random, suffix));
  if (random.chance(0.3)) attributes['stsRuleFilter'] = [drawRuleFilter(random)];
  if (random.chance(0.6))
    attributes['stsRuleAttribute'] = random.chance(0.5) ? random.pick(sets) : some(random, 4, () => random.pick(names));
  return { dn: `cn=${cn},ou=accessrules,${suffix}`, attributes };
}

/** Of what an entry is given by the directory, a new one has nothing yet; what no schema defines no rule may name. */
function drawRuleFilter(random: Random): string {
  const filter = drawFilter(random, 1);
  return /noSuchThing|Timestamp|entryUUID|structural/.test(filter) ? drawRuleFilter(random) : filter;
}

function drawWho(random: Random, suffix: string): string {
  const person = () => `uid=p${random.below(4)},ou=people,${suffix}`;
  const group = () => `cn=g${random.below(4)},ou=groups,${suffix}`;
  return random.pick([
    ...['anyone', 'anyone', 'anonymous', 'authenticated', 'authenticated', 'self', 'self', `dn:${person()}`, `role:${random.pick(roles)}`],
    ...[
      `member:${group()}`,
      `nested:${group()}`,
      `nested:${group()}`,
      `subtree:ou=sales,ou=people,${suffix}`,
      `subtree:ou=people,${suffix}`,
    ],
  ]);
}

function drawTarget(random: Random, suffix: string): string {
  const scope = random.pick(['entry', 'one', 'children', 'subtree']);
  const place = random.pick(['ou=people,', 'ou=people,', 'ou=sales,ou=people,', 'ou=groups,', '', 'ou=applications,', 'ou=accessrules,']);
  const single = random.pick([`uid=p${random.below(4)},ou=people,`, `cn=g${random.below(4)},ou=groups,`, `uid=s0,ou=sales,ou=people,`]);
  return `${scope}:${scope === 'entry' && random.chance(0.7) ? single : place}${suffix}`;
}

function some(random: Random, most: number, draw: () => string): string[] {
  return [...new Set(Array.from({ length: 1 + random.below(most) }, draw))];
}
