// Writes what follows from the rows of the commands and of the operations: node test/commands/manual.ts
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { managedRows, secretAttributes } from './managed.ts';

const root = join(import.meta.dirname, '../..');
const rows = join(root, 'src/commands/managed-rows.ts');
writeFileSync(
  rows,
  [
    "import type { ManagedRow } from './managed-row.ts';",
    '',
    '/** Made of the rows of the operations by `node test/commands/manual.ts`, which a test holds it against. */',
    `export const managedRows: Readonly<Record<string, ManagedRow>> = ${JSON.stringify(managedRows(), undefined, 1)};`,
    '',
    '/** Attributes that the schema marks as secret, by all their names: they are given in files. Made of the schema in the same way. */',
    `export const secretAttributes: readonly string[] = ${JSON.stringify(secretAttributes(), undefined, 1)};`,
    '',
  ].join('\n'),
);
spawnSync(process.execPath, [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', rows], {
  cwd: root,
  stdio: 'inherit',
});
// It reads what was just written.
const { commands, manualOf } = await import('#commands');
writeFileSync(join(root, 'docs/commands.md'), manualOf(commands));
