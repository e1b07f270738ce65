import { backup } from './backup.ts';
import { changes } from './changes.ts';
import type { Command } from './command.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { reset } from './reset.ts';
import { restore } from './restore.ts';
import { schema } from './schema.ts';
import { search } from './search.ts';
import { serve } from './serve.ts';

/** The commands of `atrium`: dispatch and help read the same rows. */
export const commands = {
  serve,
  demo,
  reset,
  search,
  import: importCommand,
  export: exportCommand,
  schema,
  changes,
  doctor,
  backup,
  restore,
} as const satisfies Record<string, Command>;
