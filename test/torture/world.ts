import { createHash } from 'node:crypto';
import type { Random } from '../support/people.ts';
import type { Entry, Slot, State } from './model.ts';

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
  /** Moves with every state that is made, so that no two are alike. */
  version: number;
}

const ownPerLane = 10;
const marksPerLane = 3;
const sharedCount = 2;
const indexedNames = ['uid', 'cn', 'sn', 'givenname', 'mail', 'telephonenumber', 'employeenumber', 'ou'];

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
    ...Array.from({ length: ownPerLane }, (_, at) => own(`l${lane}s${at}`)),
    ...Array.from({ length: marksPerLane }, (_, at) => mark(`l${lane}m${at}`, sharedDn(base, at % sharedCount))),
  ]);
  return { base, containers, shared, lanes: owned, all: [...containers, ...shared, ...owned.flat()], used: new Set(), version: 0 };
}

/** What a container or a shared entry is. */
export function plainState(world: World, slot: Slot): Entry {
  const at = world.shared.indexOf(slot);
  if (at >= 0) {
    return entryWith(sharedDn(world.base, at), { objectclass: person, uid: [slot.name], cn: [slot.name], sn: ['shared'] });
  }
  const dn = slot.name === 'torture' ? world.base : `ou=${slot.name},${world.base}`;
  return entryWith(dn, { objectclass: ['top', 'organizationalUnit'], ou: [slot.name] });
}

/** A new state for an own entry: every value differs from all before, and the long ones span pages of the disk. */
export function freshState(world: World, slot: Slot, random: Random): Entry {
  const uid = `${slot.name}v${world.version + 1}`;
  return changedState(world, entryWith(`uid=${uid},${random.pick(containersOf(world))}`, { objectclass: person, uid: [uid] }), random);
}

/** The same entry with all its changing attributes new. */
export function changedState(world: World, before: Entry, random: Random): Entry {
  const version = ++world.version;
  return withAttributes(before, {
    cn: [`cn ${version}`],
    sn: [`sn ${version}`],
    givenname: [`given ${version}`],
    mail: Array.from({ length: 1 + random.below(3) }, (_, at) => `m${at}.${version}@example.com`),
    telephonenumber: [`+1 555 ${version}`],
    employeenumber: [String(version)],
    description: [`${version} ${filler(version, random.chance(0.15) ? random.below(24_000) : random.below(600))}`],
  });
}

/** The two values that a mark puts into its shared entry, and where. */
export function markState(world: World, slot: Slot): Entry {
  const version = ++world.version;
  const at = Number(slot.name.split('m')[1]) % sharedCount;
  return entryWith(sharedDn(world.base, at), {
    description: [`${slot.name} ${version}`],
    mail: [`${slot.name}.${version}@example.com`],
  });
}

export function isMark(slot: Slot): boolean {
  return /^l\d+m\d+$/.test(slot.name);
}

export function containersOf(world: World): readonly string[] {
  return ['left', 'right'].map((ou) => `ou=${ou},${world.base}`);
}

/** Remembers the indexed values of a state. */
export function noteUsed(world: World, state: State): void {
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

function sharedDn(base: string, at: number): string {
  return `uid=shared${at},${base}`;
}

function own(name: string): Slot {
  const pattern = new RegExp(`^uid=${name}v\\d+,`);
  return { name, part: (entry) => (pattern.test(entry.dn) ? entry : undefined), start: undefined, steps: [] };
}

function mark(name: string, dn: string): Slot {
  const part = (entry: Entry): State => {
    if (entry.dn !== dn) return undefined;
    const [description, mail] = [`${name} `, `${name}.`].map((prefix, at) =>
      (entry.attributes.get(at === 0 ? 'description' : 'mail') ?? []).filter((value) => value.startsWith(prefix)),
    );
    const values = { description: description ?? [], mail: mail ?? [] };
    return values.description.length + values.mail.length === 0 ? undefined : entryWith(dn, values);
  };
  return { name, part, start: undefined, steps: [] };
}

/** A shared entry without what the marks put there. */
function withoutMarks(entry: Entry): Entry {
  return entry.dn.startsWith('uid=shared') ? withAttributes(entry, { description: [], mail: [] }) : entry;
}

/** Text that looks random, so that half of it cannot be taken for the whole. */
function filler(version: number, length: number): string {
  let text = '';
  for (let at = 0; text.length < length; at++) text += createHash('sha256').update(`${version} ${at}`).digest('hex');
  return text.slice(0, length);
}
