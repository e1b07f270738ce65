import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Misuse } from './command.ts';
import { parse } from './parse.ts';
import { createProgress } from './progress.ts';
import { stoppable } from './stoppable.ts';

export const restore: Command = {
  takes: 'FILE [--replace]',
  means: 'put a backup into the folder of a stopped service',
  help: `FILE is what atrium backup wrote. It is copied, checked and compared before anything is changed.
Into a folder that has entries it goes with --replace alone; what was there is moved into a folder of its own inside the data folder, and
nothing is deleted. At every instant the folder has the old entries or the new.
All sessions end, and a new epoch begins, so that no session and no single-use code from before comes back to life.
The service needs the key-encryption key that it had when the backup was made.

  atrium restore /var/backups/atrium-monday.sqlite
  atrium restore --replace /var/backups/atrium-monday.sqlite`,
  run: async (args, context) => {
    const { operands, options } = parse(args, { replace: 'flag' });
    const [file, ...rest] = operands;
    if (file === undefined || rest.length > 0) throw new Misuse('one file is expected');
    const path = resolve(file);
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw new Misuse(`${file} is not a file`);
    const progress = createProgress(context.stderr, () => context.clock.nowMs(), 'Copying', 'pages');
    const restored = await stoppable(context, (look) =>
      context.restore(path, {
        replace: options.has('replace'),
        onProgress: (done, total) => {
          look();
          progress.show(done, total, done);
        },
      }),
    );
    progress.end();
    if (restored === undefined) return 1;
    if (restored.kind === 'occupied') throw new Misuse('this folder has a directory; with --replace it is moved aside');
    if (restored.kind === 'refused') {
      for (const line of restored.lines) context.stderr.write(`${line}\n`);
      return 1;
    }
    const { entries, number, epoch, aside } = restored;
    context.stdout.write(
      `${entries.toLocaleString('en')} entries up to change ${number}; all sessions have ended, and epoch ${epoch} begins.\n`,
    );
    if (aside !== undefined) context.stdout.write(`What was there before is in ${aside}\n`);
    return 0;
  },
};
