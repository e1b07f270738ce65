export { type AuditStore, type AuditStoreOptions, openAuditStore, type StoredAuditFilter, type StoredAuditRow } from './audit.ts';
export { type BackedUp, backUp } from './backup.ts';
export { openStoreBeside, type StoreBeside, type StoreBesideOptions } from './beside.ts';
export type { Column, ColumnEntry, Scanned } from './column.ts';
export type { Probe, ValueTest } from './column-segment.ts';
export type { Contents } from './copy.ts';
export { type Dump, type DumpedByName, openDump } from './dump.ts';
export { errors as storeErrors } from './errors.ts';
export {
  countKept,
  type Damage,
  type DamageKind,
  type Examined,
  examineBeside,
  examineDirectory,
  type ListedValues,
  type Superior,
} from './examine.ts';
export type { LoggedState } from './examine-changes.ts';
export { keyOctetsMax } from './format.ts';
export { entriesBetween, entryAt } from './frozen.ts';
export { GramBuilder } from './gram-builder.ts';
export { type History, type LoggedChange, openHistory } from './history.ts';
export { type LoadOptions, load, tryLoad } from './load/load.ts';
export { createPacker, unpack } from './load/parcel.ts';
export { serveBuild } from './load/thread.ts';
export type { Existing, Load } from './load/types.ts';
export { type FolderLock, lockFolder } from './lock.ts';
export { type Beside, openStore, type StoreOptions } from './open.ts';
export { createProgressBuffer } from './progress.ts';
export { repairIndexes } from './repair.ts';
export { type RestoreOptions, restore } from './restore.ts';
export { settings as storeSettings } from './settings.ts';
export { type List, noLists } from './slices.ts';
export {
  type Counted,
  type Counter,
  openStateBeside,
  openStateStore,
  type StateBeside,
  type StateRow,
  type StateStore,
  type StateStoreOptions,
} from './state.ts';
export { atOnce } from './steps.ts';
export { makeFolder } from './sync-folder.ts';
export type {
  BulkResult,
  Change,
  ChangeLog,
  ChangeRecord,
  CommitResult,
  EntryRecord,
  Expectation,
  Governs,
  Indexer,
  IndexKey,
  KeysBelow,
  LargeRules,
  ListChange,
  LogPlace,
  LogRow,
  ReadableEntry,
  Snapshot,
  Store,
  StoredEntry,
  WatchedChange,
} from './types.ts';
export { wholeCommit } from './types.ts';
