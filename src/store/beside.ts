import Database from 'better-sqlite3';
import type { SettingValues } from '#catalogue';
import { attributeReader } from './attributes.ts';
import { changeLogOf, changesOf } from './changes.ts';
import type { Columns } from './columns.ts';
import type { EntryCache } from './entry-cache.ts';
import { keptOf } from './kept.ts';
import { progressOfReader, type ReaderProgress } from './progress.ts';
import { Reader } from './reader.ts';
import { repeat } from './repeat.ts';
import type { settings as rows } from './settings.ts';
import type { KeysBelow, Store } from './types.ts';

export interface StoreBesideOptions {
  /** The file that another thread of this process has opened with `openStore`. */
  readonly file: string;
  /** What that thread gave its store. */
  readonly progress: SharedArrayBuffer;
  readonly epoch: number;
  readonly settings: SettingValues<typeof rows>;
  readonly keysBelow: KeysBelow;
  /** Hands a commit to the thread that writes, and resolves or rejects as its store does. */
  readonly commit: Store['commit'];
  readonly watch: Store['watch'];
  readonly every?: (intervalMs: number, run: () => void) => () => void;
}

/** The store of a thread beside the one that writes. */
export interface StoreBeside extends Store {
  /** Lets the read transaction go; the next snapshot opens another. */
  release(): void;
}

/**
 * Opens the store for a thread beside the writer's: reads by a connection and caches of its own, as fresh as the writer's; commits by message.
 *
 * Whoever was told of a commit was told after `committed` had moved (see `progress.ts`), and every snapshot looks at that first: after the answer to
 * a write no thread shows what was before it.
 */
export function openStoreBeside({ settings, ...options }: StoreBesideOptions): StoreBeside {
  const database = new Database(options.file, { readonly: true, fileMustExist: true });
  database.pragma(`cache_size = ${-settings['persistence.pageCacheMib'] * 1024}`);
  const progress = progressOfReader(options.progress);
  const changes = changesOf(database);
  const { cache, columns } = keptOf(settings);
  const reader = new Reader({
    database,
    attributes: attributeReader(database),
    keysBelow: options.keysBelow,
    cache: followingCache(cache, columns, progress),
    columns,
    readWhole: () => undefined,
    generation: progress.generation,
    governing: progress.governing,
  });
  const stopIdling = (options.every ?? repeat)(settings['persistence.readerIdleMs'], () => reader.idle());
  return {
    epoch: options.epoch,
    snapshot: () => reader.snapshot(),
    get governing() {
      return progress.governing();
    },
    durable: progress.durable,
    commit: options.commit,
    bulk: () => Promise.reject(new Error('only the thread that writes takes very many entries')),
    changes: (afterNumber, limit) => changes(afterNumber, progress.durableNumber, limit),
    log: changeLogOf(database, () => {
      // The transaction that is held may be older than what is on disk by now.
      const { durableNumber } = progress;
      reader.snapshot();
      return durableNumber;
    }),
    watch: options.watch,
    release: () => reader.release(),
    close: async () => {
      stopIdling();
      reader.close();
      database.close();
    },
  };
}

/** The cache, and the columns, which move on behind it, learn of what was written when the reader moves on, from the writer's own notes. */
function followingCache(cache: EntryCache, columns: Columns, progress: ReaderProgress): EntryCache {
  return {
    ...cache,
    moveOn() {
      const rows = progress.touchedRows();
      if (rows === undefined) {
        cache.clear();
        columns.clear();
      } else {
        for (const id of rows) {
          cache.touch(id);
          columns.touch(id);
        }
      }
      cache.moveOn();
    },
  };
}
