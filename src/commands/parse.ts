import { Misuse } from './command.ts';

/** Refuses arguments where a command takes none. */
export function noArguments(args: readonly string[]): void {
  if (args[0] !== undefined) throw new Misuse(`nothing is expected here, and ${JSON.stringify(args[0])} was given`);
}

export interface Parsed {
  readonly operands: readonly string[];
  /** `--name value` and `--name=value`; a flag has the value `''`. */
  readonly options: ReadonlyMap<string, string>;
}

/**
 * Splits arguments into operands and options.
 *
 * @param known  each option's name without dashes, and whether a value follows it
 * @throws Misuse for an option that is not known, or one without its value
 */
export function parse(args: readonly string[], known: Readonly<Record<string, 'flag' | 'value'>>): Parsed {
  const operands: string[] = [];
  const options = new Map<string, string>();
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] as string;
    if (argument === '--') {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (!argument.startsWith('--')) {
      operands.push(argument);
      continue;
    }
    const [name, inline] = split(argument.slice(2));
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw new Misuse(`there is no option --${name} here`);
    if (kind === 'flag') {
      if (inline !== undefined) throw new Misuse(`--${name} takes no value`);
      options.set(name, '');
      continue;
    }
    const value = inline ?? args[++i];
    if (value === undefined) throw new Misuse(`--${name} needs a value`);
    options.set(name, value);
  }
  return { operands, options };
}

function split(option: string): [string, string | undefined] {
  const at = option.indexOf('=');
  return at < 0 ? [option, undefined] : [option.slice(0, at), option.slice(at + 1)];
}
