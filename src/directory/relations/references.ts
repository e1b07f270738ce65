import { concat, equalBytes, text, utf8 } from '#base';
import { refuse } from '#catalogue';
import { decodeValue, type PartialAttribute } from '#ldap';
import { type AttributeType, formOf, normalizer, type Schema, typeAt } from '#schema';
import type { Change, EntryRecord, ListChange, Snapshot, StoredEntry } from '#store';
import type { Call } from '../call.ts';
import type { EngineSettings } from '../engine.ts';
import { errors } from '../errors.ts';
import { indexKey } from '../indexing.ts';
import { type Changed, changeOf, type EditedList, type EditedLists, editedLists, settleLists } from '../lists.ts';
import type { Name } from '../realm.ts';
import { areTogether, settingsAt } from '../realms.ts';
import { type Attributes, attributesOf, stampChanged } from '../record.ts';
import { type Decide, type Decision, type Look, writerName } from '../write.ts';

/** Attributes whose values are names of entries and follow them; each has an index (`indexing.ts`). */
const followed = ['member', 'uniqueMember', 'owner', 'manager', 'secretary', 'seeAlso', 'roleOccupant'] as const;

/** In a key of `uniqueMember`, between the name and the identifier behind it. No key of a name holds this octet. */
const identifierMark = 0xff;

/** What becomes of an entry that others may name. */
export interface Moved {
  /** The name that it had, as it is stored, and its key. */
  readonly dn: string;
  readonly dnKey: Uint8Array;
  /** The name that it has from now on; nothing for one that is deleted. */
  readonly to: Name | undefined;
}

/** So many look-ups, or so many entries that follow, are decided before others have the event loop. */
const turnLooks = 256;
const turnEntries = 24;

/**
 * Takes entries that name others along when these are deleted or renamed, in the same commit: the value goes, or becomes the new name. They are found by
 * indexes, so that an entry which nobody names costs a look-up for each attribute. It is the service that changes them, whatever who asks may write.
 *
 * Many are decided about with pauses. That they are still all, and none of them was changed meanwhile, is expected of the commit.
 *
 * @param decision  what the write itself does; entries that it writes may be among those that name others
 * @param moved  every entry that gets another name or none, all of a subtree that moves
 * @param base  the key of the entry that all of them stand at or below, which moves too
 * @throws Refusal `referencesTooMany` (LDAP adminLimitExceeded)
 * @see slapo-refint(5)
 */
export function withReferences(
  call: Pick<Call, 'engine' | 'asker'>,
  look: Look,
  decision: Decision,
  moved: readonly Moved[],
  base: Uint8Array,
): ReturnType<Decide> {
  const steps = following(call, look, decision, moved, base);
  const first = steps.next();
  return first.done === true ? first.value : goOn(steps);
}

function* goOn(steps: Generator<undefined, Decision>): Generator<undefined, Decision> {
  yield;
  return yield* steps;
}

function* following(
  call: Pick<Call, 'engine' | 'asker'>,
  look: Look,
  decision: Decision,
  moved: readonly Moved[],
  base: Uint8Array,
): Generator<undefined, Decision> {
  const { engine } = call;
  const { schema } = engine;
  const rows = rowsBelow(schema, look(), base, engine.settings['ldap.referencesMax']);
  const expected = [...decision.expected, ...rows.map(({ expectation }) => expectation)];
  const types = rows.flatMap(({ type, expectation }) => (expectation.count === 0 ? [] : [type]));
  if (types.length === 0) return { ...decision, expected };
  const named = yield* referrersOf(look, types, moved, engine.settings['ldap.referencesMax']);
  const planned = new Map(decision.changes.map((change) => [change.kind === 'delete' ? change.uuid : change.entry.uuid, change]));
  const wholes = new Map<string, Decision['whole']>();
  let desk = deskOf(call, look(), moved);
  let at = 0;
  for (const [id, links] of named) {
    if (at++ % turnEntries === turnEntries - 1) {
      yield;
      desk = { ...desk, snapshot: look() };
    }
    const entry = desk.snapshot.byId(id);
    // What names an entry from another realm is a name and nothing else.
    if (entry === undefined || !areTogether(engine, desk.snapshot, entry.dnKey, base)) continue;
    const own = planned.get(entry.uuid);
    if (own?.kind === 'delete') continue;
    if (own === undefined) expected.push({ kind: 'unchanged', uuid: entry.uuid, csn: entry.csn });
    const { change, whole } = followedChange(desk, entry, own, links);
    planned.set(entry.uuid, change);
    wholes.set(entry.uuid, whole);
  }
  const changes = [...planned.values()];
  const whole = (uuid: string) => (wholes.has(uuid) ? wholes.get(uuid) : decision.whole)?.(uuid);
  return { ...decision, expected, changes, whole };
}

interface Desk {
  readonly call: Pick<Call, 'engine' | 'asker'>;
  readonly snapshot: Snapshot;
  /** By the keys of their former names. */
  readonly moved: ReadonlyMap<string, Moved>;
}

