import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type Database from 'better-sqlite3';
import type { Refusal, SettingValues } from '#catalogue';
import { attributeNumbers } from './attributes.ts';
import { commitInBulk } from './bulk-commits.ts';
import { changeLogOf, changesOf } from './changes.ts';
import { Commits } from './commits.ts';
import { dropUnfinished } from './copy.ts';
import { busyMs, openDatabase, type Place, placeOf } from './database.ts';
import { directoryFormat } from './format.ts';
import { createGoverning } from './governing.ts';
import { GramMerge } from './gram-merge.ts';
import { createJustRead } from './just-read.ts';
import { type Kept, keptOf } from './kept.ts';
import { createLongCommits } from './long-commits.ts';
import { progressOfWriter, type WriterProgress } from './progress.ts';
import { Reader } from './reader.ts';
import { isDiskError, reasonOf, unusable } from './reasons.ts';
import { repeat } from './repeat.ts';
import { rowNumbersOf } from './row-numbers.ts';
import type { settings as rows } from './settings.ts';
import { syncFolderOf } from './sync-folder.ts';
import type { CommitResult, Governs, Indexer, KeysBelow, LargeRules, Store } from './types.ts';
import { longestOf, type SyncFile, syncNothing, syncOnDisk, WriteAheadLog } from './wal.ts';
import { type Writer, writerOf } from './writer.ts';

export interface StoreOptions {
  /** The file of entries; not used in memory mode. Its folder must be locked (`lockFolder`). */
  readonly file: string;
  readonly settings: SettingValues<typeof rows>;
  readonly indexer: Indexer;
  readonly large: LargeRules;
  /** Which entries govern others; without it, every one. */
  readonly governs?: Governs;
  /** Another text than the file was written with makes all indexes anew: it must change whenever `indexer` or `large` may give other keys. */
  readonly indexVersion: string;
  readonly keysBelow: KeysBelow;
  /** Ends the process at once, with the reason on the log: the disk did not confirm a write, so nothing may be answered any more. */
  readonly fatal: (reason: Refusal) => void;
  /** Told what an operator should know and what failed nobody. */
  readonly report: (trouble: Refusal) => void;
  /** Other threads of this process that read the file. */
  readonly beside?: Beside;
  /** How the log is put on disk; by fdatasync unless told otherwise. */
  readonly syncFile?: SyncFile;
  /** Repeats something until the returned function is called; by a timer that keeps no process alive unless told otherwise. */
  readonly every?: (intervalMs: number, run: () => void) => () => void;
}

/** What a store that is read by other threads does for them, and asks of them. */
export interface Beside {
  /** Made by `createProgressBuffer`; every `openStoreBeside` gets the same. */
  readonly progress: SharedArrayBuffer;
  /** Asks all of them to let their read transactions go, and resolves when they have, or when that takes too long. */
  readonly letGo: () => Promise<void>;
}

/**
 * Opens the store, makes its file when it is new, recovers what a crash left, and makes indexes anew when they were written by another
 * version of the indexer.
 *
 * @throws Refusal  STS-STORE-9003 (written by a newer Atrium), STS-STORE-9004 (not this kind of file), STS-STORE-9005 (cannot be opened)
 */
export function openStore(options: StoreOptions): Store {
  const mode = options.settings['persistence.mode'];
  const place = placeOf(options.file, mode);
  if (mode === 'sqlite' && existsSync(dirname(place.path))) dropUnfinished(place.path);
  const database = openDatabase(place.path, directoryFormat, busyMs);
  try {
    return opened(options, place, database);
  } catch (error) {
    database.close();
    if (!isDiskError(error)) throw error;
    throw unusable(basename(place.path), reasonOf(error));
  }
}

