import type { Random } from '../support/people.ts';
import type { PlainEntry } from './plain.ts';

/**
 * Rules that belong together, for situations that rules drawn one by one seldom bring about: what was fresh a while ago, values that one may read and not
 * search, some who act for others, groups that one may join, a tree of which a part must stay, rules of one number, a place and what is so many levels
 * below it, networks.
 */
export function drawSituations(random: Random, suffix: string): PlainEntry[] {
  const often = [keptTree, joinable].filter(() => random.chance(0.75));
  const all = [...often, ...[aging, unsearched, managed, tied, levels, nearby].filter(() => random.chance(0.45))];
  return all.flatMap((draw) => draw(random, suffix));
}

const looks = ['read', 'search', 'compare'];
const groupable = ['title', 'description', 'employeeNumber', 'telephoneNumber', 'displayName', 'l', 'roomNumber', 'mail', 'cn', 'sn'];

function rule(suffix: string, cn: string, order: number, more: Readonly<Record<string, readonly string[]>>): PlainEntry {
  const attributes = { objectClass: ['stsAccessRule'], cn: [cn], stsRuleOrder: [String(order)], ...more };
  return { dn: `cn=${cn},ou=accessrules,${suffix}`, attributes };
}

/** What is given or refused only for a while after somebody has signed in. */
function aging(random: Random, suffix: string): PlainEntry[] {
  const more = {
    stsRuleEffect: [random.pick(['allow', 'allow', 'deny'])],
    stsRuleWho: [random.pick(['authenticated', 'anyone', 'self'])],
    stsRuleStrength: [random.pick(['fresh:60', 'fresh:300', 'fresh:900', 'two-factors', 'two-factors', 'two-factors+fresh:300'])],
    stsRuleRight: random.pick([looks, ['write'], [...looks, 'write']]),
  };
  return [rule(suffix, 'aging', 1, more)];
}

/** Values that are shown, and by which nothing may be found. */
function unsearched(random: Random, suffix: string): PlainEntry[] {
  const about = { stsRuleWho: [random.pick(['authenticated', 'anyone'])], stsRuleTarget: [`subtree:ou=people,${suffix}`] };
  // Of a type and its supertype one may be searched and the other not.
  const names = [...new Set([random.pick(['cn', 'sn']), ...Array.from({ length: 3 }, () => random.pick(groupable))])];
  return [
    rule(suffix, 'unsearched', 3, { ...about, stsRuleEffect: ['deny'], stsRuleRight: ['search'], stsRuleAttribute: names }),
    rule(suffix, 'shown', 4, { ...about, stsRuleRight: looks, stsRuleAttribute: ['*'] }),
  ];
}

/** Somebody who manages some entries: they act for whose these are, and for nobody else. */
function managed(random: Random, suffix: string): PlainEntry[] {
  const more = {
    stsRuleWho: [random.pick(['authenticated', `subtree:ou=people,${suffix}`, `nested:cn=g0,ou=groups,${suffix}`])],
    stsRuleTarget: [random.pick([`children:ou=sales,ou=people,${suffix}`, `entry:uid=p0,ou=people,${suffix}`, `one:ou=people,${suffix}`])],
    stsRuleRight: [...looks, 'manage'],
  };
  return [rule(suffix, 'managed', 1, more)];
}

/** Groups in which anybody may put themselves: what they give is theirs with the next request. */
function joinable(random: Random, suffix: string): PlainEntry[] {
  const more = {
    stsRuleWho: ['authenticated'],
    stsRuleTarget: [random.pick([`children:ou=groups,${suffix}`, `subtree:ou=groups,${suffix}`])],
    stsRuleAttribute: ['member', 'objectClass', 'cn'],
    stsRuleRight: [...looks, 'write'],
  };
  return [rule(suffix, 'joinable', 0, more)];
}

/** A tree that may go and move, but for one entry of it, or to one place not. */
function keptTree(random: Random, suffix: string): PlainEntry[] {
  const who = ['authenticated'];
  const sales = `ou=sales,ou=people,${suffix}`;
  const place = random.pick([`children:ou=applications,${suffix}`, `children:ou=sales,ou=applications,${suffix}`, `one:${sales}`]);
  const stays = random.chance(0.6)
    ? { stsRuleRight: ['delete'], stsRuleTarget: [random.pick([`entry:uid=s0,${sales}`, `entry:uid=s1,${sales}`, `one:${sales}`])] }
    : { stsRuleRight: ['add'], stsRuleTarget: [place] };
  const may = {
    stsRuleRight: random.chance(0.65) ? ['read', 'write', 'add', 'delete'] : ['read', 'write', 'delete'],
    stsRuleTarget: [`subtree:ou=people,${suffix}`, `subtree:ou=applications,${suffix}`],
    stsRuleAttribute: ['ou', 'uid', 'cn', 'sn', 'objectClass'],
  };
  return [
    rule(suffix, 'stays', 2, { stsRuleWho: who, stsRuleEffect: ['deny'], ...stays }),
    rule(suffix, 'goes', 3, { stsRuleWho: who, ...may }),
  ];
}

/** What is given or refused to those who come from somewhere; of some networks the last octet counts in part. */
function nearby(random: Random, suffix: string): PlainEntry[] {
  const from = random.pick([
    '192.0.2.128/25',
    '192.0.2.128/25',
    '198.51.100.6/32',
    '198.51.100.6/31',
    '2001:db8::/47',
    'protected',
    'this-machine',
  ]);
  const more = {
    stsRuleEffect: [random.pick(['allow', 'deny'])],
    stsRuleWho: ['anyone'],
    stsRuleFrom: [from],
    stsRuleRight: random.pick([looks, [...looks, 'write']]),
  };
  return [rule(suffix, 'nearby', 2, more)];
}

/** A place with people directly below it and deeper: of how much of it a rule is. */
function levels(random: Random, suffix: string): PlainEntry[] {
  const target = `${random.pick(['one', 'one', 'children', 'children', 'entry'])}:${random.pick(['ou=people,', 'ou=people,', ''])}${suffix}`;
  const more = {
    stsRuleEffect: [random.pick(['allow', 'deny'])],
    stsRuleWho: ['anyone'],
    stsRuleTarget: [target],
    stsRuleRight: looks,
  };
  return [rule(suffix, 'levels', 1, more)];
}

/** Two rules of one number that say the opposite: their names decide. */
function tied(random: Random, suffix: string): PlainEntry[] {
  const effects = random.chance(0.5) ? ['allow', 'deny'] : ['deny', 'allow'];
  const about = { stsRuleWho: ['authenticated'], stsRuleRight: looks, stsRuleAttribute: ['title', 'description'] };
  return effects.map((effect, at) => rule(suffix, `tied${at}`, 2, { stsRuleEffect: [effect], ...about }));
}
