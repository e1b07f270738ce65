import type Database from 'better-sqlite3';
import { compareBytes } from '#base';
import type { AttributeNumbers } from './attributes.ts';
import { type Key, textOfKey } from './keys.ts';
import { isDiskError } from './reasons.ts';
import { type RowNumbers, rowNumbersOf } from './row-numbers.ts';
import { type List, type Placed, sliceReader, sliceWriter } from './slices.ts';
import type { LargeRules, ListChange } from './types.ts';

/** Keys that an entry has by its own attributes, by their texts: it goes on being found by these whatever becomes of its lists. */
type OwnKeys = ReadonlyMap<string, Key>;

/** A list as it is to be made. */
type Fresh = ReturnType<LargeRules['split']>['lists'][number];

/** So many values are as much work as an entry. */
const stepValues = 4;

/** Changes of lists together with the index rows that lead to their values, each to be called within a write transaction. */
export function listsOf(
  database: Database.Database,
  attributes: AttributeNumbers,
  large: LargeRules,
  rows: RowNumbers = rowNumbersOf(database),
) {
  const reader = sliceReader(database);
  const slices = sliceWriter(database, rows);
  const placeOf = database
    .prepare<[number, Uint8Array, number], number | null>('SELECT place FROM found WHERE attribute = ? AND key = ? AND id = ?')
    .pluck();
  // An entry may have the value among its own attributes, too: then its row is there.
  const lead = database.prepare<[number, Uint8Array, number, number]>(
    `INSERT INTO found (attribute, key, id, place) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET place = excluded.place WHERE place IS NULL`,
  );
  const unlead = database.prepare<[number, Uint8Array, number]>('UPDATE found SET place = NULL WHERE attribute = ? AND key = ? AND id = ?');
  const unfind = database.prepare<[number, Uint8Array, number]>('DELETE FROM found WHERE attribute = ? AND key = ? AND id = ?');

  function index(id: number, number: number, key: Uint8Array, place: number): void {
    if (lead.run(number, key, id, place).changes === 0) throw new Error('a list has a value twice');
  }

  function unindex(id: number, key: Key, own: OwnKeys): void {
    const statement = own.has(textOfKey(key)) ? unlead : unfind;
    statement.run(key.attribute, key.key, id);
  }

  function keyOf(attribute: string, value: Uint8Array): Uint8Array {
    const key = large.keyOf(attribute, value);
    if (key === undefined) throw new Error(`a value without a key in a list: ${attribute}`);
    return key;
  }

  return {
    /** Writes the values of a new list. What leads to them is for `reindex`. */
    lay({ attribute, description, values }: Fresh): List {
      return slices.make(
        attribute,
        description,
        values.map(({ octets }) => octets),
      ).list;
    },

    *make(id: number, { attribute, description, values }: Fresh): Generator<undefined, List> {
      const { list, places } = slices.make(
        attribute,
        description,
        values.map(({ octets }) => octets),
      );
      const number = attributes.give(attribute);
      for (const [at, { key }] of values.entries()) {
        index(id, number, key, places[at] ?? 0);
        if (at % stepValues === 0) yield;
      }
      return list;
    },

    /** Makes the index rows of a list anew; none for what cannot be read, of which an examination tells. */
    reindex(id: number, list: List): void {
      const number = attributes.give(list.attribute);
      const rows: { readonly place: number; readonly key: Uint8Array }[] = [];
      for (const { place, octets } of readable(() => [...reader.values(list)])) {
        const key = large.keyOf(list.attribute, octets);
        if (key !== undefined) rows.push({ place, key });
      }
      // In the order of the index, so that its pages are not looked for at random.
      rows.sort((a, b) => compareBytes(a.key, b.key));
      for (const { place, key } of rows) lead.run(number, key, id, place);
    },

    *drop(id: number, list: List, own: OwnKeys): Generator<undefined, void> {
      const attribute = attributes.give(list.attribute);
      for (const values of reader.batches(list)) {
        for (const [at, { octets }] of values.entries()) {
          unindex(id, { attribute, key: keyOf(list.attribute, octets) }, own);
          if (at % stepValues === 0) yield;
        }
        slices.drop(list, values.at(-1)?.place);
      }
      slices.drop(list);
    },

    /** What is removed goes first: a value may be replaced by one that its rule calls equal. */
    *change(id: number, list: List, { removed, added }: ListChange, own: OwnKeys): Generator<undefined, List> {
      const attribute = attributes.give(list.attribute);
      let now = list;
      let at = 0;
      for (const value of removed) {
        if (at++ % stepValues === 0) yield;
        const key = keyOf(list.attribute, value);
        const place = placeOf.get(attribute, key, id);
        if (place === undefined || place === null) throw new Error(`no value to remove: ${list.attribute}`);
        now = slices.remove(now, place);
        unindex(id, { attribute, key }, own);
      }
      for (const value of added) {
        if (at++ % stepValues === 0) yield;
        const { list: after, place } = slices.add(now, value);
        index(id, attribute, keyOf(list.attribute, value), place);
        now = after;
      }
      return now;
    },
  };
}

function readable(read: () => readonly Placed[]): readonly Placed[] {
  try {
    return read();
  } catch (error) {
    if (isDiskError(error)) throw error;
    return [];
  }
}

/** So many fields of a change of lists are a small step. */
const stepFields = 256;

/** Octets in front of each field of a change of lists. */
const lengthOctets = 4;

/** Changes of lists as the log keeps them: for each list its attribute, its description, how many values are removed, these, and those that are added. */
export function* encodeListChanges(changes: readonly ListChange[]): Generator<undefined, Buffer> {
  const fields: Uint8Array[] = [];
  for (const { attribute, description, removed, added } of changes) {
    fields.push(Buffer.from(attribute), Buffer.from(description));
    for (const values of [removed, added]) {
      fields.push(Buffer.from(String(values.length)));
      for (const value of values) fields.push(value);
    }
  }
  let octets = 0;
  for (const field of fields) octets += lengthOctets + field.length;
  // One for all: there may be as many fields as a group has members.
  const encoded = Buffer.allocUnsafe(octets);
  let at = 0;
  for (const [nth, field] of fields.entries()) {
    if (nth % stepFields === stepFields - 1) yield;
    at = encoded.writeUInt32LE(field.length, at);
    encoded.set(field, at);
    at += field.length;
  }
  return encoded;
}

export function decodeListChanges(octets: Uint8Array): ListChange[] {
  const bytes = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  const changes: ListChange[] = [];
  let at = 0;
  const field = () => {
    const start = at + lengthOctets;
    at = start + bytes.readUInt32LE(at);
    return bytes.subarray(start, at);
  };
  const values = () => Array.from({ length: Number(field().toString()) }, () => new Uint8Array(field()));
  while (at < bytes.length) {
    const [attribute, description] = [field().toString(), field().toString()];
    changes.push({ attribute, description, removed: values(), added: values() });
  }
  return changes;
}
