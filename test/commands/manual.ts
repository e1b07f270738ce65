// Writes docs/commands.md from the rows of the commands: node test/commands/manual.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands, manualOf } from '#commands';

writeFileSync(join(import.meta.dirname, '../../docs/commands.md'), manualOf(commands));
