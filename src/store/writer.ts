import type Database from 'better-sqlite3';
import { equalBytes } from '#base';
import type { AttributeNumbers } from './attributes.ts';
import { behindPrefix, byDn, byParent, byUuid, cut, firstNumber, newestNoted, partsMax } from './format.ts';
import { type FreshRows, freshAmong, freshRowsOf } from './fresh-rows.ts';
import { touchesGoverning } from './governing.ts';
import { GramBuilder } from './gram-builder.ts';
import { packMoved } from './gram-pending.ts';
import type { JustRead } from './just-read.ts';
import { givenKeys, type InsideKey, insideKeys, type Key, keyOfUuid, keySet, ownKeys } from './keys.ts';
import { encodeListChanges, listsOf } from './lists.ts';
import { isDiskError } from './reasons.ts';
import { type RowNumbers, rowNumbersOf } from './row-numbers.ts';
import { type List, listsIn, textOfLists } from './slices.ts';
import { atOnce } from './steps.ts';
import type { Change, EntryRecord, Expectation, Governs, Indexer, LargeRules, ListChange, StoredEntry } from './types.ts';
import { type ChangeParameters, type PutParameters, type Row, writeStatements } from './write-statements.ts';

/** Where a change stands in the log. */
interface Place {
  readonly number: number;
  readonly part: number;
}

/** How many entries are in memory at a time while indexes are made anew. */
const reindexRows = 500;

/** Each entry of a commit as it was before its change; nothing for one that was not there. */
export type Before = readonly (StoredEntry | undefined)[];

/** Which entries govern others, and who is told of the number of each commit that touches one. */
export interface Governed {
  readonly governs: Governs;
  readonly governed: (number: number) => void;
}

const ungoverned: Governed = { governs: () => false, governed: () => undefined };

export type Writer = ReturnType<typeof writerOf>;

/**
 * Changes of the tables, each to be called within a write transaction.
 *
 * @param justRead  what the same thread has read since it was written last
 * @param touch   told the row number of each entry that is written or removed
 * @param pended  told of each row of grams that is left to be put in place
 * @param rows    where the numbers of new rows come from: one for all writers of a file
 * @param governing  who is told of commits that touch entries which govern others
 */
export function writerOf(
  database: Database.Database,
  attributes: AttributeNumbers,
  indexer: Indexer,
  large: LargeRules,
  justRead: JustRead,
  touch: (id: number) => void,
  pended: () => void = () => undefined,
  rows: RowNumbers = rowNumbersOf(database),
  { governs, governed }: Governed = ungoverned,
) {
  const statements = writeStatements(database);
  const lists = listsOf(database, attributes, large, rows);
  const { entryOf, failed, checkName } = lookupsOf(statements, attributes, justRead);
  const freshRows = freshRowsOf(database);

  /** @returns the entry as it was; nothing for one that was not there */
  function* put(place: Place, whole: EntryRecord): Generator<undefined, StoredEntry | undefined> {
    const splitting = large.splitInSteps(whole);
    const { entry, lists: fresh } = splitting === undefined ? { entry: whole, lists: [] } : yield* splitting;
    const old = entryOf(entry.uuid);
    const id = old?.id ?? rows.entry++;
    checkName(id, entry, old);
    replaceKeys(place, id, old === undefined ? [] : keysOf(old, entry), keysOf(entry, old));
    for (const list of old?.large ?? []) yield* lists.drop(id, list, keySet(keysOf(entry)));
    const made: List[] = [];
    for (const each of fresh) made.push(yield* lists.make(id, each));
    write(id, old === undefined, entry, made);
    return old;
  }

  /** An entry that is known to be new: its name and its entryUUID are nobody's. */
  function* putFresh(place: Place, whole: EntryRecord, gathered: FreshRows): Generator<undefined, undefined> {
    const splitting = large.splitInSteps(whole);
    const { entry, lists: fresh } = splitting === undefined ? { entry: whole, lists: [] } : yield* splitting;
    const id = rows.entry++;
    const keys = keysOf(entry);
    for (const key of keys) gathered.add(key, id);
    const inside = packMoved([], insideKeys(keys));
    if (inside !== undefined) {
      statements.pend.run(place.number, place.part, id, inside);
      pended();
    }
    const made: List[] = [];
    for (const each of fresh) made.push(yield* lists.make(id, each));
    write(id, true, entry, made);
  }

  /** @returns the entry as it was */
  function* amend(place: Place, entry: EntryRecord, changes: readonly ListChange[]): Generator<undefined, StoredEntry> {
    const old = entryOf(entry.uuid);
    if (old === undefined) throw new Error(`no entry to amend: ${entry.uuid}`);
    if (changes.length !== old.large.length) throw new Error(`not every list of an entry is named: ${entry.uuid}`);
    const { id } = old;
    checkName(id, entry, old);
    replaceKeys(place, id, keysOf(old, entry), keysOf(entry, old));
    const own = keySet(keysOf(entry));
    const now: List[] = [];
    for (const list of old.large) {
      const change = changes.find(({ attribute }) => attribute === list.attribute);
      if (change === undefined) throw new Error(`a list of an entry is not named: ${list.attribute}`);
      now.push(yield* lists.change(id, list, change, own));
    }
    write(id, false, entry, now);
    return old;
  }

  function write(id: number, isNew: boolean, entry: EntryRecord, its: readonly List[]): void {
    const { uuid, parent, dn, dnKey, csn, user, operational, secret } = entry;
    const columns: PutParameters = [uuid, parent ?? null, dn, dnKey, csn, user, operational, secret, textOfLists(its), id];
    if (isNew) statements.insert.run(...columns);
    else statements.update.run(...columns);
    justRead.drop(uuid);
    touch(id);
  }

  function* remove(place: Place, uuid: string): Generator<undefined, StoredEntry> {
    const old = entryOf(uuid);
    if (old === undefined) throw new Error(`no entry to delete: ${uuid}`);
    replaceKeys(place, old.id, keysOf(old), []);
    for (const list of old.large) yield* lists.drop(old.id, list, new Map());
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
    if (fresh.length > 0) write(whole.id, false, entry, [...whole.large, ...fresh.map((each) => atOnce(lists.make(whole.id, each)))]);
  }

  function applied(place: Place, change: Change): Generator<undefined, StoredEntry | undefined> {
    switch (change.kind) {
      case 'put':
        return put(place, change.entry);
      case 'amend':
        return amend(place, change.entry, change.lists);
      case 'delete':
        return remove(place, change.uuid);
    }
  }

  /** @param bulk  of very many new entries, what was expected and holds */
  function* steps(number: number, changes: readonly Change[], bulk?: readonly Expectation[]): Generator<undefined, Before> {
    if (changes.length > partsMax) throw new Error(`${changes.length} changes in one commit`);
    const were: (StoredEntry | undefined)[] = [];
    const isFresh = bulk && freshAmong(changes, bulk);
    const gathered = bulk && freshRows();
    for (const [part, change] of changes.entries()) {
      const place = { number, part };
      const before =
        gathered !== undefined && change.kind === 'put' && isFresh?.(change) === true
          ? yield* putFresh(place, change.entry, gathered)
          : yield* applied(place, change);
      const lists = change.kind === 'amend' ? yield* encodeListChanges(change.lists) : null;
      statements.log.run(...logged(number, part, change, before?.dn, lists));
      if (touchesGoverning(governs, change, before)) governed(number);
      were.push(before);
      yield;
    }
    if (gathered !== undefined) yield* gathered.write();
    return were;
  }

  return {
    failed,

    /**
     * Writes a commit's changes, its index rows and its part of the change log.
     *
     * @returns each entry as it was before its change; throws for changes that cannot be, and the caller rolls back
     */
    write: (number: number, changes: readonly Change[], bulk?: readonly Expectation[]): Before => atOnce(steps(number, changes, bulk)),

    /** The same, a little at each step. */
    steps,

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

    ...factsOf(statements),
  };
}

