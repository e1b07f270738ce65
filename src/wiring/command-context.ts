import { systemChance, systemClock } from '#base';
import type { Environment } from '#catalogue';
import { type Context, demoKey } from '#commands';
import { locate } from './locate.ts';

/** What a command does is loaded with it: most of the time of a short one would be spent on loading the others. */
const parts = {
  main: () => import('../main.ts'),
  beside: () => import('./beside.ts'),
  schemaFiles: () => import('./schema-files.ts'),
  bulk: () => import('./folder/bulk.ts'),
  elsewhere: () => import('./folder/elsewhere-import.ts'),
  export: () => import('./folder/export.ts'),
  metadata: () => import('./metadata.ts'),
  realmFile: () => import('./folder/realm-file.ts'),
  stopped: () => import('./stopped.ts'),
  upkeep: () => import('./folder/upkeep.ts'),
};

/** Where a command is called: what a process has of its own. */
export interface Caller extends Pick<Context, 'root' | 'stdin' | 'stdout' | 'stderr' | 'untilSignal'> {
  readonly given: Environment;
}

/** All that commands may touch; none of it is loaded before it is used. The log of what a command starts goes where its complaints go. */
export function contextOf({ given, ...caller }: Caller): Context {
  const { root, stderr } = caller;
  // A start of the demo names the key that it made; whoever only looks at its folder need not.
  const folder = { root, logStream: stderr, environment: { ...demoKey(root, given), ...given } };
  return {
    ...caller,
    environment: given,
    clock: systemClock,
    chance: systemChance,
    start: async (options) => (await parts.main()).startAtrium({ ...folder, ...options }),
    startBeside: async () => (await parts.beside()).startBeside(folder),
    openStopped: async () => (await parts.stopped()).openStopped(folder),
    locate: () => locate(folder),
    schemaFiles: async () => (await parts.schemaFiles()).schemaFilesOf(folder),
    exportEntries: async (options) => (await parts.export()).exportFolder(folder, options),
    openRealm: async (options) => (await parts.realmFile()).openRealmFile(folder, options),
    importEntries: async (options) => (await parts.bulk()).importFolder(folder, options),
    convertElsewhere: async (options) => (await parts.elsewhere()).convertElsewhere(folder, options),
    tryImport: async (options) => (await parts.bulk()).tryImport(folder, options),
    examine: async (options) => (await parts.upkeep()).examineFolder(folder, options),
    repair: async () => (await parts.upkeep()).repairFolder(folder),
    openLog: async () => (await parts.upkeep()).openChangeLog(folder),
    backUp: async (file, onProgress) => (await parts.upkeep()).backUpFolder(folder, file, onProgress),
    restore: async (file, options) => (await parts.upkeep()).restoreFolder(folder, file, options),
    metadata: async (asked) => (await parts.metadata()).withMetadata(folder, asked),
  };
}
