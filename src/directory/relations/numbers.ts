import { text, utf8 } from '#base';
import { refuse } from '#catalogue';
import type { EntryAttributes, Schema } from '#schema';
import type { Snapshot } from '#store';
import type { Engine } from '../engine.ts';
import { errors } from '../errors.ts';
import { changeOf, editedLists } from '../lists.ts';
import { realmOf } from '../realms.ts';
import { type Attributes, attributesOf } from '../record.ts';
import type { Decision } from '../write.ts';

/** Numbers of Unix accounts and groups that are given out: where the next one is kept, and where they begin. */
const numbers = [
  { name: 'uidNumber', counter: 'stsNextUidNumber', floor: 'ldap.uidNumberFloor', classes: ['posixAccount'] },
  { name: 'gidNumber', counter: 'stsNextGidNumber', floor: 'ldap.gidNumberFloor', classes: ['posixAccount', 'posixGroup'] },
] as const;

export type WantedNumber = (typeof numbers)[number];

/** The greatest that all systems take: a signed number of four octets. */
const numberMax = 2_147_483_647;

/** The numbers that an entry needs by its classes and does not have; not those that it needed `before` already. */
export function missingNumbers(schema: Schema, attributes: EntryAttributes, before?: EntryAttributes): readonly WantedNumber[] {
  const classes = classesOf(schema, attributes);
  if (classes.size === 0) return [];
  const were = before === undefined ? new Set<string>() : classesOf(schema, before);
  return numbers.filter(({ name, classes: needing }) => {
    const isNeeded = needing.some((each) => classes.has(each)) && !needing.some((each) => were.has(each));
    return isNeeded && !attributes.has(name.toLowerCase());
  });
}

function classesOf(schema: Schema, attributes: EntryAttributes): ReadonlySet<string> {
  const values = attributes.get('objectclass')?.values ?? [];
  const names = values.flatMap((value) => schema.objectClass(text(value) ?? '')?.lineage.map(({ name }) => name) ?? []);
  return new Set(names.filter((name) => name === 'posixAccount' || name === 'posixGroup'));
}

/** Puts a number in the place of each that is missing: one to be checked with, or those that were given out. */
export function withNumbers(attributes: Attributes, missing: readonly WantedNumber[], given?: readonly number[]): void {
  missing.forEach(({ name }, at) => {
    attributes.set(name.toLowerCase(), { description: name, values: [utf8(String(given?.[at] ?? 0))] });
  });
}

/** Numbers, and what a write that gives them does besides. */
export interface GivenNumbers extends Pick<Decision, 'expected' | 'changes'> {
  readonly given: readonly number[];
  readonly line: string | undefined;
}

/**
 * Gives out the next free numbers, which nobody of any realm has. Where the next search begins is kept at the suffix of the realm and written in the same commit, so that no number is given out
 * twice, whatever happens, nor again when its entry is gone.
 *
 * @param dnKey  of the entry that needs them
 * @returns the numbers, and what the write expects and changes first: so those who are given numbers stand in the line of the suffix
 * @throws Refusal `numbersExhausted` (LDAP unwillingToPerform)
 */
export function giveNumbers(
  engine: Pick<Engine, 'schema' | 'realms' | 'csn'>,
  snapshot: Snapshot,
  missing: readonly WantedNumber[],
  dnKey: Uint8Array,
): GivenNumbers {
  if (missing.length === 0) return { given: [], line: undefined, expected: [], changes: [] };
  const { schema } = engine;
  const realm = realmOf(engine, snapshot, dnKey);
  const suffix = realm && snapshot.byDnKey(realm.suffix.key);
  if (realm === undefined || suffix === undefined) throw refuse(errors.numbersExhausted, { attribute: missing[0]?.name ?? '' });
  const attributes = attributesOf(schema, suffix);
  const expected: Decision['expected'][number][] = [{ kind: 'unchanged', uuid: suffix.uuid, csn: suffix.csn }];
  const given = missing.map(({ name, counter, floor }) => {
    const from = Math.max(Number(text(attributes.get(counter.toLowerCase())?.values[0] ?? utf8('0')) ?? 0), realm.settings[floor]);
    const number = freeFrom(schema, snapshot, name, from);
    attributes.set(counter.toLowerCase(), { description: counter, values: [utf8(String(number + 1))] });
    expected.push({ kind: 'held', attribute: name.toLowerCase(), key: keyOf(schema, name, number), by: [] });
    return number;
  });
  const csn = engine.csn.next();
  attributes.set('entrycsn', { description: 'entryCSN', values: [utf8(csn)] });
  const place = { uuid: suffix.uuid, parent: suffix.parent, name: { dn: [], text: suffix.dn, key: suffix.dnKey }, csn };
  const { change } = changeOf(schema, place, attributes, editedLists(schema, snapshot, suffix), suffix);
  return { given, line: suffix.uuid, expected, changes: [change] };
}

function keyOf(schema: Schema, name: string, number: number): Uint8Array {
  const key = schema.attributeType(name)?.equality?.assertion(utf8(String(number)));
  if (key === undefined) throw new Error(`${name} has no key for ${number}`);
  return key;
}

/** A number that nobody has, behind one that somebody has or the first: found in steps that double, since many may be taken in a row. */
function freeFrom(schema: Schema, snapshot: Snapshot, name: string, from: number): number {
  const isTaken = (number: number) => snapshot.idsEqual(name.toLowerCase(), keyOf(schema, name, number), 1).length > 0;
  let taken = from - 1;
  let free = from;
  for (let step = 1; isTaken(free); step *= 2) {
    taken = free;
    free += step;
  }
  while (free - taken > 1) {
    const middle = taken + Math.floor((free - taken) / 2);
    if (isTaken(middle)) taken = middle;
    else free = middle;
  }
  if (free > numberMax) throw refuse(errors.numbersExhausted, { attribute: name });
  return free;
}
