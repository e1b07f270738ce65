import type { SettingValues } from '#catalogue';
import { type Columns, createColumns } from './columns.ts';
import { createEntryCache, type EntryCache } from './entry-cache.ts';
import type { settings as rows } from './settings.ts';

/** What a thread keeps of entries in memory, each bounded by its setting. */
export interface Kept {
  readonly cache: EntryCache;
  readonly columns: Columns;
}

export function keptOf(settings: SettingValues<typeof rows>): Kept {
  return {
    cache: createEntryCache(settings['persistence.entryCacheMib'] * 2 ** 20),
    columns: createColumns(settings['persistence.columnsMib'] * 2 ** 20),
  };
}