function opened(options: StoreOptions, place: Place, database: Database.Database): Store {
  const { settings, keysBelow, indexer, large } = options;
  database.pragma(`cache_size = ${-settings['persistence.pageCacheMib'] * 1024}`);
  const attributes = attributeNumbers(database);
  const kept = keptOf(settings);
  const progress = options.beside === undefined ? undefined : progressOfWriter(options.beside.progress);
  const justRead = createJustRead();
  const touch = touchOf(kept, progress);
  const pended = () => merge.added();
  const rows = rowNumbersOf(database);
  const governed = { governs: options.governs ?? (() => true), governed: (number: number) => governing.note(number) };
  const writer = writerOf(database, attributes, indexer, large, justRead, touch, pended, rows, governed);
  const governing = createGoverning(writer.lastNumber(), progress);
  if (writer.indexVersion() !== options.indexVersion) database.transaction(() => writer.reindex(options.indexVersion)).immediate();
  const merge = new GramMerge(database, writer.insideKeysNow, () => settings['persistence.gramsPendingMax']);

  let generation = 0;
  const numbers = { generation: () => generation, governing: () => governing.number };
  const reader = new Reader({ database, attributes, keysBelow, ...kept, readWhole: justRead.keep, ...numbers });
  const log = logOf(options, place, database, (error) => commits.die(error));
  const logOctets = longestOf(settings['persistence.walMib']);
  const long = createLongCommits({ path: place.path, logOctets, indexer, large, rows, justRead, touch, pended, governing: governed });
  if (settings['persistence.mode'] === 'sqlite') syncFolderOf(place.path);
  place.forget();
  // What an earlier process wrote and could not confirm may stand in the system's memory alone: what is read from now on is on disk.
  reader.release();
  log.renew();

  const commits = new Commits({
    database,
    attributes,
    writer,
    log,
    merge,
    long,
    reader,
    limits: () => limitsOf(settings),
    committed: () => {
      generation++;
      governing.keep();
      progress?.committed();
    },
    undone: () => governing.undo(),
    durable: (number) => progress?.durable(number),
    fatal: options.fatal,
  });
  progress?.durable(commits.durableNumber);
  const changes = changesOf(database);
  const stopIdling = (options.every ?? repeat)(settings['persistence.readerIdleMs'], () => {
    reader.idle();
    commits.idle();
  });
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    stopIdling();
    // After a failed disk the files stay as they are: closing them would carry over what may be lost.
    if (!(await commits.close())) return;
    reader.close();
    long.close();
    noteNewest(writer);
    await log.close();
    database.close();
  }

  return {
    epoch: writer.epoch(),
    snapshot: () => reader.snapshot(),
    get governing() {
      return governing.number;
    },
    durable: (number) => commits.durable(number),
    commit: (expected, wanted) => commits.push(expected, wanted) as Promise<CommitResult>,
    bulk: (expected, wanted) => commitInBulk({ commits, merge, reader }, expected, wanted),
    changes: (afterNumber, limit) => changes(afterNumber, commits.durableNumber, limit),
    log: changeLogOf(database, () => commits.durableNumber),
    watch: (listener, begun) => commits.watch(listener, begun),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** It is for an examination alone: a disk that does not take it is no trouble of who ends. */
function noteNewest(writer: Writer): void {
  try {
    writer.noteNewest();
  } catch (error) {
    if (!isDiskError(error)) throw error;
  }
}

function logOf(options: StoreOptions, { path }: Place, database: Database.Database, failed: (error: unknown) => void): WriteAheadLog {
  const { settings, syncFile, beside, report } = options;
  const named = settings['persistence.mode'] === 'sqlite';
  return new WriteAheadLog({
    database,
    path,
    walMib: settings['persistence.walMib'],
    named,
    syncFile: syncFile ?? (named ? syncOnDisk : syncNothing),
    ...(beside === undefined ? {} : { letGo: beside.letGo }),
    report,
    failed,
  });
}

function limitsOf(settings: StoreOptions['settings']) {
  return {
    batchMax: settings['persistence.batchMax'],
    pendingMax: settings['persistence.pendingMax'],
    commitsMax: settings['persistence.commitsMax'],
    turnMax: settings['persistence.turnChangesMax'],
  };
}

/** What must know of each entry that is written: the cache and the columns of this thread, and the other threads. */
function touchOf({ cache, columns }: Kept, progress: WriterProgress | undefined): (id: number) => void {
  return (id) => {
    cache.touch(id);
    columns.touch(id);
    progress?.touch(id);
  };
}