function deskOf(call: Desk['call'], snapshot: Snapshot, moved: readonly Moved[]): Desk {
  return { call, snapshot, moved: new Map(moved.map((each) => [formOf(each.dnKey), each])) };
}

/** The entries of the same tree that name one, each with the attribute by which it does. */
export function referrersTo(
  schema: Schema,
  snapshot: Snapshot,
  dnKey: Uint8Array,
  max: number,
): { readonly attribute: string; readonly uuid: string }[] {
  return typesOf(schema).flatMap((type) =>
    naming(snapshot, type, dnKey, max).flatMap(({ id, exact }) => {
      const uuid = exact ? snapshot.readable(id)?.uuid : undefined;
      return uuid === undefined ? [] : [{ attribute: type.name, uuid }];
    }),
  );
}

/** By which attribute an entry names one that moves. */
interface Link {
  readonly type: AttributeType;
  readonly each: Moved;
  /** By its name alone, with no identifier behind it. */
  readonly exact: boolean;
}

/** How many rows of an index lead from names at or below one: as many are to be there still when this is committed. */
function rowsBelow(schema: Schema, snapshot: Snapshot, base: Uint8Array, most: number) {
  return typesOf(schema).map((type) => {
    const prefix = indexKey(type, base);
    const count = snapshot.countWithin(type.key, prefix, most + 1);
    if (count > most) throw refuse(errors.referencesTooMany, { most });
    return { type, expectation: { kind: 'within', attribute: type.key, prefix, count } as const };
  });
}

/** The entries that name some of those that move, by their row numbers, each with whom it names. */
function* referrersOf(
  look: Look,
  types: readonly AttributeType[],
  moved: readonly Moved[],
  max: number,
): Generator<undefined, ReadonlyMap<number, Link[]>> {
  const named = new Map<number, Link[]>();
  let at = 0;
  for (const each of moved) {
    if (each.to !== undefined && equalBytes(each.to.key, each.dnKey)) continue;
    if (at++ % turnLooks === turnLooks - 1) yield;
    for (const type of types) {
      for (const { id, exact } of naming(look(), type, each.dnKey, max)) {
        const links = named.get(id);
        if (links === undefined) named.set(id, [{ type, each, exact }]);
        else links.push({ type, each, exact });
      }
    }
    if (named.size > max) throw refuse(errors.referencesTooMany, { most: max });
  }
  return named;
}

function naming(snapshot: Snapshot, type: AttributeType, dnKey: Uint8Array, max: number): readonly { id: number; exact: boolean }[] {
  const ids = snapshot.idsEqual(type.key, indexKey(type, dnKey), max + 1).map((id) => ({ id, exact: true }));
  if (type.key !== 'uniquemember') return ids;
  const identified = snapshot.idsPrefix(type.key, concat([dnKey, Uint8Array.of(identifierMark)]), max);
  if (identified === undefined) throw refuse(errors.referencesTooMany, { most: max });
  return [...ids, ...identified.map((id) => ({ id, exact: false }))];
}

const typeLists = new WeakMap<Schema, readonly AttributeType[]>();

function typesOf(schema: Schema): readonly AttributeType[] {
  let types = typeLists.get(schema);
  if (types === undefined) {
    types = followed.flatMap((name) => schema.attributeType(name) ?? []);
    typeLists.set(schema, types);
  }
  return types;
}

/** What is written of an entry once its values have followed: beside what the write itself changes of it, where it does. */
function followedChange(desk: Desk, stored: StoredEntry, own: Written | undefined, links: readonly Link[]): Changed {
  const { engine, asker } = desk.call;
  const { schema } = engine;
  const record: EntryRecord = own?.entry ?? stored;
  const attributes = attributesOf(schema, record);
  // What is written whole has its lists among its attributes.
  const lists: EditedLists = own?.kind === 'put' ? new Map() : editedLists(schema, desk.snapshot, stored);
  if (own?.kind === 'amend') replay(lists, own.lists);
  for (const [key, list] of lists) followInList(desk, typeAt(schema, key), list, links);
  for (const [key, attribute] of attributes) {
    const values = followedValues(desk, typeAt(schema, key), attribute, links);
    if (values !== undefined) attributes.set(key, { description: attribute.description, values });
  }
  keepRequired(schema, settingsAt(engine, desk.snapshot, stored.dnKey), attributes, lists);
  settleLists(schema, attributes, stored, lists);
  const csn = own?.entry.csn ?? engine.csn.next();
  if (own === undefined) stampChanged(attributes, { csn, nowMs: engine.clock.nowMs(), by: writerName(engine, asker.identity) });
  const name = { dn: [], text: record.dn, key: record.dnKey };
  return changeOf(schema, { uuid: record.uuid, parent: record.parent, name, csn }, attributes, lists, stored);
}

type Written = Exclude<Change, { readonly kind: 'delete' }>;

