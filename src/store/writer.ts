import type Database from 'better-sqlite3';
import { equalBytes } from '#base';
import type { AttributeNumbers } from './attributes.ts';
import { isDiskError } from './database.ts';
import { byDn, byParent, byUuid, cut, firstNumber, lastPlaceOf, newestNumber, partsMax, placeOf } from './format.ts';
import { GramBuilder } from './gram-builder.ts';
import { packMoved } from './gram-pending.ts';
import type { JustRead } from './just-read.ts';
import { givenKeys, type InsideKey, insideKeys, type Key, keyOfUuid, keySet, ownKeys } from './keys.ts';
import { encodeListChanges, listsOf } from './lists.ts';
import { type List, listsIn, textOfLists } from './slices.ts';
import type { Change, EntryRecord, Expectation, Indexer, LargeRules, ListChange, StoredEntry } from './types.ts';

type Row = Omit<StoredEntry, 'parent' | 'large'> & { readonly parent: string | null; readonly large: string | null };

type PutParameters = [
  uuid: string,
  parent: string | null,
  dn: string,
  dnKey: Uint8Array,
  csn: string,
  user: Uint8Array,
  operational: Uint8Array,
  secret: Uint8Array,
  large: string | null,
  id: number,
];

type ChangeParameters = [
  number: number,
  part: number,
  uuid: string,
  csn: string,
  kind: Change['kind'],
  parent: string | null,
  dn: string | null,
  dnKey: Uint8Array | null,
  user: Uint8Array | null,
  operational: Uint8Array | null,
  secret: Uint8Array | null,
  former: string | null,
  lists: Uint8Array | null,
];

/** Where a change stands in the log. */
interface Place {
  readonly number: number;
  readonly part: number;
}

/** How many entries are in memory at a time while indexes are made anew. */
const reindexRows = 500;

export type Writer = ReturnType<typeof writerOf>;

/**
 * Changes of the tables, each to be called within a write transaction.
 *
 * @param justRead  what the same thread has read since it was written last
 * @param touch   told the row number of each entry that is written or removed
 * @param pended  told of each row of grams that is left to be put in place
 */
