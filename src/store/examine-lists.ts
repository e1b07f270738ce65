import type Database from 'better-sqlite3';
import type { AttributeNumbers } from './attributes.ts';
import type { ExamineOptions, ListedValues } from './examine.ts';
import { type Key, textOfKey } from './keys.ts';
import { isDiskError } from './reasons.ts';
import { type List, noLists, type Placed, readableLists, sliceOf, sliceReader } from './slices.ts';
import type { StoredEntry } from './types.ts';

interface PlaceRow extends Key {
  readonly id: number;
  readonly place: number;
}

/** Holds lists of entries against their slices and the index rows that lead there, and at last these against the lists. */
export function listExaminer(database: Database.Database, attributes: AttributeNumbers, compared: boolean, options: ExamineOptions) {
  const { large, tell } = options;
  const slices = sliceReader(database);
  const placeOf = database
    .prepare<[number, Uint8Array, number], number | null>('SELECT place FROM found WHERE attribute = ? AND key = ? AND id = ?')
    .pluck();
  const named = new Set<number>();
  let led = 0;

  const read = (entry: StoredEntry, list: List): readonly Placed[] => {
    try {
      return [...slices.values(list)];
    } catch (error) {
      if (isDiskError(error)) throw error;
      tell({ kind: 'value', what: `${entry.dn}: its values of ${list.description} cannot be read` });
      return [];
    }
  };

  return {
    /**
     * @param own  keys that the entry has besides: their rows were counted
     * @returns the values of its lists, and how many rows that were not counted yet lead to them
     */
    examine(entry: StoredEntry, own: ReadonlyMap<string, Key>): { readonly values: readonly ListedValues[]; readonly standing: number } {
      let standing = 0;
      const values = entry.large.map((list) => {
        named.add(list.number);
        const placed = read(entry, list);
        const octets = placed.reduce((sum, value) => sum + value.octets.length, 0);
        if (placed.length !== list.count || octets !== list.octets) {
          const wrong = `it has ${placed.length} values of ${list.description}, in ${octets} octets`;
          tell({ kind: 'value', what: `${entry.dn}: ${wrong}, and says that it has ${list.count}, in ${list.octets}` });
        }
        if (placed.some(({ place }) => sliceOf(place) > list.last))
          tell({ kind: 'value', what: `${entry.dn}: the next value of ${list.description} would be written over others` });
        if (compared) standing += examineKeys(entry, list, placed, own);
        return { description: list.description, values: placed.map((value) => value.octets) };
      });
      return { values, standing };
    },

    /** To be called when all entries were examined. */
    finish(): void {
      const rows = database.prepare<[], number>('SELECT count(*) FROM found WHERE place IS NOT NULL').pluck().get() ?? 0;
      if (compared && rows > led) tellExtra();
      const lost = new Set<number>();
      for (const number of slices.numbers()) if (!named.has(number)) lost.add(number);
      for (const number of lost) tell({ kind: 'value', what: `values of list ${number} are there, and no entry names it` });
    },
  };

  function examineKeys(entry: StoredEntry, list: List, placed: readonly Placed[], own: ReadonlyMap<string, Key>): number {
    const attribute = attributes.find(list.attribute) ?? 0;
    let standing = 0;
    for (const { place, octets } of placed) {
      const key = large.keyOf(list.attribute, octets);
      const found = key && placeOf.get(attribute, key, entry.id);
      if (key === undefined) tell({ kind: 'value', what: `${entry.dn}: a value of ${list.description} cannot be read` });
      else if (found === undefined)
        tell({ kind: 'index', what: `${entry.dn}: it is not found by ${list.attribute}, as an index row is missing` });
      else {
        if (!own.has(textOfKey({ attribute, key }))) standing++;
        if (found === place) led++;
        else tell({ kind: 'index', what: `${entry.dn}: an index row of ${list.attribute} leads to another place than its value has` });
      }
    }
    return standing;
  }

  /** A slice that cannot be read has no values; that it cannot was told. */
  function valueAt(list: List, place: number): Uint8Array | undefined {
    try {
      return slices.valueAt(list, place);
    } catch (error) {
      if (isDiskError(error)) throw error;
      return undefined;
    }
  }

  /** Rows that lead to a place where no such value is. */
  function tellExtra(): void {
    const rows = database.prepare<[], PlaceRow>('SELECT attribute, key, id, place FROM found WHERE place IS NOT NULL');
    const entry = database.prepare<[number], { dn: string; large: string | null }>('SELECT dn, large FROM entry WHERE id = ?');
    for (const { attribute, key, id, place } of rows.iterate()) {
      const its = entry.get(id);
      const lists = its === undefined ? noLists : (readableLists(its.large) ?? noLists);
      const list = lists.find((each) => attributes.find(each.attribute) === attribute);
      const value = list && valueAt(list, place);
      const own = list && value && large.keyOf(list.attribute, value);
      if (own !== undefined && Buffer.compare(own, key) === 0) continue;
      tell({
        kind: 'index',
        what: `${its?.dn ?? 'an entry that is not there'}: an index row leads to a place of its values where there is no such value`,
      });
    }
  }
}
