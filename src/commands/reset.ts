import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Misuse } from './command.ts';
import { demoDataDir, demoMark } from './demo-folder.ts';
import { connectRunning } from './operators.ts';
import { noArguments } from './parse.ts';

export const reset: Command = {
  takes: '',
  means: 'throw the demo away, so that the next start begins anew',
  help: `Removes the demo's data folder, and only a folder that the demo made.`,
  run: async (args, context) => {
    noArguments(args);
    const { root, environment, stdout } = context;
    const folder = demoDataDir(root, environment);
    if (!existsSync(folder)) {
      stdout.write('There is no demo to throw away.\n');
      return 0;
    }
    // Someone may point STS_GLOBAL_DATA_DIR at a folder that matters: without the demo's mark nothing is removed.
    if (!existsSync(resolve(folder, demoMark))) throw new Misuse(`${folder} was not made by the demo; remove it yourself if you mean it`);
    await using running = await connectRunning(context);
    if (running !== undefined) throw new Misuse('the demo is running; stop it first, with Ctrl-C where it runs');
    rmSync(folder, { recursive: true, force: true });
    stdout.write(`Thrown away: ${folder}\n`);
    return 0;
  },
};
