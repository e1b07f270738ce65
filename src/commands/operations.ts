import { backup } from './backup.ts';
import { changes } from './changes.ts';
import type { Command } from './command.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { applyRealm } from './realm-apply.ts';
import { diffRealm } from './realm-diff.ts';
import { exportRealm } from './realm-export.ts';
import { reset } from './reset.ts';
import { restore } from './restore.ts';
import { importSchema, listSchema } from './schema.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';
import { version } from './version.ts';

/** The commands of `atrium`, `noun verb` or one word: dispatch, parsing, help, completion and docs/commands.md read the same rows. */
export const commands = {
  serve,
  demo,
  reset,
  search,
  import: importCommand,
  export: exportCommand,
  'realm export': exportRealm,
  'realm diff': diffRealm,
  'realm apply': applyRealm,
  'schema list': listSchema,
  'schema import': importSchema,
  changes,
  doctor,
  backup,
  restore,
  version,
} as const satisfies Record<string, Command>;
