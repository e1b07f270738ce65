import type Database from 'better-sqlite3';
import type { ExamineOptions } from './examine.ts';
import { examineChanges } from './examine-changes.ts';
import type { NewestEntry } from './examine-index.ts';
import { byUuid, epochFormat, listsFormat, newestNoted, placeOf, placesFormat, uuidKey } from './format.ts';
import { decodeListChanges } from './lists.ts';
import { versionOf } from './migrate.ts';
import { isDiskError } from './reasons.ts';
import { listsIn, sliceReader } from './slices.ts';
import type { Change, EntryRecord, LargeRules } from './types.ts';

interface Newest {
  readonly uuid: string;
  readonly number: number;
  readonly part: number;
  readonly kind: Change['kind'];
}

/**
 * Holds the change log against itself and against the entries: numbers follow each other without a gap, and so do the parts of a commit; every change can be
 * read, and was made of what the one before it left; what the newest change of an entry says is what is there. A directory always has a newest change,
 * and an epoch. Where the log begins nobody can say: its oldest changes are forgotten (`persistence.commitsMax`, an import).
 *
 * @param entry  the one with the newest entryCSN
 * @returns how many changes the log has
 */
export function examineLog(database: Database.Database, entry: NewestEntry | undefined, options: ExamineOptions): number {
  const { tell } = options;
  let before: number | undefined;
  let changes = 0;
  for (const { number, parts, last } of commitsOf(database)) {
    if (before !== undefined && number !== before + 1) {
      const gap = number === before + 2 ? `change ${before + 1} is` : `changes ${before + 1} to ${number - 1} are`;
      tell({ kind: 'log', what: `the change log has a gap: ${gap} missing` });
    }
    if (parts !== last + 1) tell({ kind: 'log', what: `the change log has only ${parts} of ${last + 1} parts of change ${number}` });
    before = number;
    changes += parts;
  }
  if (changes === 0 && database.prepare('SELECT 1 FROM entry LIMIT 1').get() !== undefined)
    tell({ kind: 'log', what: 'the change log is empty: the numbers of changes would begin anew' });
  if (!hasEpoch(database)) tell({ kind: 'log', what: 'the epoch cannot be read: what a restore has ended could count again' });
  const newestCsn = examineChanges(database, options);
  if (before !== undefined) examineEnd(database, { number: before, csn: newestCsn }, entry, tell);
  examineNames(database, tell);
  examineNewest(database, options);
  return changes;
}

/** The newest changes are there: as many as the last orderly end of the service counted, those that wrote the entries, those of which grams are pending. */
function examineEnd(
  database: Database.Database,
  { number, csn }: { readonly number: number; readonly csn: string | undefined },
  entry: NewestEntry | undefined,
  tell: ExamineOptions['tell'],
): void {
  const ends = (why: string) =>
    tell({ kind: 'log', what: `the change log has lost its newest changes: it ends with ${number}, and ${why}` });
  const noted = Number(database.prepare<[string], string>('SELECT value FROM fact WHERE name = ?').pluck().get(newestNoted) ?? 0);
  if (noted > number) ends(`the service had written ${noted}`);
  else if (entry !== undefined && csn !== undefined && entry.csn > csn) ends(`${entry.dn} has the entryCSN of a later one`);
}

/** Each change names the entry as the one before it left it. */
function examineNames(database: Database.Database, tell: ExamineOptions['tell']): void {
  const version = versionOf(database);
  if (version < epochFormat) return;
  const order = version < placesFormat ? 'number, part' : 'place';
  const others = database.prepare<[], { readonly number: number; readonly uuid: string }>(
    `SELECT number, uuid FROM (
       SELECT number, uuid, former, row_number() OVER entries AS at, lag(kind) OVER entries AS earlier, lag(dn) OVER entries AS dn
       FROM change WINDOW entries AS (PARTITION BY uuid ORDER BY ${order})
     ) WHERE at > 1 AND earlier IN ('put', 'amend', 'delete') AND former IS NOT dn`,
  );
  for (const { number, uuid } of others.iterate())
    tell({ kind: 'log', what: `change ${number} of entry ${uuid} was made of another state than the change before it left` });
}

/** Whether the epoch is a number; a file of the first format has none yet. */
function hasEpoch(database: Database.Database): boolean {
  if (versionOf(database) < epochFormat) return true;
  return /^[1-9]\d*$/.test(database.prepare<[], string>("SELECT value FROM fact WHERE name = 'epoch'").pluck().get() ?? '');
}

/** The commits of the log in their order, each with how many parts it has and the last of them. */
function* commitsOf(database: Database.Database): Generator<{ readonly number: number; readonly parts: number; readonly last: number }> {
  const order = versionOf(database) < placesFormat ? 'number, part' : 'place';
  const rows = database.prepare<[], { number: number; part: number }>(`SELECT number, part FROM change ORDER BY ${order}`);
  let commit: { readonly number: number; readonly parts: number; readonly last: number } | undefined;
  for (const { number, part } of rows.iterate()) {
    if (commit !== undefined && commit.number !== number) yield commit;
    commit = { number, parts: commit?.number === number ? commit.parts + 1 : 1, last: part };
  }
  if (commit !== undefined) yield commit;
}

