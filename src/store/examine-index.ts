import type Database from 'better-sqlite3';
import type { AttributeNumbers } from './attributes.ts';
import type { ExamineOptions, Superior } from './examine.ts';
import { examineGrams } from './examine-grams.ts';
import { listExaminer } from './examine-lists.ts';
import { byDn, byParent, byUuid, firstNumber, listsFormat, uuidKey } from './format.ts';
import { GramSort } from './gram-sort.ts';
import { givenKeys, insideKeys, type Key, keySet, ownKeys, textOfKey } from './keys.ts';
import { versionOf } from './migrate.ts';
import { isDiskError } from './reasons.ts';
import { noLists, readableLists } from './slices.ts';
import type { StoredEntry } from './types.ts';

type Row = Omit<StoredEntry, 'parent' | 'large'> & { readonly parent: string | null; readonly large: string | null };
type KeyRow = Key & { readonly id: number };
type Keys = ReadonlyMap<string, Key>;

const columns = 'id, uuid, parent, dn, dn_key AS dnKey, csn, user, operational, secret, large';
/** Of a file whose format has no lists. */
const columnsBefore = columns.replace('large', 'NULL AS large');
/** How many superiors, and how many keys of entries, are remembered at a time. */
const superiorsMax = 10_000;
const keysMax = 200_000;
const progressEntries = 256;
const gramsMib = 64;

/** The entry that was changed last, by its entryCSN. */
export type NewestEntry = Pick<StoredEntry, 'dn' | 'csn'>;

/** What of the index was looked at. */
export interface IndexExamined {
  readonly newest: NewestEntry | undefined;
  readonly entries: number;
  readonly indexRows: number;
  readonly indexCompared: boolean;
}

/**
 * Reads every entry once: has it judged, looks up each row that must lead to it, and counts. Rows beyond those are looked for only when
 * the count says that there are some.
 */
export function examineIndex(database: Database.Database, attributes: AttributeNumbers, options: ExamineOptions): IndexExamined {
  const { judge, tell, onProgress } = options;
  const hasLists = versionOf(database) >= listsFormat;
  const statements = statementsOf(database, hasLists ? columns : columnsBefore);
  const compared = statements.fact.get('indexVersion') === options.indexVersion;
  const keysOf = keysReader(attributes, compared ? options.indexer : () => []);
  const lists = hasLists ? listExaminer(database, attributes, compared, options) : undefined;
  const nameOf = namesOf(database);
  const superiorOf = superiorReader(statements);
  const total = statements.entries.get() ?? 0;
  using grams = new GramSort(gramsMib);
  const unknown = new Set<number>();
  let [entries, standing] = [0, 0];
  let newest: NewestEntry | undefined;

  for (const row of statements.all.iterate()) {
    const entry = entryIn(row);
    if (newest === undefined || entry.csn > newest.csn) newest = { dn: entry.dn, csn: entry.csn };
    if (readableLists(row.large) === undefined)
      tell({ kind: 'value', what: `${entry.dn}: what it says of its large attributes cannot be read` });
    const keys = keysOf(entry, grams);
    const listed = entry.large.length === 0 ? undefined : lists?.examine(entry, keys);
    standing += listed?.standing ?? 0;
    for (const damage of judge(entry, superiorOf(entry.parent), listed?.values ?? [])) tell(damage);
    if (keys.size === 0) unknown.add(entry.id);
    for (const { attribute, key } of keys.values()) {
      if (statements.has.get(attribute, key, entry.id) === undefined) {
        tell({ kind: 'index', what: `${entry.dn}: it is not found by ${nameOf(attribute)}, as an index row is missing` });
      } else standing++;
    }
    if (++entries % progressEntries === 0) onProgress?.(entries, total);
  }
  lists?.finish();
  // Names that no entry ever had a key under have no number, so a missing one has no row either.
  const indexRows = statements.rows.get(compared ? Number.MAX_SAFE_INTEGER : firstNumber) ?? 0;
  if (indexRows > standing || unknown.size > 0) tellExtra(statements, compared, keysOf, nameOf, tell, hasLists);
  if (compared) examineGrams(database, { expected: grams, unknown, nameOf, tell });
  for (const attribute of [byDn, byUuid]) {
    for (const id of statements.shared.iterate(attribute)) {
      tell({ kind: 'identity', what: `${statements.entry.get(id)?.dn ?? id}: another entry has its ${nameOf(attribute)}` });
    }
  }
  return { newest, entries, indexRows, indexCompared: compared };
}

