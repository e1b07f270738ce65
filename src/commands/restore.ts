import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { failureOf, Misuse } from './exits.ts';
import { json } from './options.ts';
import { createProgress } from './progress.ts';
import { stoppable } from './stoppable.ts';

export const restore: Command = {
  means: 'put a backup into the folder of a stopped service',
  more: [
    'FILE is what atrium backup wrote. It is copied, checked and compared before anything is changed. Into a folder that has entries it goes with --replace alone; what was there is moved into a folder of its own inside the data folder, and nothing is deleted. At every instant the folder has the old entries or the new.',
    'All sessions end, and a new epoch begins, so that no session and no single-use code from before comes back to life. The service needs the key-encryption key that it had when the backup was made.',
  ],
  on: 'stopped',
  operands: [{ name: 'FILE', type: 'file', means: 'what atrium backup wrote' }],
  options: { replace: { means: 'also into a folder that has entries: they are moved aside' }, json },
  examples: [
    { line: 'atrium restore monday.sqlite', does: 'into a folder without entries' },
    { line: 'atrium restore --replace monday.sqlite' },
  ],
  run: async (given, context) => {
    const file = given.need('FILE');
    const path = resolve(file);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw new Misuse(`${file} is not a file`);
    const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Copying', 'pages');
    const restored = await stoppable(context, (look) =>
      context.restore(path, {
        replace: given.flag('replace'),
        onProgress: (done, total) => {
          look();
          progress.show(done, total, done);
        },
      }),
    );
    progress.end();
    if (restored.kind === 'occupied') throw new Misuse('this folder has a directory; with --replace it is moved aside');
    if (restored.kind === 'refused') throw failureOf(restored.lines);
    const { entries, number, epoch, aside } = restored;
    if (given.flag('json')) {
      context.stdout.write(`${JSON.stringify({ entries, number, epoch, aside })}\n`);
      return 0;
    }
    context.stdout.write(
      `${entries.toLocaleString('en')} entries up to change ${number}; all sessions have ended, and epoch ${epoch} begins.\n`,
    );
    if (aside !== undefined) context.stdout.write(`What was there before is in ${aside}\n`);
    return 0;
  },
};
