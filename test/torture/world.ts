import { createHash } from 'node:crypto';
import type { Random } from '../support/people.ts';
import type { Entry, Slot, State } from './model.ts';
import { treeSlot } from './trees.ts';

/** The part of the tree that is tortured, and every value that was ever put into it. */
export interface World {
  readonly base: string;
  readonly containers: readonly Slot[];
  /** Entries that all connections change at the same time. */
  readonly shared: readonly Slot[];
  /** By connection: entries of its own, and its marks in the shared ones. */
  readonly lanes: readonly (readonly Slot[])[];
  readonly all: readonly Slot[];
  /** `attribute=value` for indexed attributes: those that nobody has any more must not be found. */
  readonly used: Set<string>;
  /** Requests, by id, whose success promises nothing yet: starts of transactions and their updates. */
  readonly queued: Set<string>;
  /** Moves with every state that is made, so that no two are alike. */
  version: number;
}

const ownPerLane = 10;
const groupsPerLane = 3;
const marksPerLane = 3;
const sharedCount = 3;
/** The shared entry that is a group. With the marks in it its members are too many to lie in it. */
const sharedGroup = 2;
const sharedMembers = 250;
const indexedNames = ['uid', 'cn', 'sn', 'givenname', 'mail', 'telephonenumber', 'employeenumber', 'ou', 'member'];
/** Own groups have some of these, so that each name comes and goes in several of them. */
const memberNames = 420;
/** So many members a group is given at once: on both sides of where they leave their entry, and of where they come back. */
const memberCounts = [2, 63, 250, 258, 270, 300, 400];

/** A world in which nothing exists yet. */
export function createWorld(suffix: string, lanes: number): World {
  const base = `ou=torture,${suffix}`;
  const exact = (name: string, dn: string): Slot => ({
    name,
    part: (entry) => (entry.dn === dn ? withoutMarks(entry) : undefined),
    start: undefined,
    steps: [],
  });
  const containers = [exact('torture', base), ...['left', 'right'].map((ou) => exact(ou, `ou=${ou},${base}`))];
  const shared = Array.from({ length: sharedCount }, (_, at) => exact(`shared${at}`, sharedDn(base, at)));
  const owned = Array.from({ length: lanes }, (_, lane) => [
    ...Array.from({ length: ownPerLane }, (_, at) => own(`l${lane}s${at}`, 'uid')),
    ...Array.from({ length: groupsPerLane }, (_, at) => own(`l${lane}g${at}`, 'cn')),
    // One of them, since a connection has one transaction at a time.
    treeSlot(`l${lane}t0`),
    ...Array.from({ length: marksPerLane }, (_, at) => mark(`l${lane}m${at}`, sharedDn(base, at % sharedCount))),
  ]);
  return {
    base,
    containers,
    shared,
    lanes: owned,
    all: [...containers, ...shared, ...owned.flat()],
    used: new Set(),
    queued: new Set(),
    version: 0,
  };
}

/** What a container or a shared entry is. */
export function plainState(world: World, slot: Slot): Entry {
  const at = world.shared.indexOf(slot);
  if (at === sharedGroup) {
    return entryWith(sharedDn(world.base, at), { objectclass: group, cn: [slot.name], member: membersFrom(0, sharedMembers) });
  }
  if (at >= 0) {
    return entryWith(sharedDn(world.base, at), { objectclass: person, uid: [slot.name], cn: [slot.name], sn: ['shared'] });
  }
  const dn = slot.name === 'torture' ? world.base : `ou=${slot.name},${world.base}`;
  return entryWith(dn, { objectclass: ['top', 'organizationalUnit'], ou: [slot.name] });
}

/** A new state for an own entry: every value differs from all before, and the long ones span pages of the disk. */
export function freshState(world: World, slot: Slot, random: Random): Entry {
  const value = `${slot.name}v${world.version + 1}`;
  const name = nameOf(slot);
  const objectclass = isGroup(slot) ? group : person;
  return changedState(world, entryWith(`${name}=${value},${random.pick(containersOf(world))}`, { objectclass, [name]: [value] }), random);
}

/** The same entry with all its changing attributes new. */
export function changedState(world: World, before: Entry, random: Random): Entry {
  const version = ++world.version;
  if (before.attributes.get('objectclass')?.includes('groupOfNames')) {
    return withAttributes(before, {
      member: membersFrom(random.below(memberNames), random.pick(memberCounts)),
      description: [`${version} ${fillerOf(version, random.below(600))}`],
    });
  }
  return withAttributes(before, {
    cn: [`cn ${version}`],
    sn: [`sn ${version}`],
    givenname: [`given ${version}`],
    mail: Array.from({ length: 1 + random.below(3) }, (_, at) => `m${at}.${version}@example.com`),
    telephonenumber: [`+1 555 ${version}`],
    employeenumber: [String(version)],
    description: [`${version} ${fillerOf(version, random.chance(0.15) ? random.below(24_000) : random.below(600))}`],
  });
}

