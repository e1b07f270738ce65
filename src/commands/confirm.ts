import { createInterface } from 'node:readline/promises';
import type { Context } from './command.ts';
import { Interrupted, Unconfirmed } from './exits.ts';
import type { Given } from './given.ts';

/**
 * Asks on a terminal before something is destroyed: who goes on types its name. With `--yes` nothing is asked; without a terminal nothing is done.
 *
 * @param what  what would be destroyed, in a line or several
 * @param name  what must be typed
 * @throws Unconfirmed
 */
export async function confirm(what: string, name: string, given: Given, { stdin, stderr, untilSignal }: Context): Promise<void> {
  if (given.flag('yes')) return;
  if (!stdin.isTTY || !stderr.isTTY)
    throw new Unconfirmed(`nothing was done: there is no terminal to ask on, and --yes was not given\n${what}`);
  const leave = new AbortController();
  void untilSignal().then(() => leave.abort());
  const terminal = createInterface({ input: stdin, output: stderr });
  terminal.once('SIGINT', () => leave.abort());
  terminal.once('close', () => leave.abort());
  try {
    const typed = await terminal.question(`${what}\nType ${name} to go on: `, { signal: leave.signal });
    if (typed.trim() !== name) throw new Unconfirmed('that is not the name: nothing was done');
  } catch (error) {
    if (!leave.signal.aborted) throw error;
    throw new Interrupted('nothing was done');
  } finally {
    terminal.close();
  }
}
