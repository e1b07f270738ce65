import { setImmediate } from 'node:timers/promises';
import { systemClock } from '#base';
import { Refusal } from '#catalogue';
import { lockFolder } from '#store';

/** Locks the folder named by its argument and stays until it is killed. What it was given is not kept, and the lock must hold all the same. */
try {
  lockFolder(process.argv[2] ?? '', systemClock);
  await setImmediate();
  globalThis.gc?.();
  await setImmediate();
  process.stdout.write('locked\n');
  process.stdin.resume();
} catch (error) {
  process.stdout.write(error instanceof Refusal ? error.message : String(error));
  process.exitCode = 1;
}
