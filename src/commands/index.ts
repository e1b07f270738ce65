export type {
  Addresses,
  BackedUp,
  Command,
  Context,
  ExaminationOptions,
  Examined,
  Exported,
  ExportFolderOptions,
  Imported,
  ImportFolderOptions,
  Located,
  OpenedLog,
  OpenedRealm,
  RealmEntries,
  Repaired,
  Restored,
  Running,
  Started,
  StartOptions,
} from './command.ts';
export { dispatch } from './dispatch.ts';
export { readGiven } from './given.ts';
export { manualOf } from './manual.ts';
export { commands } from './operations.ts';
