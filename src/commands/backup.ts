import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { failureOf, Misuse, noDirectory, Unreachable } from './exits.ts';
import { json } from './options.ts';
import { createProgress } from './progress.ts';
import { stoppable } from './stoppable.ts';

export const backup: Command = {
  means: 'copy every entry and the change log into a new file, while the service runs or not',
  more: [
    'FILE holds one moment of the directory, whatever is written meanwhile: it is read again when it is written, checked and compared, and only then it has its name. An existing file is not overwritten. It holds password hashes, and only its owner may read it: keep it safe.',
    'Not in it: the key-encryption key, without which nothing that is sealed can be opened; certificates; sessions; the audit trail. While the copy is made a running service cannot shorten its log.',
  ],
  on: 'files',
  operands: [{ name: 'FILE', type: 'file', means: 'the file to make' }],
  options: { json },
  examples: [{ line: 'atrium backup monday.sqlite' }, { line: 'atrium backup --json monday.sqlite' }],
  run: async (given, context) => {
    const file = given.need('FILE');
    const path = resolve(file);
    if (existsSync(path)) throw new Misuse(`${file} exists already`);
    const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Copying', 'pages');
    const made = await stoppable(context, (look) =>
      context.backUp(path, (done, total) => {
        look();
        progress.show(done, total, done);
      }),
    );
    progress.end();
    if (made.kind === 'absent') throw new Unreachable(noDirectory);
    if (made.kind === 'refused') throw failureOf(made.lines);
    const { entries, number, epoch, octets } = made;
    const words = `${entries.toLocaleString('en')} entries up to change ${number} of epoch ${epoch}, ${octets.toLocaleString('en')} octets, read again and compared: ${file}`;
    context.stdout.write(`${given.flag('json') ? JSON.stringify({ file: path, entries, number, epoch, octets }) : words}\n`);
    context.stderr.write('The key-encryption key is not in it: keep that elsewhere, and keep it.\n');
    return 0;
  },
};
