import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { refuse } from '#catalogue';
import { contentsOf } from './copy.ts';
import { errors } from './errors.ts';
import { directoryFormat, lastPlaceOf, placeOf } from './format.ts';
import { confirmLog, openFrozen } from './frozen.ts';
import { decodeListChanges } from './lists.ts';
import { versionOf } from './migrate.ts';
import { allReadable } from './reasons.ts';
import type { Change, EntryRecord, ListChange } from './types.ts';

/** A change as the log has it, with what was before. */
export interface LoggedChange {
  readonly number: number;
  readonly csn: string;
  readonly uuid: string;
  /** The entry's name before; nothing when it was not there, or when it was deleted under a format that did not keep the name. */
  readonly former: string | undefined;
  /** The entry before, where the log still has the change that made it so. */
  readonly before: EntryRecord | undefined;
  /** The entry after; nothing when it was deleted. */
  readonly after: EntryRecord | undefined;
  /** What becomes of the lists of an entry that are not in `after`: each of them is named. Nothing when `after` is all of it. */
  readonly lists: readonly ListChange[] | undefined;
  /** The lists that are not in `before`. */
  readonly formerLists: readonly Pick<ListChange, 'attribute' | 'description'>[];
}

/** The change log at one moment. */
export interface History {
  readonly epoch: number;
  /** The oldest change that the log has, and the newest; 0 when it has none. */
  readonly oldest: number;
  readonly newest: number;
  /** The changes from behind a number on, in their order, one by one. @throws Refusal  STS-STORE-9005 when the disk refuses in between */
  changes(afterNumber: number): Iterable<LoggedChange>;
  close(): void;
}

interface Place {
  readonly number: number;
  readonly part: number;
  readonly beforeNumber: number | null;
  readonly beforePart: number | null;
}

interface Row extends Omit<EntryRecord, 'parent'> {
  readonly kind: Change['kind'];
  readonly lists: Uint8Array | null;
  readonly parent: string | null;
  readonly former: string | null;
}

/**
 * Opens the change log of a file for reading, whoever else has the file open. What is read is on disk.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004, STS-STORE-9005, STS-STORE-9010, and STS-STORE-9011 for a file of an older format
 */
export function openHistory(path: string): History {
  const database = openFrozen(path, directoryFormat);
  try {
    const found = versionOf(database);
    if (found < directoryFormat.version) throw refuse(errors.formatOlder, { file: basename(path), found, known: directoryFormat.version });
    confirmLog(path);
    const { epoch, number } = contentsOf(database, basename(path));
    const oldest = database.prepare<[], number>('SELECT number FROM change ORDER BY place LIMIT 1').pluck().get() ?? 0;
    return {
      epoch,
      oldest,
      newest: number,
      changes: (afterNumber) => allReadable(basename(path), changes(database, afterNumber)),
      close: () => void database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function* changes(database: Database.Database, afterNumber: number): Generator<LoggedChange> {
  const places = database.prepare<[number], Place>(
    `SELECT * FROM (
       SELECT place, number, part, lag(number) OVER entries AS beforeNumber, lag(part) OVER entries AS beforePart
       FROM change WINDOW entries AS (PARTITION BY uuid ORDER BY place)
     ) WHERE place > ${lastPlaceOf} ORDER BY place`,
  );
  const row = database.prepare<[number, number], Row>(
    `SELECT kind, uuid, csn, parent, dn, dn_key AS dnKey, user, operational, secret, former, lists FROM change WHERE place = ${placeOf}`,
  );
  for (const { number, part, beforeNumber, beforePart } of places.iterate(afterNumber)) {
    const change = row.get(number, part);
    if (change === undefined) continue;
    const before = beforeNumber === null || beforePart === null ? undefined : row.get(beforeNumber, beforePart);
    const { csn, uuid, former } = change;
    yield {
      number,
      csn,
      uuid,
      former: former ?? undefined,
      before: entryOf(before),
      after: entryOf(change),
      lists: listsOf(change),
      formerLists: listsOf(before) ?? [],
    };
  }
}

function listsOf(row: Row | undefined): ListChange[] | undefined {
  return row === undefined || row.lists === null ? undefined : decodeListChanges(row.lists);
}

function entryOf(row: Row | undefined): EntryRecord | undefined {
  if (row === undefined || row.kind === 'delete') return undefined;
  const { kind: _, former: _former, lists: _lists, parent, ...rest } = row;
  return { ...rest, parent: parent ?? undefined };
}