/** In SQL, that a change is the one of a given number and part. */
function isPlaced(database: Database.Database): string {
  return versionOf(database) < placesFormat ? 'number = ? AND part = ?' : `place = ${placeOf}`;
}

function examineNewest(database: Database.Database, options: ExamineOptions): void {
  const { tell } = options;
  const sameLists = listComparer(database, options);
  // SQLite takes the bare columns of the row that has the maximum. A commit has far fewer parts than the factor.
  const newest = database.prepare<[], Newest>('SELECT uuid, number, part, kind, max(number * 1000000000 + part) FROM change GROUP BY uuid');
  const find = database.prepare<[number, Uint8Array], number>('SELECT id FROM found WHERE attribute = ? AND key = ? LIMIT 1').pluck();
  const scan = database.prepare<[string], number>('SELECT id FROM entry WHERE uuid = ? LIMIT 1').pluck();
  const there = database.prepare<[number, string], number>('SELECT id FROM entry WHERE id = ? AND uuid = ?').pluck();
  const same = database
    .prepare<[number, number, number], number>(
      `SELECT 1 FROM change c JOIN entry e ON e.id = ? WHERE ${isPlaced(database)} AND c.csn = e.csn AND c.parent IS e.parent AND c.dn = e.dn
       AND c.dn_key = e.dn_key AND c.user = e.user AND c.operational = e.operational AND c.secret = e.secret`,
    )
    .pluck();
  for (const { uuid, number, part, kind } of newest.iterate()) {
    const key = uuidKey(uuid);
    const found = key === undefined ? undefined : find.get(byUuid, key);
    const indexed = found === undefined ? undefined : there.get(found, uuid);
    // What is deleted has no index row; only where one is missing the entries are read through.
    const id = indexed ?? (kind === 'delete' ? undefined : scan.get(uuid));
    if (kind === 'delete' && id !== undefined) {
      tell({ kind: 'log', what: `change ${number} deleted entry ${uuid}, and it is there` });
    } else if (kind !== 'delete' && id === undefined) {
      tell({ kind: 'log', what: `change ${number} wrote entry ${uuid}, and it is not there` });
    } else if (kind !== 'delete' && id !== undefined && !(sameLists(id, number, part) ?? same.get(id, number, part) !== undefined)) {
      tell({ kind: 'log', what: `change ${number} wrote entry ${uuid} otherwise than it is there` });
    }
  }
}

/** A change of an entry with lists and what it wrote. */
interface Written extends Omit<EntryRecord, 'parent'> {
  readonly kind: Change['kind'];
  readonly lists: Uint8Array | null;
}

/** Holds a change against the entry where that has lists: nothing for one without. What cannot be read is not the same. */
function listComparer(
  database: Database.Database,
  { large }: ExamineOptions,
): (id: number, number: number, part: number) => boolean | undefined {
  const compare = strictComparer(database, large);
  return (id, number, part) => {
    try {
      return compare(id, number, part);
    } catch (error) {
      if (isDiskError(error)) throw error;
      return false;
    }
  };
}

/** @throws Error for values, or a change, that cannot be read */
function strictComparer(database: Database.Database, large: LargeRules): (id: number, number: number, part: number) => boolean | undefined {
  if (versionOf(database) < listsFormat) return () => undefined;
  const slices = sliceReader(database);
  const columns = 'uuid, dn, dn_key AS dnKey, csn, user, operational, secret';
  const entryAt = database.prepare<[number], Omit<Written, 'kind' | 'lists'> & { readonly large: string | null }>(
    `SELECT ${columns}, large FROM entry WHERE id = ?`,
  );
  const changeAt = database.prepare<[number, number], Written>(`SELECT ${columns}, kind, lists FROM change WHERE ${isPlaced(database)}`);
  return (id, number, part) => {
    const entry = entryAt.get(id);
    if (entry === undefined || entry.large === null) return undefined;
    const change = changeAt.get(number, part);
    if (change === undefined) return false;
    const held = listsIn(entry.large);
    const split = change.kind === 'put' ? large.split({ ...change, parent: undefined }) : undefined;
    if (textOf(split?.entry ?? change) !== textOf(entry)) return false;
    const valuesOf = (attribute: string) => {
      const list = held.find((each) => each.attribute === attribute);
      return new Set(list === undefined ? [] : [...slices.values(list)].map(({ octets }) => hexOf(octets)));
    };
    if (split !== undefined) {
      return split.lists.every(({ attribute, values }) => {
        const own = valuesOf(attribute);
        return own.size === values.length && values.every(({ octets }) => own.has(hexOf(octets)));
      });
    }
    return decodeListChanges(change.lists ?? Buffer.alloc(0)).every(({ attribute, added, removed }) => {
      const own = valuesOf(attribute);
      const there = new Set(added.map(hexOf));
      return added.every((value) => own.has(hexOf(value))) && removed.every((value) => there.has(hexOf(value)) || !own.has(hexOf(value)));
    });
  };
}

function textOf({ uuid, dn, dnKey, csn, user, operational, secret }: Omit<EntryRecord, 'parent'>): string {
  return [uuid, dn, csn, ...[dnKey, user, operational, secret].map(hexOf)].join();
}

function hexOf(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('hex');
}
