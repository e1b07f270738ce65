import { utf8 } from '#base';
import { type Control, type Modification, type Request, resultCodes } from '#ldap';
import type { Random } from '../support/people.ts';
import type { Entry, Slot, State } from './model.ts';
import { isTree, nextOfTree } from './trees.ts';
import {
  changedState,
  containersOf,
  freshState,
  isGroup,
  isMark,
  markState,
  membersFrom,
  nameOf,
  plainState,
  type World,
  withAttributes,
} from './world.ts';

/** A request, what it makes of its slot, and the only result code that it may have. */
export interface Operation {
  readonly what: string;
  readonly op: Request;
  readonly controls?: readonly Control[];
  /** Updates of a transaction, of which `op` is the end. */
  readonly updates?: readonly Request[];
  readonly after: State;
  readonly code: number;
}

/** Makes a container or a shared entry. */
export function makePlain(world: World, slot: Slot): Operation {
  const entry = plainState(world, slot);
  return { what: 'add', op: addRequest(entry), after: entry, code: resultCodes.success };
}

/** The next change of a slot of which nothing is on its way: mostly one that succeeds, now and then one that must be refused whole. */
export function nextOperation(world: World, slot: Slot, state: State, random: Random): Operation {
  if (isTree(slot)) return nextOfTree(world, slot, state, random);
  if (isMark(slot)) return state === undefined ? setMark(world, slot) : clearMark(state);
  if (state === undefined) return random.chance(0.85) ? add(world, slot, random) : refusedWhenAbsent(world, slot, random);
  return random.weighted(isGroup(slot) ? groupKinds : presentKinds).make(world, slot, state, random);
}

type Make = (world: World, slot: Slot, state: Entry, random: Random) => Operation;

const presentKinds: readonly { readonly weight: number; readonly make: Make }[] = [
  { weight: 10, make: replaceAll },
  { weight: 4, make: addValues },
  { weight: 3, make: rename },
  { weight: 3, make: (_, __, state) => remove(state) },
  { weight: 2, make: refusedWhenPresent },
];

const groupKinds: typeof presentKinds = [
  { weight: 12, make: changeMembers },
  { weight: 5, make: replaceAll },
  { weight: 2, make: rename },
  { weight: 2, make: (_, __, state) => remove(state) },
  { weight: 2, make: refusedWhenPresent },
];

function add(world: World, slot: Slot, random: Random): Operation {
  const after = freshState(world, slot, random);
  return { what: 'add', op: addRequest(after), after, code: resultCodes.success };
}

/** Every changing attribute in one request: all of it, or nothing. */
function replaceAll(world: World, _: Slot, state: Entry, random: Random): Operation {
  const after = changedState(world, state, random);
  const changed = [...after.attributes].filter(([name, values]) => values !== state.attributes.get(name));
  return modify(
    'modify',
    state,
    after,
    changed.map(([name, values]) => change('replace', name, values)),
  );
}

function addValues(world: World, _: Slot, state: Entry): Operation {
  const version = ++world.version;
  const mail = [...(state.attributes.get('mail') ?? []), `more.${version}@example.com`];
  const telephonenumber = [...(state.attributes.get('telephonenumber') ?? []), `+1 556 ${version}`];
  return modify('modify-add', state, withAttributes(state, { mail, telephonenumber }), [
    change('add', 'mail', mail.slice(-1)),
    change('add', 'telephoneNumber', telephonenumber.slice(-1)),
  ]);
}

/** Some members go and others come: few of many, or so many that they leave their entry or come back into it. */
function changeMembers(world: World, _: Slot, state: Entry, random: Random): Operation {
  const held = state.attributes.get('member') ?? [];
  const first = random.below(held.length);
  const gone = held.slice(first, first + random.below(random.pick(movedMax))).slice(0, held.length - 1);
  const come = membersFrom(random.below(held.length), random.pick(movedMax)).filter((name) => !held.includes(name));
  const description = [`${++world.version} members`];
  const after = withAttributes(state, { description, member: [...held.filter((name) => !gone.includes(name)), ...come] });
  const changes = [change('delete', 'member', gone), change('replace', 'description', description), change('add', 'member', come)];
  return modify(
    'modify-members',
    state,
    after,
    changes.filter(({ attribute }) => attribute.values.length > 0),
  );
}

const movedMax = [2, 60, 200];

function rename(world: World, slot: Slot, state: Entry, random: Random): Operation {
  const name = nameOf(slot);
  const value = `${slot.name}v${++world.version}`;
  const newSuperior = random.pick(containersOf(world));
  const moved = withAttributes(state, { [name]: [value] });
  return {
    what: 'modifyDN',
    op: { kind: 'modifyDNRequest', entry: state.dn, newRdn: `${name}=${value}`, deleteOldRdn: true, newSuperior },
    after: { dn: `${name}=${value},${newSuperior}`, attributes: moved.attributes },
    code: resultCodes.success,
  };
}

function remove(state: Entry): Operation {
  return { what: 'delete', op: { kind: 'delRequest', entry: state.dn }, after: undefined, code: resultCodes.success };
}

function refusedWhenPresent(world: World, slot: Slot, state: Entry, random: Random): Operation {
  if (random.chance(0.3))
    return { what: 'add of what is there', op: addRequest(state), after: state, code: resultCodes.entryAlreadyExists };
  // The first change is good, and nothing of it may stay.
  const good = isGroup(slot)
    ? change('add', 'member', [`uid=never${++world.version}`])
    : change('replace', 'title', [`title ${++world.version}`]);
  const against = change('replace', isGroup(slot) ? 'member' : 'sn', []);
  return random.chance(0.5)
    ? { ...modify('modify that fails', state, state, [good, change('delete', 'description', ['nobody has this'])]), code: 16 }
    : { ...modify('modify against the schema', state, state, [good, against]), code: resultCodes.objectClassViolation };
}

function refusedWhenAbsent(world: World, slot: Slot, random: Random): Operation {
  const entry = `${nameOf(slot)}=${slot.name}v0,${random.pick(containersOf(world))}`;
  const op: Request = random.chance(0.5)
    ? { kind: 'delRequest', entry }
    : { kind: 'modifyRequest', object: entry, changes: [change('replace', 'description', ['x'])] };
  return { what: `${op.kind} of what is not there`, op, after: undefined, code: resultCodes.noSuchObject };
}

function setMark(world: World, slot: Slot): Operation {
  const after = markState(world, slot);
  return modify('mark', after, after, marking(after, 'add'));
}

function clearMark(state: Entry): Operation {
  return modify('unmark', state, undefined, marking(state, 'delete'));
}

function marking(state: Entry, operation: 'add' | 'delete'): Modification[] {
  return [...state.attributes].map(([name, values]) => change(operation, name, values));
}

function modify(what: string, { dn }: Entry, after: State, changes: readonly Modification[]): Operation {
  return { what, op: { kind: 'modifyRequest', object: dn, changes }, after, code: resultCodes.success };
}

function change(operation: Modification['operation'], description: string, values: readonly string[]): Modification {
  return { operation, attribute: { description, values: values.map(utf8) } };
}

function addRequest({ dn, attributes }: Entry): Request {
  return {
    kind: 'addRequest',
    entry: dn,
    attributes: [...attributes].map(([description, values]) => ({ description, values: values.map(utf8) })),
  };
}
