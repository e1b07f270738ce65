/** What the exit status of every command says. */
export const exits = {
  done: { status: 0, means: 'done' },
  failed: { status: 1, means: 'refused by the directory, or something is wrong; where several things were asked for, some may be done' },
  misuse: { status: 2, means: 'a mistake in the call, or not confirmed: nothing was done' },
  absent: { status: 3, means: 'what was named is not there' },
  unreachable: { status: 4, means: 'no service answers, and there is no folder that could be opened instead' },
  interrupted: { status: 130, means: 'interrupted, with Ctrl-C for example' },
} as const;

/** Ends a command with one line for the operator. */
export abstract class Ending extends Error {
  abstract readonly status: number;
}

/** What is neither a mistake in the call nor a refusal, a full disk say. */
export class Failure extends Ending {
  readonly status = exits.failed.status;
}

/** A mistake in how a command was called; the way to its help is told with it. */
export class Misuse extends Ending {
  readonly status = exits.misuse.status;
}

/** Not confirmed. */
export class Unconfirmed extends Ending {
  readonly status = exits.misuse.status;
}

/** What was named is not there. */
export class Absent extends Ending {
  readonly status = exits.absent.status;
}

/** For a folder that has no directory. */
export const noDirectory = 'there is no directory in this folder';

/** Asked to stop, and stopped in order. */
export class Interrupted extends Ending {
  readonly status = exits.interrupted.status;
}

/** What an operator has to mend, a line each. */
export function failureOf(lines: readonly string[]): Failure {
  return new Failure(lines.join('\natrium: '));
}

/** There is no directory to ask. */
export class Unreachable extends Ending {
  readonly status = exits.unreachable.status;
}