export function writerOf(
  database: Database.Database,
  attributes: AttributeNumbers,
  indexer: Indexer,
  large: LargeRules,
  justRead: JustRead,
  touch: (id: number) => void,
  pended: () => void = () => undefined,
) {
  const statements = writeStatements(database);
  const lists = listsOf(database, attributes, large);
  // Row numbers are never used twice in the life of a process, so that a list of them cannot come to mean other entries.
  let nextId = (statements.lastId.get() ?? 0) + 1;

  const { entryOf, failed } = lookupsOf(statements, attributes, justRead);

  /** @returns the entry as it was; nothing for one that was not there */
  function put(place: Place, whole: EntryRecord): StoredEntry | undefined {
    const { entry, lists: fresh } = large.split(whole);
    const old = entryOf(entry.uuid);
    const id = old?.id ?? nextId++;
    checkName(id, entry, old);
    replaceKeys(place, id, old === undefined ? [] : keysOf(old, entry), keysOf(entry, old));
    for (const list of old?.large ?? []) lists.drop(id, list, keySet(keysOf(entry)));
    const made = fresh.map((each) => lists.make(id, each));
    write(id, old === undefined, entry, made);
    return old;
  }

  /** @returns the entry as it was */
  function amend(place: Place, entry: EntryRecord, changes: readonly ListChange[]): StoredEntry {
    const old = entryOf(entry.uuid);
    if (old === undefined) throw new Error(`no entry to amend: ${entry.uuid}`);
    if (changes.length !== old.large.length) throw new Error(`not every list of an entry is named: ${entry.uuid}`);
    const { id } = old;
    checkName(id, entry, old);
    replaceKeys(place, id, keysOf(old, entry), keysOf(entry, old));
    const own = keySet(keysOf(entry));
    const now = old.large.map((list) => {
      const change = changes.find(({ attribute }) => attribute === list.attribute);
      if (change === undefined) throw new Error(`a list of an entry is not named: ${list.attribute}`);
      return lists.change(id, list, change, own);
    });
    write(id, false, entry, now);
    return old;
  }

  function checkName(id: number, { dn, dnKey }: EntryRecord, old: StoredEntry | undefined): void {
    if (dnKey.length === 0) throw new Error('an entry without a name');
    if (old !== undefined && equalBytes(old.dnKey, dnKey)) return;
    const holder = statements.find.get(byDn, dnKey);
    if (holder !== undefined && holder !== id) throw new Error(`two entries of one name: ${dn}`);
  }

  function write(id: number, isNew: boolean, entry: EntryRecord, its: readonly List[]): void {
    const { uuid, parent, dn, dnKey, csn, user, operational, secret } = entry;
    const columns: PutParameters = [uuid, parent ?? null, dn, dnKey, csn, user, operational, secret, textOfLists(its), id];
    if (isNew) statements.insert.run(...columns);
    else statements.update.run(...columns);
    justRead.drop(uuid);
    touch(id);
  }

  function remove(place: Place, uuid: string): StoredEntry {
    const old = entryOf(uuid);
    if (old === undefined) throw new Error(`no entry to delete: ${uuid}`);
    replaceKeys(place, old.id, keysOf(old), []);
    for (const list of old.large) lists.drop(old.id, list, new Map());
    statements.delete.run(old.id);
    justRead.drop(uuid);
    touch(old.id);
    return old;
  }

  /** All that an entry is found by, the store's own keys first; beside another state of it only what may differ from that one's. */
  function keysOf(entry: EntryRecord, other?: EntryRecord): Key[] {
    const given = givenKeys(indexer(entry, other), attributes.give);
    const moved = other === undefined || other.parent !== entry.parent || !equalBytes(other.dnKey, entry.dnKey);
    return moved ? [...ownKeys(entry), ...given] : given;
  }

  function replaceKeys({ number, part }: Place, id: number, before: readonly Key[], after: readonly Key[]): void {
    if (before.length === 0 && after.length === 0) return;
    const stale = keySet(before);
    const fresh = keySet(after);
    for (const [text, { attribute, key }] of stale) if (!fresh.has(text)) statements.unfind.run(attribute, key, id);
    for (const [text, { attribute, key }] of fresh) if (!stale.has(text)) statements.index.run(attribute, key, id);
    const moved = packMoved(insideKeys(before), insideKeys(after));
    if (moved === undefined) return;
    statements.pend.run(number, part, id, moved);
    pended();
  }

  /** Makes the index rows of an entry anew, and a list of what has become too many values by another version of the rules. */
  function anew(whole: StoredEntry, grams: GramBuilder): void {
    const { entry, lists: fresh } = large.split(whole);
    const keys = keysOf(entry);
    for (const { attribute, key } of keySet(keys).values()) {
      if (attribute >= firstNumber) statements.index.run(attribute, key, whole.id);
    }
    for (const { attribute, inside } of insideKeys(keys)) grams.add(attribute, whole.id, inside);
    for (const list of whole.large) lists.reindex(whole.id, list);
    if (fresh.length > 0) write(whole.id, false, entry, [...whole.large, ...fresh.map((each) => lists.make(whole.id, each))]);
  }

  function applied(place: Place, change: Change): StoredEntry | undefined {
    switch (change.kind) {
      case 'put':
        return put(place, change.entry);
      case 'amend':
        return amend(place, change.entry, change.lists);
      case 'delete':
        return remove(place, change.uuid);
    }
  }

  return {
    failed,

    /** The number of the newest commit. */
    lastNumber: (): number => statements.lastNumber.get() ?? 0,

    /**
     * Writes a commit's changes, its index rows and its part of the change log.
     *
     * @returns each entry as it was before its change; throws for changes that cannot be, and the caller rolls back
     */
    write(number: number, changes: readonly Change[]): (StoredEntry | undefined)[] {
      if (changes.length > partsMax) throw new Error(`${changes.length} changes in one commit`);
      return changes.map((change, part) => {
        const before = applied({ number, part }, change);
        statements.log.run(...logged(number, part, change, before?.dn));
        return before;
      });
    },

    /** Forgets the oldest of the change log, so that `commitsMax` commits stay. */
    trim(number: number, commitsMax: number): void {
      statements.trim.run(number - commitsMax);
    },

    /** Makes all rows of the named attributes anew from the entries, and notes by which version of the indexer. */
    reindex(version: string): void {
      statements.forget.run(firstNumber);
      statements.forgetNames.run();
      statements.forgetGrams.run();
      statements.forgetPending.run();
      attributes.reload();
      using grams = new GramBuilder();
      let rows = statements.some.all(0, reindexRows);
      for (; rows.length > 0; rows = statements.some.all(rows.at(-1)?.id ?? 0, reindexRows)) {
        for (const row of rows) anew(entryIn(row), grams);
      }
      grams.write(database);
      statements.note.run('indexVersion', version);
    },

    /** The keys by whose inside an entry is found; none for one that is gone, nothing when its octets cannot be read. */
    insideKeysNow(id: number): readonly InsideKey[] | undefined {
      const row = statements.entry.get(id);
      if (row === undefined) return [];
      try {
        return insideKeys(keysOf(entryIn(row)));
      } catch (error) {
        if (isDiskError(error)) throw error;
        return undefined;
      }
    },

    indexVersion: (): string | undefined => statements.fact.get('indexVersion'),

    epoch: (): number => Number(statements.fact.get('epoch')),
  };
}

