import type { OperationRow } from '#catalogue';
import type { Context } from './command.ts';
import { bashOf } from './complete-bash.ts';
import { zshOf } from './complete-zsh.ts';
import type { Given } from './given.ts';

/** Prints what completes commands, verbs, options and their words in a shell. */
export function printCompletion(given: Given, { stdout }: Context, commands: Readonly<Record<string, OperationRow>>): number {
  stdout.write(given.need('SHELL') === 'bash' ? bashOf(commands) : zshOf(commands));
  return 0;
}
