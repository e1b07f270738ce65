import { Refusal } from '#catalogue';
import { ClientRefusal, clientErrors } from '#client';
import { resultCodes } from '#ldap';
import type { Command, Context } from './command.ts';
import { Ending, exits, Misuse } from './exits.ts';
import { readGiven } from './given.ts';
import { helpOf, listOf } from './help.ts';
import { nearest } from './near.ts';
import { commands as rows } from './operations.ts';
import { explain } from './operators.ts';
import { write } from './output.ts';

const commands: Readonly<Record<string, Command>> = rows;

type Found =
  | { readonly kind: 'command'; readonly name: string; readonly command: Command; readonly args: readonly string[] }
  | { readonly kind: 'noun'; readonly noun: string; readonly args: readonly string[] }
  | { readonly kind: 'unknown'; readonly what: string; readonly near: string | undefined; readonly noun?: string };

/**
 * Finds the row of what was called and runs it, or tells its help.
 *
 * @param argv  what stands behind `atrium`
 * @returns the exit status
 */
export async function dispatch(argv: readonly string[], context: Context): Promise<number> {
  const [first = 'help', ...others] = argv;
  if (first === 'help' || first === '--help' || first === '-h') return await help(others, context);
  const found = find(first === '--version' ? ['version'] : argv);
  if (found.kind === 'unknown') return unknown(found, context);
  const end = found.args.indexOf('--');
  const asksHelp = (end < 0 ? found.args : found.args.slice(0, end)).some((word) => word === '--help' || word === '-h');
  if (found.kind === 'noun') {
    await write(asksHelp ? context.stdout : context.stderr, listOf(commands, found.noun));
    return asksHelp ? exits.done.status : exits.misuse.status;
  }
  if (asksHelp) return await tell(helpOf(found.name, found.command), context);
  try {
    return await found.command.run(readGiven(found.command, found.args), context);
  } catch (error) {
    return statusOf(error, found.name, context);
  }
}

/** The nouns of the table: `person` of `person add`. */
export function nouns(): readonly string[] {
  return [...new Set(Object.keys(commands).flatMap((name) => (name.includes(' ') ? [name.slice(0, name.indexOf(' '))] : [])))];
}

function find(argv: readonly string[]): Found {
  const [first = '', second, ...rest] = argv;
  const both = `${first} ${second}`;
  if (Object.hasOwn(commands, both)) return { kind: 'command', name: both, command: commands[both] as Command, args: rest };
  if (Object.hasOwn(commands, first)) return { kind: 'command', name: first, command: commands[first] as Command, args: argv.slice(1) };
  if (!nouns().includes(first)) {
    const words = Object.keys(commands).map((name) => name.split(' ')[0] as string);
    return { kind: 'unknown', what: first, near: nearest(first, words) };
  }
  const standing = Object.hasOwn(unspoken, first) ? unspoken[first] : undefined;
  if (standing !== undefined && second?.startsWith('--') && !argv.includes('--help'))
    return { kind: 'command', name: standing, command: commands[standing] as Command, args: argv.slice(1) };
  if (second === undefined || second.startsWith('-')) return { kind: 'noun', noun: first, args: argv.slice(1) };
  const verbs = Object.keys(commands).flatMap((name) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
  return { kind: 'unknown', what: both, near: nearest(second, verbs), noun: first };
}

/** What a noun means where an option stands in the place of its verb. */
const unspoken: Readonly<Record<string, keyof typeof rows>> = { access: 'access explain' };

function unknown({ what, near, noun }: Found & { kind: 'unknown' }, { stderr }: Context): number {
  const meant = near === undefined ? '' : `; ${noun === undefined ? '' : `${noun} `}${near} is meant, perhaps`;
  stderr.write(`atrium: there is no command ${JSON.stringify(what)}${meant}. See: atrium help${noun === undefined ? '' : ` ${noun}`}\n`);
  return exits.misuse.status;
}

async function help(words: readonly string[], context: Context): Promise<number> {
  if (words[0] === undefined || words[0] === 'help' || words[0].startsWith('-')) return await tell(listOf(commands), context);
  const found = find(words);
  if (found.kind === 'unknown') return unknown(found, context);
  return await tell(found.kind === 'noun' ? listOf(commands, found.noun) : helpOf(found.name, found.command), context);
}

async function tell(text: string, { stdout }: Context): Promise<number> {
  await write(stdout, text);
  return exits.done.status;
}

/** Tells what ended a command, and the status for it. What is none of these is a bug and goes on. */
function statusOf(error: unknown, name: string, { stderr }: Context): number {
  const end = (line: string, { status }: { readonly status: number }) => {
    stderr.write(`atrium: ${line}\n`);
    return status;
  };
  if (error instanceof Misuse) return end(`${error.message}. See: atrium ${name} --help`, error);
  if (error instanceof Ending) return end(error.message, error);
  if (error instanceof ClientRefusal) return end(explain(error), error.code === resultCodes.noSuchObject ? exits.absent : exits.failed);
  if (error instanceof Refusal) return end(error.message, error.row === clientErrors.unreachable ? exits.unreachable : exits.failed);
  throw error;
}