/** What a commit asks before it writes. */
function lookupsOf(statements: ReturnType<typeof writeStatements>, attributes: Pick<AttributeNumbers, 'find'>, justRead: JustRead) {
  /** The first expectation that does not hold. */
  function failed(expected: readonly Expectation[]): Expectation | undefined {
    return expected.find((expectation) => !holds(expectation));
  }

  function holds(expectation: Expectation): boolean {
    switch (expectation.kind) {
      case 'unchanged':
        return csnOf(expectation.uuid) === expectation.csn;
      case 'absent':
        return statements.find.get(byDn, expectation.dnKey) === undefined;
      case 'childless':
        return statements.find.get(byParent, keyOfUuid(expectation.uuid)) === undefined;
      case 'unused':
        return statements.find.get(byUuid, keyOfUuid(expectation.uuid)) === undefined;
      case 'held':
        return isHeld(expectation);
      case 'children':
        return statements.countEqual.get(byParent, keyOfUuid(expectation.uuid), expectation.count + 1) === expectation.count;
      case 'between':
        return statements.countBetween.get(byDn, expectation.from, expectation.before, expectation.count + 1) === expectation.count;
    }
  }

  function isHeld({ attribute, key, by }: Expectation & { readonly kind: 'held' }): boolean {
    const number = attributes.find(attribute);
    if (number === undefined) return true;
    const holders = statements.holders.all(number, cut(key), by.length + 1);
    return holders.every(({ uuid, csn }) => by.some((each) => each.uuid === uuid && each.csn === csn));
  }

  function csnOf(uuid: string): string | undefined {
    const known = justRead.of(uuid);
    if (known !== undefined) return known.csn;
    const id = statements.find.get(byUuid, keyOfUuid(uuid));
    return id === undefined ? undefined : statements.csn.get(id);
  }

  function entryOf(uuid: string): StoredEntry | undefined {
    const known = justRead.of(uuid);
    if (known !== undefined) return known;
    const id = statements.find.get(byUuid, keyOfUuid(uuid));
    const row = id === undefined ? undefined : statements.entry.get(id);
    return row === undefined ? undefined : entryIn(row);
  }

  return { entryOf, failed };
}

function entryIn(row: Row): StoredEntry {
  return { ...row, parent: row.parent ?? undefined, large: listsIn(row.large) };
}