/** The values that a mark puts into its shared entry, and where. */
export function markState(world: World, slot: Slot): Entry {
  const version = ++world.version;
  const at = Number(slot.name.split('m')[1]) % sharedCount;
  const description = [`${slot.name} ${version}`];
  if (at === sharedGroup) {
    const count = 1 + (version % marksMembersMax);
    const member = Array.from({ length: count }, (_, of) => `uid=${slot.name}.${version}.${of},${nobody}`);
    return entryWith(sharedDn(world.base, at), { description, member });
  }
  return entryWith(sharedDn(world.base, at), {
    description,
    mail: [`${slot.name}.${version}@example.com`],
  });
}

export function isMark(slot: Slot): boolean {
  return /^l\d+m\d+$/.test(slot.name);
}

export function isGroup(slot: Slot): boolean {
  return /^l\d+g\d+$/.test(slot.name);
}

/** The attribute that an own entry is named by. */
export function nameOf(slot: Slot): 'cn' | 'uid' {
  return isGroup(slot) ? 'cn' : 'uid';
}

/** So many members, none twice, from one of them on. */
export function membersFrom(first: number, count: number): string[] {
  return Array.from({ length: Math.min(count, memberNames) }, (_, at) => `uid=m${(first + at) % memberNames},${nobody}`);
}

export function containersOf(world: World): readonly string[] {
  return ['left', 'right'].map((ou) => `ou=${ou},${world.base}`);
}

/** Remembers the indexed values of a state. */
export function noteUsed(world: World, state: State): void {
  for (const part of state?.parts ?? []) noteUsed(world, part);
  if (state?.parts !== undefined) return;
  for (const [name, values] of state?.attributes ?? []) {
    if (indexedNames.includes(name)) for (const value of values) world.used.add(`${name}=${value}`);
  }
}

export function entryWith(dn: string, attributes: Readonly<Record<string, readonly string[]>>): Entry {
  return withAttributes({ dn, attributes: new Map() }, attributes);
}

export function withAttributes(entry: Entry, changed: Readonly<Record<string, readonly string[]>>): Entry {
  const attributes = new Map(entry.attributes);
  for (const [name, values] of Object.entries(changed)) {
    if (values.length === 0) attributes.delete(name);
    else attributes.set(name, [...values].sort());
  }
  return { dn: entry.dn, attributes };
}

const person = ['top', 'person', 'organizationalPerson', 'inetOrgPerson'];
const group = ['top', 'groupOfNames'];
/** Where members stand: names that no entry has. */
const nobody = 'ou=nobody';
const marksMembersMax = 12;

function sharedDn(base: string, at: number): string {
  return `${at === sharedGroup ? 'cn' : 'uid'}=shared${at},${base}`;
}

function own(name: string, attribute: 'cn' | 'uid'): Slot {
  const pattern = new RegExp(`^${attribute}=${name}v\\d+,`);
  return { name, part: (entry) => (pattern.test(entry.dn) ? entry : undefined), start: undefined, steps: [] };
}

function mark(name: string, dn: string): Slot {
  const part = (entry: Entry): State => {
    if (entry.dn !== dn) return undefined;
    const begins = { description: `${name} `, mail: `${name}.`, member: `uid=${name}.` };
    const values = Object.entries(begins).map(
      ([attribute, begin]) => [attribute, (entry.attributes.get(attribute) ?? []).filter((value) => value.startsWith(begin))] as const,
    );
    return values.every(([, { length }]) => length === 0) ? undefined : entryWith(dn, Object.fromEntries(values));
  };
  return { name, part, start: undefined, steps: [] };
}

/** A shared entry without what the marks put there. */
function withoutMarks(entry: Entry): Entry {
  if (!/^(cn|uid)=shared/.test(entry.dn)) return entry;
  const member = (entry.attributes.get('member') ?? []).filter((value) => !/^uid=l\d+m\d+\./.test(value));
  return withAttributes(entry, { description: [], mail: [], member });
}

/** Text that looks random, so that half of it cannot be taken for the whole. */
export function fillerOf(version: number, length: number): string {
  let text = '';
  for (let at = 0; text.length < length; at++) text += createHash('sha256').update(`${version} ${at}`).digest('hex');
  return text.slice(0, length);
}