function replay(lists: EditedLists, changes: readonly ListChange[]): void {
  for (const { list, remove, add } of lists.values()) {
    const change = changes.find(({ attribute, description }) => attribute === list.attribute && description === list.description);
    if (change === undefined) continue;
    if (change.removed.length > 0) remove(change.removed.map(decodeValue), false);
    if (change.added.length > 0) add(change.added.map(decodeValue), false);
  }
}

/** Of a list only the values are looked at that name somebody who moves. */
function followInList(desk: Desk, type: AttributeType | undefined, list: EditedList, links: readonly Link[]): void {
  const own = type === undefined ? [] : linksOf(type, links);
  if (type === undefined || own.length === 0) return;
  const holds = (value: Uint8Array) => {
    const normal = list.attribute.rule.normalize(value);
    return normal !== undefined && list.attribute.holds(normal);
  };
  const replace = (value: Uint8Array, by: Uint8Array | undefined) => {
    list.remove([value], false);
    if (by !== undefined && !holds(by)) list.add([by], false);
  };
  for (const { each } of own) if (holds(utf8(each.dn))) replace(utf8(each.dn), each.to && utf8(each.to.text));
  if (own.every(({ exact }) => exact)) return;
  // With an identifier behind it a name is found only by reading them all.
  for (const value of list.values()) {
    const found = movedOf(desk, type, value);
    if (found !== undefined) replace(value, found.by);
  }
}

/** The values of an attribute once they have followed; nothing where none does. */
function followedValues(
  desk: Desk,
  type: AttributeType | undefined,
  attribute: PartialAttribute,
  links: readonly Link[],
): readonly Uint8Array[] | undefined {
  const own = type === undefined ? [] : linksOf(type, links);
  if (type === undefined || own.length === 0) return undefined;
  const asWritten = followedAsWritten(desk.snapshot, attribute, own);
  if (asWritten !== undefined) return asWritten;
  const normal = normalizer(type);
  const values = new Map<string, Uint8Array>();
  let isMoved = false;
  for (const value of attribute.values) {
    const found = movedOf(desk, type, value);
    if (found !== undefined) isMoved = true;
    const now = found === undefined ? value : found.by;
    const form = now && normal(now);
    if (now !== undefined && form !== undefined && !values.has(formOf(form))) values.set(formOf(form), now);
  }
  return isMoved ? [...values.values()] : undefined;
}

/**
 * The same for less, where each name stands there octet for octet as its entry has it: then none of the other values is equal to it. Nothing where it is
 * not so, or where somebody is named by the new name already.
 */
function followedAsWritten(snapshot: Snapshot, { values }: PartialAttribute, links: readonly Link[]): readonly Uint8Array[] | undefined {
  const now: (Uint8Array | undefined)[] = [...values];
  for (const { type, each, exact } of links) {
    const name = utf8(each.dn);
    const at = exact ? values.findIndex((value) => equalBytes(value, name)) : -1;
    if (at < 0 || (each.to !== undefined && snapshot.idsEqual(type.key, indexKey(type, each.to.key), 1).length > 0)) return undefined;
    now[at] = each.to && utf8(each.to.text);
  }
  return now.filter((value) => value !== undefined);
}

/** A subtype is indexed, and follows, as the type above it. */
function linksOf(type: AttributeType, links: readonly Link[]): readonly Link[] {
  return links.filter((link) => link.type.family.includes(type));
}

/** What takes the place of a value that names somebody who moves; nothing for a value that stays. */
function movedOf({ moved }: Desk, type: AttributeType, value: Uint8Array): { readonly by: Uint8Array | undefined } | undefined {
  const normal = normalizer(type)(value);
  if (normal === undefined) return undefined;
  const mark = type.equality?.name === 'uniqueMemberMatch' ? normal.indexOf(identifierMark) : -1;
  const found = moved.get(formOf(mark < 0 ? normal : normal.subarray(0, mark)));
  if (found === undefined) return undefined;
  if (found.to === undefined) return { by: undefined };
  const behind = mark < 0 ? '' : (text(value) ?? '').slice((text(value) ?? '').lastIndexOf('#'));
  return { by: utf8(`${found.to.text}${behind}`) };
}

/** An attribute that has lost all of its values goes; one that a class requires keeps a value that names nobody. */
function keepRequired(schema: Schema, settings: EngineSettings, attributes: Attributes, lists: EditedLists): void {
  const isEmpty =
    [...attributes.values()].some(({ values }) => values.length === 0) || [...lists.values()].some(({ count }) => count === 0);
  if (!isEmpty) return;
  const classes = (attributes.get('objectclass')?.values ?? []).flatMap((value) => schema.objectClass(text(value) ?? '') ?? []);
  const isRequired = (key: string) => classes.some(({ must }) => must.some((type) => type.key === key));
  for (const [key, { description, values }] of attributes) {
    if (values.length > 0) continue;
    if (isRequired(key)) attributes.set(key, { description, values: [utf8(settings['ldap.referencesNothing'])] });
    else attributes.delete(key);
  }
  for (const [key, list] of lists) {
    if (list.count === 0 && isRequired(key)) list.add([utf8(settings['ldap.referencesNothing'])], false);
  }
}
