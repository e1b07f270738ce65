import { compareBytes, utf8 } from '#base';
import { type Ava, type Dn, formatDn, formatRdn, type LdifChange, type PartialAttribute, type Rdn } from '#ldap';
import { formOf, isWithin, keysAbove, normalizeDn, type Schema } from '#schema';
import { type Desk, type Difference, entryOf, type Lone, type Moved, modifyOf } from './desk.ts';
import { modificationsOf, namesBy, renaming } from './modifications.ts';
import type { NamedEntry } from './named.ts';

interface Structure {
  /** In the order of where they are to be. */
  readonly moved: readonly Moved[];
  /** In the order of their names, as `added`. */
  readonly deleted: readonly Lone[];
  readonly added: readonly Lone[];
}

/** An entry that is not yet where it is to be, or not yet gone. */
interface Pending {
  readonly lone: Lone;
  /** Where it is now. */
  key: Uint8Array;
  dn: Dn;
  /** What a name for the time between did to its attributes. */
  attributes?: readonly PartialAttribute[];
}

/** Deletes, adds and renames, with the changes of renamed entries around them. */
export function* structureChanges(desk: Desk, { moved, deleted, added }: Structure): Generator<Difference> {
  const { schema } = desk;
  // What a superior that goes has to wait for.
  const above = new Set(moved.flatMap(({ from }) => [...keysAbove(from.key, new Uint8Array(0))].map(formOf)));
  const pending = new Map<string, Pending>();
  const hold = (lone: Lone): Pending => {
    const held = { lone, key: lone.key, dn: lone.dn };
    pending.set(formOf(lone.key), held);
    return held;
  };

  const movers = moved.map(({ from, to }) => ({ from: hold(from), to }));
  for (const { from, to } of movers) yield* modifiedBefore(desk, from, to);
  const waiting: Pending[] = [];
  for (const lone of deleted.toReversed()) {
    if (above.has(formOf(lone.key))) waiting.push(hold(lone));
    else yield deleteOf(desk, lone, lone.dn);
  }

  const relocate = (each: Pending, dn: Dn) => {
    const { key: old, dn: oldDn } = each;
    const key = normalizeDn(schema, dn) ?? old;
    const isInner = above.has(formOf(each.lone.key));
    for (const other of isInner ? [...pending.values()] : [each]) {
      if (!isWithin(other.key, old)) continue;
      pending.delete(formOf(other.key));
      other.dn = [...other.dn.slice(0, other.dn.length - oldDn.length), ...dn];
      other.key = normalizeDn(schema, other.dn) ?? key;
      pending.set(formOf(other.key), other);
    }
  };

  const makeRoom = function* (to: Lone, own: Pending | undefined): Generator<Difference> {
    const occupant = pending.get(formOf(to.key));
    if (occupant === undefined || occupant === own) return;
    const entry = entryNow(desk, occupant);
    const dn = [[temporaryName(occupant)], ...occupant.dn.slice(1)];
    const { deleteOldRdn, attributes } = renaming(schema, entry.attributes, [], occupant.dn[0] ?? [], dn[0] as Rdn);
    yield renameOf(occupant, entry, dn, deleteOldRdn);
    occupant.attributes = attributes;
    relocate(occupant, dn);
  };

  for (const step of bySuperior(movers, added)) {
    if (step.kind === 'add') {
      yield* makeRoom(step.to, undefined);
      yield addOf(desk, step.to);
      continue;
    }
    const { from, to } = step;
    if (formatDn(from.dn) !== formatDn(to.dn)) {
      yield* makeRoom(to, from);
      yield* renamed(desk, from, to);
      relocate(from, to.dn);
    }
    pending.delete(formOf(from.key));
  }
  for (const each of waiting) yield deleteOf(desk, each.lone, each.dn);
}

type Mover = { readonly from: Pending; readonly to: Lone };

