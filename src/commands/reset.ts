import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Misuse } from './command.ts';
import { demoDataDir, demoMark } from './demo-folder.ts';
import { noArguments } from './parse.ts';

export const reset: Command = {
  takes: '',
  means: 'throw the demo away, so that the next start begins anew',
  help: `Removes the demo's data folder, and only a folder that the demo made.`,
  run: async (args, { root, environment, stdout }) => {
    noArguments(args);
    const folder = demoDataDir(root, environment);
    if (!existsSync(folder)) {
      stdout.write('There is no demo to throw away.\n');
      return 0;
    }
    // Someone may point STS_GLOBAL_DATA_DIR at a folder that matters: without the demo's mark nothing is removed.
    if (!existsSync(resolve(folder, demoMark))) throw new Misuse(`${folder} was not made by the demo; remove it yourself if you mean it`);
    rmSync(folder, { recursive: true, force: true });
    stdout.write(`Thrown away: ${folder}\n`);
    return 0;
  },
};
