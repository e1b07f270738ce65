#!/usr/bin/env node
import { dirname } from 'node:path';
import { systemChance, systemClock } from '#base';
import { processEnvironment } from '#catalogue';
import { demoKey, dispatch } from '#commands';
import { locate } from './locate.ts';

const root = dirname(import.meta.dirname);
const given = processEnvironment();
/** A start of the demo names the key that it made; whoever only looks at its folder need not. */
const environment = { ...demoKey(root, given), ...given };

/** What a command does is loaded with it: most of the time of a short one would be spent on loading the others. */
const parts = {
  main: () => import('./main.ts'),
  beside: () => import('./beside.ts'),
  schemaFiles: () => import('./schema-files.ts'),
  bulk: () => import('./bulk.ts'),
  elsewhere: () => import('./elsewhere-import.ts'),
  export: () => import('./export.ts'),
  metadata: () => import('./metadata.ts'),
  realmFile: () => import('./realm-file.ts'),
  stopped: () => import('./stopped.ts'),
  upkeep: () => import('./upkeep.ts'),
};

// Whoever reads has gone, head(1) say, or the disk behind it is full: there is nobody to work for.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`atrium: standard output cannot be written: ${error.code}\n`);
  process.exit(1);
});

process.exitCode = await dispatch(process.argv.slice(2), {
  environment: given,
  root,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  chance: systemChance,
  start: async (options) => (await parts.main()).startAtrium({ root, ...options }),
  startBeside: async () => (await parts.beside()).startBeside({ root, environment }),
  openStopped: async () => (await parts.stopped()).openStopped({ root, environment }),
  locate: () => locate({ root, environment }),
  schemaFiles: async () => (await parts.schemaFiles()).schemaFilesOf({ root, environment }),
  exportEntries: async (options) => (await parts.export()).exportFolder({ root, environment }, options),
  openRealm: async (options) => (await parts.realmFile()).openRealmFile({ root, environment }, options),
  importEntries: async (options) => (await parts.bulk()).importFolder({ root, environment }, options),
  convertElsewhere: async (options) => (await parts.elsewhere()).convertElsewhere({ root, environment }, options),
  tryImport: async (options) => (await parts.bulk()).tryImport({ root, environment }, options),
  examine: async (options) => (await parts.upkeep()).examineFolder({ root, environment }, options),
  repair: async () => (await parts.upkeep()).repairFolder({ root, environment }),
  openLog: async () => (await parts.upkeep()).openChangeLog({ root, environment }),
  backUp: async (file, onProgress) => (await parts.upkeep()).backUpFolder({ root, environment }, file, onProgress),
  restore: async (file, options) => (await parts.upkeep()).restoreFolder({ root, environment }, file, options),
  metadata: async (asked) => (await parts.metadata()).withMetadata({ root, environment }, asked),
  untilSignal,
});

/** One Ctrl-C arrives several times: from the terminal, and forwarded by npm and by the runner. */
const sameSignalMs = 1000;

/** The first SIGTERM or SIGINT asks for an orderly end; a later one does not wait for it. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedMs: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const nowMs = systemClock.nowMs();
        if (askedMs !== undefined && nowMs - askedMs > sameSignalMs) process.exit(1);
        askedMs ??= nowMs;
        resolve();
      });
    }
  });
}
