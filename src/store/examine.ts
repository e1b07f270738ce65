import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { Refusal } from '#catalogue';
import { attributeNumbers } from './attributes.ts';
import { auditFormat } from './audit-rows.ts';
import type { Format } from './database.ts';
import { errors } from './errors.ts';
import type { LoggedState } from './examine-changes.ts';
import { examineIndex, type NewestEntry } from './examine-index.ts';
import { missingIn } from './examine-layout.ts';
import { examineLog } from './examine-log.ts';
import { directoryFormat } from './format.ts';
import { openFrozen } from './frozen.ts';
import { isDiskError, isHindrance, reasonOf, unusable } from './reasons.ts';
import { stateFormat } from './state.ts';
import type { EntryRecord, Indexer, LargeRules, StoredEntry } from './types.ts';

/**
 * What kind of damage was found: in SQLite's pages, the index, the tree, an entry's own names and numbers, its content, the values
 * of its lists, the change log.
 */
export type DamageKind = 'page' | 'index' | 'tree' | 'identity' | 'schema' | 'sealed' | 'value' | 'log';

export interface Damage {
  readonly kind: DamageKind;
  /** What is wrong and where, for an operator. */
  readonly what: string;
}

/** The superior of an entry as the examination found it. */
export type Superior = Pick<EntryRecord, 'dn' | 'dnKey'>;

/** A list of an entry, read. */
export interface ListedValues {
  readonly description: string;
  readonly values: readonly Uint8Array[];
}

export interface ExamineOptions {
  readonly indexer: Indexer;
  readonly large: LargeRules;
  readonly indexVersion: string;
  /** Most memory in MiB for pages: every entry's keys are looked up all over the index. */
  readonly cacheMib: number;
  /**
   * What the directory's rules find wrong with an entry.
   *
   * @param superior  `undefined` when the entry names none, `absent` when it names one that is not there
   */
  readonly judge: (entry: StoredEntry, superior: Superior | 'absent' | undefined, lists: readonly ListedValues[]) => readonly Damage[];
  /** Why what a change of the log wrote cannot be read; none when it can. */
  readonly judgeLogged: (state: LoggedState) => readonly string[];
  readonly tell: (damage: Damage) => void;
  /** Told now and then how many of all entries were read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What was looked at. */
export interface Examined {
  readonly entries: number;
  readonly indexRows: number;
  /** False when the indexes are of another version: they are made anew at the next start and were not compared. */
  readonly indexCompared: boolean;
  readonly changes: number;
}

/** Faults of SQLite's own check that are named one by one. */
const faultsMax = 100;

/**
 * Holds a file of entries against itself: SQLite's check, every index row against every entry and back, the tree, the change log. Memory
 * is bounded whatever the size; nothing is written.
 *
 * @throws Refusal  STS-STORE-9003, STS-STORE-9004 for a file that is not to be judged here, STS-STORE-9005 when it cannot be looked at: room,
 *   rights or memory are in the way, which is no damage
 */
export function examineDirectory(path: string, options: ExamineOptions): Examined {
  let examined: Examined = { entries: 0, indexRows: 0, indexCompared: true, changes: 0 };
  let newestEntry: NewestEntry | undefined;
  frozen(path, directoryFormat, options.tell, (database, read) => {
    database.pragma(`cache_size = ${-options.cacheMib * 1024}`);
    read(() => {
      const { newest, ...index } = examineIndex(database, attributeNumbers(database), options);
      newestEntry = newest;
      examined = { ...examined, ...index };
    });
    read(() => {
      examined = { ...examined, changes: examineLog(database, newestEntry, options) };
    });
  });
  return examined;
}

/** SQLite's own check of the files beside the entries. */
export function examineBeside(path: string, kind: 'state' | 'audit', tell: (damage: Damage) => void): void {
  const format = kind === 'state' ? stateFormat : auditFormat;
  frozen(path, format, tell, () => undefined);
}

/** How many rows of a kind the short-lived state holds that are not over. @param kind  as it stands on disk */
export function countKept(path: string, kind: string, nowMs: number, tell: (damage: Damage) => void): number {
  let count = 0;
  frozen(path, stateFormat, tell, (database) => {
    count =
      database
        .prepare<[string, number], number>('SELECT count(*) FROM state WHERE kind = ? AND expires_at_ms > ?')
        .pluck()
        .get(kind, nowMs) ?? 0;
  });
  return count;
}

/**
 * Opens a file, has SQLite check it, and then examines it. What cannot be opened is damage like any other, and a file of which a table is lost is not
 * examined further.
 */
function frozen(
  path: string,
  format: Format,
  tell: (damage: Damage) => void,
  examine: (database: Database.Database, read: (act: () => void) => void) => void,
): void {
  const file = basename(path);
  const read = (act: () => void) => readable(file, tell, act);
  let database: Database.Database | undefined;
  try {
    database = openFrozen(path, format);
    const own = database;
    read(() => examinePages(own, file, tell));
    read(() => {
      const missing = missingIn(own, format);
      for (const what of missing) tell({ kind: 'page', what: `${file}: ${what} is missing` });
      if (missing.length === 0) examine(own, read);
    });
  } catch (error) {
    if (!(error instanceof Refusal && error.row === errors.fileUnusable) || isHindrance(String(error.detail['reason']))) throw error;
    tell({ kind: 'page', what: error.message });
  } finally {
    database?.close();
  }
}

/**
 * What SQLite cannot read is damage, too; what was read before it stands.
 *
 * @throws Refusal  STS-STORE-9005 when something else is in the way
 */
function readable(file: string, tell: (damage: Damage) => void, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!isDiskError(error)) throw error;
    const why = reasonOf(error);
    if (isHindrance(why)) throw unusable(file, why);
    tell({ kind: 'page', what: `SQLite could not read on: ${why}` });
  }
}

function examinePages(database: Database.Database, file: string, tell: (damage: Damage) => void): void {
  const rows = database.prepare<[], string>(`PRAGMA integrity_check(${faultsMax})`).pluck().all();
  for (const row of rows) if (row !== 'ok') tell({ kind: 'page', what: `${file}: ${row.replaceAll('\n', '; ')}` });
}