/** Adds and renames in the order of where entries are to be. */
function* bySuperior(movers: readonly Mover[], added: readonly Lone[]) {
  let at = 0;
  for (const { from, to } of movers) {
    for (let next = added[at]; next !== undefined && compareBytes(next.key, to.key) < 0; next = added[++at])
      yield { kind: 'add', to: next } as const;
    yield { kind: 'move', from, to } as const;
  }
  for (const to of added.slice(at)) yield { kind: 'add', to } as const;
}

/**
 * What a renamed entry has otherwise, save in the attributes that name it: done while others still call it by its old name, so that a directory whose
 * names follow a rename finds nothing to take along.
 */
function* modifiedBefore(desk: Desk, from: Pending, to: Lone): Generator<Difference> {
  const [is, wanted] = [entryNow(desk, from), entryOf(to, desk.there)];
  const naming = namesBy(desk.schema, [from.dn[0] ?? [], to.dn[0] ?? []]);
  const changes = modificationsOf(desk.schema, is.attributes, wanted.attributes, desk.compared, (type) => !naming(type));
  if (changes.length > 0) yield modifyOf(formatDn(from.dn), changes, { before: is.attributes, after: wanted.attributes, key: is.key });
}

/** The rename itself, and what it leaves to do to the attributes that name the entry. */
function* renamed(desk: Desk, from: Pending, to: Lone): Generator<Difference> {
  const [is, wanted] = [entryNow(desk, from), entryOf(to, desk.there)];
  const [old, now] = [from.dn[0] ?? [], to.dn[0] ?? []];
  const { deleteOldRdn, attributes } = renaming(desk.schema, is.attributes, wanted.attributes, old, now);
  yield renameOf(from, { ...is, after: wanted.attributes }, to.dn, deleteOldRdn);
  const naming = namesBy(desk.schema, [old, now]);
  const changes = modificationsOf(desk.schema, attributes, wanted.attributes, desk.compared, naming);
  if (changes.length > 0) yield modifyOf(formatDn(to.dn), changes, { before: is.attributes, after: wanted.attributes, key: to.key });
}

function entryNow({ here }: Desk, { lone, attributes }: Pending): NamedEntry {
  const entry = entryOf(lone, here);
  return attributes === undefined ? entry : { ...entry, attributes };
}

function renameOf(
  { dn: from, lone }: Pending,
  { attributes, after = attributes }: { readonly attributes: readonly PartialAttribute[]; readonly after?: readonly PartialAttribute[] },
  to: Dn,
  deleteOldRdn: boolean,
): Difference {
  const superior = formatDn(to.slice(1));
  const change: LdifChange = {
    kind: 'modrdn',
    line: 0,
    dn: formatDn(from),
    controls: [],
    newRdn: formatRdn(to[0] ?? []),
    deleteOldRdn,
    ...(formatDn(from.slice(1)) === superior ? {} : { newSuperior: superior }),
  };
  return { change, before: attributes, after, key: lone.key };
}

/** A name that nobody else has, for an entry that stands where another is to be. */
function temporaryName({ dn, lone }: Pending): Ava {
  return { type: dn[0]?.[0]?.type ?? 'cn', value: utf8(`atrium-diff-${lone.uuid ?? lone.place}`) };
}

function deleteOf({ here }: Desk, lone: Lone, dn: Dn): Difference {
  const { attributes } = entryOf(lone, here);
  return { change: { kind: 'delete', line: 0, dn: formatDn(dn), controls: [] }, before: attributes, after: undefined, key: lone.key };
}

function addOf({ schema, compared, there }: Desk, lone: Lone): Difference {
  const { attributes } = entryOf(lone, there);
  const settable = attributes.filter(({ description }) => isSettable(schema, compared, description));
  return {
    change: { kind: 'add', line: 0, dn: formatDn(lone.dn), controls: [], attributes: settable },
    before: undefined,
    after: attributes,
    key: lone.key,
  };
}

function isSettable(schema: Schema, { isCompared }: Desk['compared'], description: string): boolean {
  const type = schema.attributeType(description.split(';')[0] ?? description);
  return type === undefined || isCompared(type);
}