function logged(number: number, part: number, change: Change, former: string | undefined): ChangeParameters {
  if (change.kind === 'delete')
    return [number, part, change.uuid, change.csn, 'delete', null, null, null, null, null, null, former ?? null, null];
  const lists = change.kind === 'amend' ? encodeListChanges(change.lists) : null;
  const { uuid, csn, parent, dn, dnKey, user, operational, secret } = change.entry;
  return [number, part, uuid, csn, change.kind, parent ?? null, dn, dnKey, user, operational, secret, former ?? null, lists];
}

function writeStatements(database: Database.Database) {
  const columns = 'id, uuid, parent, dn, dn_key AS dnKey, csn, user, operational, secret, large';
  return {
    find: database.prepare<[number, Uint8Array], number>('SELECT id FROM found WHERE attribute = ? AND key = ? LIMIT 1').pluck(),
    countEqual: database
      .prepare<[number, Uint8Array, number], number>('SELECT count(*) FROM (SELECT 1 FROM found WHERE attribute = ? AND key = ? LIMIT ?)')
      .pluck(),
    countBetween: database
      .prepare<[number, Uint8Array, Uint8Array, number], number>(
        'SELECT count(*) FROM (SELECT 1 FROM found WHERE attribute = ? AND key >= ? AND key < ? LIMIT ?)',
      )
      .pluck(),
    entry: database.prepare<[number], Row>(`SELECT ${columns} FROM entry WHERE id = ?`),
    holders: database.prepare<[number, Uint8Array, number], { uuid: string; csn: string }>(
      'SELECT uuid, csn FROM entry WHERE id IN (SELECT id FROM found WHERE attribute = ? AND key = ? LIMIT ?)',
    ),
    csn: database.prepare<[number], string>('SELECT csn FROM entry WHERE id = ?').pluck(),
    some: database.prepare<[number, number], Row>(`SELECT ${columns} FROM entry WHERE id > ? ORDER BY id LIMIT ?`),
    lastId: database.prepare<[], number>('SELECT max(id) FROM entry').pluck(),
    insert: database.prepare<PutParameters>(
      'INSERT INTO entry (uuid, parent, dn, dn_key, csn, user, operational, secret, large, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    update: database.prepare<PutParameters>(
      'UPDATE entry SET uuid = ?, parent = ?, dn = ?, dn_key = ?, csn = ?, user = ?, operational = ?, secret = ?, large = ? WHERE id = ?',
    ),
    delete: database.prepare<[number]>('DELETE FROM entry WHERE id = ?'),
    // A list of the entry may have the value too: then the row is the list's, and stays.
    index: database.prepare<[number, Uint8Array, number]>('INSERT INTO found (attribute, key, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    unfind: database.prepare<[number, Uint8Array, number]>(
      'DELETE FROM found WHERE attribute = ? AND key = ? AND id = ? AND place IS NULL',
    ),
    forgetNames: database.prepare<[]>('DELETE FROM attribute'),
    forget: database.prepare<[number]>('DELETE FROM found WHERE attribute >= ?'),
    pend: database.prepare<[number, number, number, Uint8Array]>(`INSERT INTO gram_pending (place, id, moved) VALUES (${placeOf}, ?, ?)`),
    forgetGrams: database.prepare<[]>('DELETE FROM gram'),
    forgetPending: database.prepare<[]>('DELETE FROM gram_pending'),
    lastNumber: database.prepare<[], number>(newestNumber).pluck(),
    log: database.prepare<ChangeParameters>(
      `INSERT INTO change (place, uuid, csn, kind, parent, dn, dn_key, user, operational, secret, former, lists)
       VALUES (${placeOf}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    trim: database.prepare<[number]>(`DELETE FROM change WHERE place <= ${lastPlaceOf}`),
    fact: database.prepare<[string], string>('SELECT value FROM fact WHERE name = ?').pluck(),
    note: database.prepare<[string, string]>(
      'INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ),
  };
}
