export type {
  Addresses,
  BackedUp,
  Command,
  Context,
  ConvertedElsewhere,
  ElsewhereOptions,
  ExaminationOptions,
  Examined,
  Exported,
  ExportFolderOptions,
  Imported,
  ImportFolderOptions,
  Located,
  MetadataAsked,
  MetadataShown,
  OpenedFolder,
  OpenedLog,
  Repaired,
  Restored,
  Running,
  Started,
  StartedBeside,
  StartOptions,
} from './command.ts';
export { demoKey } from './demo-folder.ts';
export { dispatch } from './dispatch.ts';
export { readGiven } from './given.ts';
export { manualOf } from './manual.ts';
export { commands } from './operations.ts';
