#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemChance, systemClock } from '#base';
import { processEnvironment } from '#catalogue';
import { type Command, type Context, commands, Failure, Misuse } from '#commands';
import { locate } from './begin.ts';

const root = dirname(import.meta.dirname);
const environment = processEnvironment();

/** What a command does is loaded with it: most of the time of a short one would be spent on loading the others. */
const parts = {
  main: () => import('./main.ts'),
  schemaFiles: () => import('./schema-files.ts'),
  bulk: () => import('./bulk.ts'),
  export: () => import('./export.ts'),
  upkeep: () => import('./upkeep.ts'),
};

// Whoever reads has gone, head(1) say, or the disk behind it is full: there is nobody to work for.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.stderr.write(`atrium: standard output cannot be written: ${error.code}\n`);
  process.exit(1);
});

process.exitCode = await run(process.argv.slice(2), {
  environment,
  root,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  chance: systemChance,
  start: async (options) => (await parts.main()).startAtrium({ root, ...options }),
  locate: () => locate({ root, environment }),
  schemaFiles: async () => (await parts.schemaFiles()).schemaFilesOf({ root, environment }),
  exportEntries: async (options) => (await parts.export()).exportFolder({ root, environment }, options),
  importEntries: async (options) => (await parts.bulk()).importFolder({ root, environment }, options),
  tryImport: async (options) => (await parts.bulk()).tryImport({ root, environment }, options),
  examine: async (options) => (await parts.upkeep()).examineFolder({ root, environment }, options),
  repair: async () => (await parts.upkeep()).repairFolder({ root, environment }),
  openLog: async () => (await parts.upkeep()).openChangeLog({ root, environment }),
  backUp: async (file, onProgress) => (await parts.upkeep()).backUpFolder({ root, environment }, file, onProgress),
  restore: async (file, options) => (await parts.upkeep()).restoreFolder({ root, environment }, file, options),
  untilSignal,
});

/** Finds the command's row and runs it. Status 2 for a mistake in the call, with the way to help. */
async function run(argv: readonly string[], context: Context): Promise<number> {
  const [name = 'help', ...args] = argv;
  if (name === '--version' || name === 'version') {
    context.stdout.write(`atrium ${readFileSync(join(root, 'VERSION'), 'utf8').trim()}\n`);
    return 0;
  }
  if (name === 'help' || name === '--help') return help(args[0], context);
  const command = find(name);
  if (command === undefined) return mistake(`there is no command ${JSON.stringify(name)}`, 'atrium help', context);
  if (args.includes('--help')) return help(name, context);
  try {
    return await command.run(args, context);
  } catch (error) {
    if (error instanceof Failure) {
      context.stderr.write(`atrium: ${error.message}\n`);
      return 1;
    }
    if (error instanceof Misuse) return mistake(error.message, `atrium ${name} --help`, context);
    throw error;
  }
}

function find(name: string): Command | undefined {
  return Object.hasOwn(commands, name) ? (commands as Readonly<Record<string, Command>>)[name] : undefined;
}

function mistake(what: string, more: string, { stderr }: Context): number {
  stderr.write(`atrium: ${what}. See: ${more}\n`);
  return 2;
}

function help(name: string | undefined, context: Context): number {
  const { stdout } = context;
  if (name === undefined) {
    stdout.write('Atrium, an identity server on its own LDAP directory.\n\n');
    for (const [called, { takes, means }] of Object.entries<Command>(commands)) {
      stdout.write(`  ${`atrium ${called} ${takes}`.padEnd(42)} ${means}\n`);
    }
    stdout.write('\nMore about one of them: atrium help COMMAND\n');
    return 0;
  }
  const command = find(name);
  if (command === undefined) return mistake(`there is no command ${JSON.stringify(name)}`, 'atrium help', context);
  stdout.write(`atrium ${name} ${command.takes}\n\n${command.means[0]?.toUpperCase()}${command.means.slice(1)}.\n\n${command.help}\n`);
  return 0;
}

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
