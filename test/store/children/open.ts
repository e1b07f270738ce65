import { once } from 'node:events';
import { join } from 'node:path';
import { systemClock } from '#base';
import { openStateStore } from '#store';
import { settingsWith } from '../support.ts';

/** When told, opens a hundred files of state in the folder named by its argument and leaves its mark in each. */
process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (let number = 0; number < 100; number++) {
  const state = openStateStore({
    file: join(process.argv[2] ?? '', String(number)),
    settings: settingsWith(),
    clock: systemClock,
    epoch: 1,
  });
  state.put('opener', String(process.pid), '', Number.MAX_SAFE_INTEGER);
  state.close();
}
process.stdin.destroy();
