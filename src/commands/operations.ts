import { accessCommands } from './access.ts';
import { applicationCommands } from './application.ts';
import { backup } from './backup.ts';
import { changes } from './changes.ts';
import type { Command } from './command.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { exportCommand, exportRealm } from './export.ts';
import { groupCommands } from './group.ts';
import { importCommand, importRealm } from './import.ts';
import { mailCommands } from './mail.ts';
import { managedCommands } from './managed.ts';
import { installMetadata, showMetadata } from './metadata.ts';
import { personCommands } from './person.ts';
import { realmCommands } from './realm.ts';
import { applyRealm } from './realm-apply.ts';
import { diffRealm } from './realm-diff.ts';
import { reset } from './reset.ts';
import { restore } from './restore.ts';
import { importSchema, listSchema } from './schema.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';
import { version } from './version.ts';
import { web } from './web.ts';

/** It stands here because it tells of all of them. */
const completion: Command = {
  means: 'print what completes commands and options in a shell',
  more: ['The script holds all that it needs: nothing is started to complete a word. A new version has a new one.'],
  on: 'none',
  operands: [{ name: 'SHELL', type: ['bash', 'zsh'], means: 'bash or zsh' }],
  examples: [
    { line: 'atrium completion bash > atrium.bash', does: 'to be read in ~/.bashrc, with: source atrium.bash' },
    { line: 'atrium completion zsh > _atrium', does: 'to lie in a folder of zsh’s fpath' },
  ],
  run: async (given, context) => (await import('./completion.ts')).printCompletion(given, context, commands),
};

/** What is about one thing stands together. */
function byNoun<T extends Record<string, Command>>(all: T): T {
  const nouns = new Map<string, [string, Command][]>();
  for (const each of Object.entries(all)) {
    const noun = each[0].split(' ', 1).join();
    nouns.set(noun, [...(nouns.get(noun) ?? []), each]);
  }
  return Object.fromEntries([...nouns.values()].flat()) as T;
}

/** The commands of `atrium`, `noun verb` or one word: dispatch, parsing, help, completion and docs/commands.md read the same rows. */
export const commands = byNoun({
  serve,
  web,
  demo,
  reset,
  ...personCommands,
  ...groupCommands,
  ...applicationCommands,
  ...accessCommands,
  search,
  import: importCommand,
  export: exportCommand,
  ...realmCommands,
  'realm export': exportRealm,
  'realm import': importRealm,
  'realm diff': diffRealm,
  'realm apply': applyRealm,
  'schema list': listSchema,
  'schema import': importSchema,
  ...mailCommands,
  ...managedCommands,
  'metadata show': showMetadata,
  'metadata install': installMetadata,
  changes,
  doctor,
  backup,
  restore,
  completion,
  version,
});
