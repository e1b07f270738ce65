import type { Context } from './command.ts';
import { Interrupted } from './exits.ts';

/**
 * Does work that looks now and then whether a signal came, so that one ends it in order instead of in the middle: whatever cleans up behind a
 * failure cleans up behind it.
 *
 * @param work  calls its argument between its steps
 * @returns what the work made
 * @throws Interrupted when it was stopped
 */
export async function stoppable<T>({ untilSignal }: Context, work: (look: () => void) => Promise<T>): Promise<T> {
  let asked = false;
  void untilSignal().then(() => {
    asked = true;
  });
  return await work(() => {
    if (asked) throw new Interrupted('stopped; everything is as it was');
  });
}