/** The rows that lead to nothing, or to an entry without that key. */
function tellExtra(
  statements: ReturnType<typeof statementsOf>,
  compared: boolean,
  keysOf: KeysReader,
  nameOf: (attribute: number) => string,
  tell: ExamineOptions['tell'],
  hasLists: boolean,
): void {
  const known = new Map<number, { readonly dn: string; readonly keys: Keys } | undefined>();
  let held = 0;
  for (const { id, ...key } of statements.found(hasLists).iterate(compared ? Number.MAX_SAFE_INTEGER : firstNumber)) {
    if (!known.has(id)) {
      const row = statements.entry.get(id);
      const keys = row === undefined ? undefined : keysOf(entryIn(row));
      if (held > keysMax) {
        known.clear();
        held = 0;
      }
      held += 1 + (keys?.size ?? 0);
      known.set(id, row === undefined || keys === undefined ? undefined : { dn: row.dn, keys });
    }
    const entry = known.get(id);
    // An entry that cannot be decoded is told already; nobody knows its keys.
    if (entry !== undefined && (entry.keys.size === 0 || entry.keys.has(textOfKey(key)))) continue;
    const leads = entry === undefined ? 'an entry that is not there' : `${entry.dn}, which has no such value`;
    tell({ kind: 'index', what: `an index row of ${nameOf(key.attribute)} leads to ${leads}` });
  }
}

/** Keys of an entry by their texts; none at all when it cannot be decoded. Those that it is found by the inside of go to `grams`. */
type KeysReader = (entry: StoredEntry, grams?: GramSort) => Keys;

function keysReader(attributes: AttributeNumbers, indexer: ExamineOptions['indexer']): KeysReader {
  return (entry, grams) => {
    if ([entry.uuid, ...(entry.parent === undefined ? [] : [entry.parent])].some((uuid) => uuidKey(uuid) === undefined)) return new Map();
    try {
      const given = givenKeys(indexer(entry), (name) => attributes.find(name) ?? 0);
      for (const { attribute, inside } of insideKeys(given)) grams?.add(attribute, entry.id, inside);
      return keySet([...ownKeys(entry), ...given]);
    } catch (error) {
      if (isDiskError(error)) throw error;
      return new Map();
    }
  };
}

/** Finds a superior by the index, and where that fails by reading all entries: a missing row is another damage than a missing entry. */
function superiorReader(statements: ReturnType<typeof statementsOf>): (uuid: string | undefined) => Superior | 'absent' | undefined {
  const known = new Map<string, Superior | 'absent'>();
  return (uuid) => {
    if (uuid === undefined) return undefined;
    const before = known.get(uuid);
    if (before !== undefined) return before;
    const key = uuidKey(uuid);
    const id = key === undefined ? undefined : statements.byKey.get(byUuid, key);
    const superior = (id === undefined ? undefined : statements.name.get(id)) ?? statements.nameByUuid.get(uuid) ?? 'absent';
    if (known.size >= superiorsMax) known.clear();
    known.set(uuid, superior);
    return superior;
  };
}

function namesOf(database: Database.Database): (attribute: number) => string {
  const names = new Map<number, string>([
    [byDn, 'name'],
    [byParent, 'superior'],
    [byUuid, 'entryUUID'],
  ]);
  const rows = database.prepare<[], { number: number; name: string }>('SELECT number, name FROM attribute').all();
  for (const { number, name } of rows) names.set(number, name);
  return (attribute) => names.get(attribute) ?? 'an attribute that is not known';
}

function entryIn({ parent, large, ...row }: Row): StoredEntry {
  return { ...row, parent: parent ?? undefined, large: readableLists(large) ?? noLists };
}

function statementsOf(database: Database.Database, columns: string) {
  const pluck = <Parameters extends unknown[], Result>(query: string) => database.prepare<Parameters, Result>(query).pluck();
  return {
    fact: pluck<[string], string>('SELECT value FROM fact WHERE name = ?'),
    entries: pluck<[], number>('SELECT count(*) FROM entry'),
    all: database.prepare<[], Row>(`SELECT ${columns} FROM entry ORDER BY id`),
    entry: database.prepare<[number], Row>(`SELECT ${columns} FROM entry WHERE id = ?`),
    name: database.prepare<[number], Superior>('SELECT dn, dn_key AS dnKey FROM entry WHERE id = ?'),
    nameByUuid: database.prepare<[string], Superior>('SELECT dn, dn_key AS dnKey FROM entry WHERE uuid = ? LIMIT 1'),
    has: pluck<[number, Uint8Array, number], number>('SELECT 1 FROM found WHERE attribute = ? AND key = ? AND id = ?'),
    byKey: pluck<[number, Uint8Array], number>('SELECT id FROM found WHERE attribute = ? AND key = ? LIMIT 1'),
    rows: pluck<[number], number>('SELECT count(*) FROM found WHERE attribute < ?'),
    // Rows that lead to places are held against their lists.
    found: (hasLists: boolean) =>
      database.prepare<[number], KeyRow>(
        `SELECT attribute, key, id FROM found WHERE attribute < ? ${hasLists ? 'AND place IS NULL' : ''} ORDER BY attribute, key, id`,
      ),
    shared: pluck<[number], number>('SELECT max(id) FROM found WHERE attribute = ? GROUP BY key HAVING count(*) > 1'),
  };
}
