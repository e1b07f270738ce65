import { once } from 'node:events';
import { systemClock } from '#base';
import { openStateStore } from '#store';
import { settingsWith } from '../support.ts';

/** Opens the state named by its argument and, when told, takes, replaces and puts what it can, printing what it got. */
const state = openStateStore({ file: process.argv[2] ?? '', settings: settingsWith(), clock: systemClock, epoch: 1 });
process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (let number = 0; number < 300; number++) {
  if (state.take('ticket', String(number)) !== undefined) process.stdout.write(`took ${number}\n`);
  if (state.replace('counter', String(number), '0', String(process.pid))) process.stdout.write(`replaced ${number}\n`);
  if (state.putNew('key', String(number), 'mine', Number.MAX_SAFE_INTEGER) !== undefined) process.stdout.write(`put ${number}\n`);
}
state.close();
process.stdin.destroy();
