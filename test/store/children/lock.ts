import { systemClock } from '#base';
import { Refusal } from '#catalogue';
import { lockFolder } from '#store';

/** Locks the folder named by its argument and stays until it is killed. */
try {
  lockFolder(process.argv[2] ?? '', systemClock);
  process.stdout.write('locked\n');
  process.stdin.resume();
} catch (error) {
  process.stdout.write(error instanceof Refusal ? error.message : String(error));
  process.exitCode = 1;
}