function factsOf({ fact, lastNumber, note, trim }: ReturnType<typeof writeStatements>) {
  return {
    /** The number of the newest commit. */
    lastNumber: (): number => lastNumber.get() ?? 0,
    /** Notes the number of the newest commit, so that it is seen when the log loses it. */
    noteNewest(): void {
      const newest = String(lastNumber.get() ?? 0);
      if (fact.get(newestNoted) !== newest) note.run(newestNoted, newest);
    },
    /** Forgets the oldest of the change log, so that `commitsMax` commits stay. */
    trim: (number: number, commitsMax: number): void => void trim.run(number - commitsMax),
    indexVersion: (): string | undefined => fact.get('indexVersion'),
    epoch: (): number => Number(fact.get('epoch')),
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
      case 'within':
        return countWithin(expectation) === expectation.count;
    }
  }

  function isHeld({ attribute, key, by }: Expectation & { readonly kind: 'held' }): boolean {
    const number = attributes.find(attribute);
    if (number === undefined) return true;
    const holders = statements.holders.all(number, cut(key), by.length + 1);
    const known = new Map(by.map(({ uuid, csn }) => [uuid, csn]));
    return holders.every(({ uuid, csn }) => known.get(uuid) === csn);
  }

  function countWithin({ attribute, prefix, count }: Expectation & { readonly kind: 'within' }): number | undefined {
    const number = attributes.find(attribute);
    const first = cut(prefix);
    const behind = behindPrefix(first);
    if (number === undefined || behind === undefined) return 0;
    return statements.countBetween.get(number, first, behind, count + 1);
  }

  function csnOf(uuid: string): string | undefined {
    const known = justRead.of(uuid);
    if (known !== undefined) return known.csn;
    const id = statements.find.get(byUuid, keyOfUuid(uuid));
    return id === undefined ? undefined : statements.csn.get(id);
  }

  function checkName(id: number, { dn, dnKey }: EntryRecord, old: StoredEntry | undefined): void {
    if (dnKey.length === 0) throw new Error('an entry without a name');
    if (old !== undefined && equalBytes(old.dnKey, dnKey)) return;
    const holder = statements.find.get(byDn, dnKey);
    if (holder !== undefined && holder !== id) throw new Error(`two entries of one name: ${dn}`);
  }

  function entryOf(uuid: string): StoredEntry | undefined {
    const known = justRead.of(uuid);
    if (known !== undefined) return known;
    const id = statements.find.get(byUuid, keyOfUuid(uuid));
    const row = id === undefined ? undefined : statements.entry.get(id);
    return row === undefined ? undefined : entryIn(row);
  }

  return { entryOf, failed, checkName };
}

function entryIn(row: Row): StoredEntry {
  return { ...row, parent: row.parent ?? undefined, large: listsIn(row.large) };
}

function logged(number: number, part: number, change: Change, former: string | undefined, lists: Buffer | null): ChangeParameters {
  if (change.kind === 'delete')
    return [number, part, change.uuid, change.csn, 'delete', null, null, null, null, null, null, former ?? null, null];
  const { uuid, csn, parent, dn, dnKey, user, operational, secret } = change.entry;
  return [number, part, uuid, csn, change.kind, parent ?? null, dn, dnKey, user, operational, secret, former ?? null, lists];
}
