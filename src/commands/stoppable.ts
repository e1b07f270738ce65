import type { Context } from './command.ts';

/** Thrown out of work that was asked to stop; whatever cleans up behind a failure cleans up behind it. */
class Stopped extends Error {}

/**
 * Does work that looks now and then whether a signal came, so that one ends it in order instead of in the middle.
 *
 * @param work  calls its argument between its steps
 * @returns what the work made; nothing, with a line for the operator, when it was stopped
 */
export async function stoppable<T>({ untilSignal, stderr }: Context, work: (look: () => void) => Promise<T>): Promise<T | undefined> {
  let asked = false;
  void untilSignal().then(() => {
    asked = true;
  });
  try {
    return await work(() => {
      if (asked) throw new Stopped();
    });
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    stderr.write('atrium: stopped; everything is as it was\n');
    return undefined;
  }
}
