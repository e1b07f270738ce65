import { utf8 } from '#base';
import { type Control, encodeBer, type Modification, type Request } from '#ldap';
import type { Random } from '../support/people.ts';
import { type Entry, type Slot, type State, textOf } from './model.ts';
import type { Operation } from './operations.ts';
import { containersOf, entryWith, fillerOf, type World } from './world.ts';

/** A slot that is a subtree: it comes, changes and goes as one, by transactions (RFC 5805), subtree moves and tree deletes. */
export function treeSlot(name: string): Slot {
  const pattern = new RegExp(`(?:^|,)ou=${name}v\\d+,`);
  return {
    name,
    part: (entry) => (pattern.test(entry.dn) ? entry : undefined),
    joined: (parts) => joined(name, parts),
    start: undefined,
    steps: [],
  };
}

export function isTree(slot: Slot): boolean {
  return slot.joined !== undefined;
}

/** One state for all of it. More than one root, or none, is a state that no operation makes. */
function joined(name: string, parts: readonly Entry[]): Entry {
  const roots = parts.filter(({ dn }) => dn.startsWith(`ou=${name}v`));
  const [root] = roots;
  if (root === undefined || roots.length > 1) return { dn: parts.map(({ dn }) => dn).join(' AND '), attributes: new Map() };
  return treeOf(
    root,
    parts.filter((part) => part !== root),
  );
}

function treeOf(root: Entry, leaves: readonly Entry[]): Entry {
  const below = leaves.map((leaf) => textOf(leaf)).sort();
  return { dn: root.dn, attributes: new Map([...root.attributes, ['below', below]]), parts: [root, ...leaves] };
}

export function nextOfTree(world: World, slot: Slot, state: State, random: Random): Operation {
  if (state === undefined) return grow(world, slot, random);
  const { make } = random.weighted(kinds);
  return make(world, slot, state, random);
}

type Make = (world: World, slot: Slot, state: Entry, random: Random) => Operation;

const kinds: readonly { readonly weight: number; readonly make: Make }[] = [
  { weight: 5, make: move },
  { weight: 5, make: change },
  { weight: 2, make: changeRefused },
  { weight: 2, make: fell },
];

function grow(world: World, slot: Slot, random: Random): Operation {
  const root = rootOf(world, slot, random);
  const isGreat = slot.name === greatTree && random.chance(greatShare);
  const leaves = Array.from({ length: isGreat ? greatLeaves : 2 + random.below(12) }, () =>
    leafOf(world, slot, root.dn, isGreat ? greatOctets : random.chance(0.1) ? random.below(24_000) : random.below(300)),
  );
  return {
    what: 'transaction that adds a tree',
    op: end,
    updates: [root, ...leaves].map(addRequest),
    after: treeOf(root, leaves),
    code: 0,
  };
}

function rootOf(world: World, slot: Slot, random: Random): Entry {
  const ou = `${slot.name}v${++world.version}`;
  return entryWith(`ou=${ou},${random.pick(containersOf(world))}`, { objectclass: ['top', 'organizationalUnit'], ou: [ou] });
}

/**
 * One tree is now and then of more octets than a commit over many turns keeps in memory (4 MiB): the rest of it stands in the log before its end. A leaf that
 * changes is small again.
 */
const greatTree = 'l0t0';
const greatShare = 0.3;
const greatLeaves = 48;
const greatOctets = 100_000;

function leafOf(world: World, slot: Slot, above: string, octets: number): Entry {
  const version = ++world.version;
  const cn = `${slot.name}c${version}`;
  const description = [`${version} ${fillerOf(version, octets)}`];
  return entryWith(`cn=${cn},${above}`, { objectclass: ['top', 'device'], cn: [cn], description });
}

/** The root gets another name and, as a rule, another superior; nothing else changes. */
function move(world: World, slot: Slot, state: Entry, random: Random): Operation {
  const [root, ...leaves] = state.parts ?? [];
  if (root === undefined) throw new Error(`${slot.name} has no root`);
  const to = rootOf(world, slot, random);
  const moved = leaves.map((leaf) => ({ ...leaf, dn: `${leaf.dn.slice(0, leaf.dn.indexOf(','))},${to.dn}` }));
  return { what: 'subtree move', op: renameRequest(root.dn, to.dn), after: treeOf(to, moved), code: 0 };
}

function fell(_: World, __: Slot, state: Entry): Operation {
  return { what: 'tree delete', op: { kind: 'delRequest', entry: state.dn }, controls: [treeDelete], after: undefined, code: 0 };
}

/** Every leaf changes, one goes, others come, and now and then all of it moves: in one transaction. */
function change(world: World, slot: Slot, state: Entry, random: Random): Operation {
  const [root, ...leaves] = state.parts ?? [];
  if (root === undefined) throw new Error(`${slot.name} has no root`);
  const [gone, ...staying] = leaves;
  const changed = staying.map((leaf) => {
    const description = [`changed ${++world.version}`];
    return { leaf: { ...leaf, attributes: new Map([...leaf.attributes, ['description', description]]) }, description };
  });
  const come = Array.from({ length: random.below(4) }, () => leafOf(world, slot, root.dn, random.below(300)));
  const updates: Request[] = [
    ...changed.map(({ leaf, description }) => modifyRequest(leaf.dn, 'replace', description)),
    ...(gone === undefined ? [] : [{ kind: 'delRequest' as const, entry: gone.dn }]),
    ...come.map(addRequest),
  ];
  const after = treeOf(root, [...changed.map(({ leaf }) => leaf), ...come]);
  const then = random.chance(0.3) ? move(world, slot, after, random) : undefined;
  const all = then === undefined ? updates : [...updates, then.op];
  const touched: Request = modifyRequest(root.dn, 'replace', []);
  return { what: 'transaction that changes a tree', op: end, updates: [touched, ...all], after: then?.after ?? after, code: 0 };
}

/** The last update is refused, and nothing of those before it may stay. */
function changeRefused(world: World, slot: Slot, state: Entry, random: Random): Operation {
  const { updates = [], after } = change(world, slot, state, random);
  const refused = modifyRequest(after?.dn ?? '', 'delete', ['nobody has this']);
  return { what: 'transaction that is refused', op: end, updates: [...updates, refused], after: state, code: 16 };
}

/** The start of a transaction, an update of it, and its end. */
export const begin: Request = { kind: 'extendedRequest', oid: '1.3.6.1.1.21.1' };
export const updateOf = (identifier: Uint8Array): Control => ({ oid: '1.3.6.1.1.21.2', critical: true, value: identifier });
export const endOf = (identifier: Uint8Array): Request => ({
  kind: 'extendedRequest',
  oid: '1.3.6.1.1.21.3',
  value: encodeBer((ber) => ber.sequence(() => ber.octets(identifier))),
});

/** Stands for the end of a transaction whose identifier is not known yet. */
const end = begin;
const treeDelete: Control = { oid: '1.2.840.113556.1.4.805', critical: true };

function renameRequest(entry: string, to: string): Request {
  const comma = to.indexOf(',');
  return { kind: 'modifyDNRequest', entry, newRdn: to.slice(0, comma), deleteOldRdn: true, newSuperior: to.slice(comma + 1) };
}

function modifyRequest(object: string, operation: Modification['operation'], values: readonly string[]): Request {
  return { kind: 'modifyRequest', object, changes: [{ operation, attribute: { description: 'description', values: values.map(utf8) } }] };
}

function addRequest({ dn, attributes }: Entry): Request {
  const given = [...attributes].map(([description, values]) => ({ description, values: values.map(utf8) }));
  return { kind: 'addRequest', entry: dn, attributes: given };
}
