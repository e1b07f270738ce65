import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from './command.ts';
import { confirm } from './confirm.ts';
import { demoDataDir, demoMark } from './demo-folder.ts';
import { Misuse } from './exits.ts';
import { connectRunning } from './operators.ts';
import { yes } from './options.ts';

export const reset: Command = {
  means: 'throw the demo away, so that the next start begins anew',
  more: ['Removes the demo’s data folder, and only a folder that the demo made.'],
  on: 'none',
  options: { yes },
  destroys: 'all that was changed in the demo',
  examples: [{ line: 'npm run reset' }, { line: 'atrium reset --yes' }],
  run: async (given, context) => {
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
    await confirm(`This removes the demo’s data in ${folder}.`, 'demo', given, context);
    rmSync(folder, { recursive: true, force: true });
    stdout.write(`Thrown away: ${folder}\n`);
    return 0;
  },
};
