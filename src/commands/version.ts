import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './command.ts';

export const version: Command = {
  means: 'print the version',
  on: 'none',
  examples: [{ line: 'atrium version' }],
  run: async (_given, { root, stdout }) => {
    stdout.write(`atrium ${readFileSync(join(root, 'VERSION'), 'utf8').trim()}\n`);
    return 0;
  },
};
