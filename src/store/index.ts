export { errors as storeErrors } from './errors.ts';
export { openStore, type StoreOptions } from './open.ts';
export { settings as storeSettings } from './settings.ts';
export type {
  Change,
  ChangeRecord,
  CommitResult,
  EntryRecord,
  Expectation,
  Indexer,
  IndexKey,
  KeysBelow,
  ReadableEntry,
  Snapshot,
  Store,
  StoredEntry,
} from './types.ts';
