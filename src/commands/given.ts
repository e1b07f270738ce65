import type { OperandRow, OperationRow, OptionRow, ValueType } from '#catalogue';
import { Misuse } from './exits.ts';
import { nearest } from './near.ts';

/** What a command was called with, by the names of its row: `FILE` for an operand, `limit` for an option. */
export interface Given {
  /** Whether the row has it. */
  has(name: string): boolean;
  flag(name: string): boolean;
  /** What was given, else the row's default, else nothing. */
  text(name: string): string | undefined;
  /** What must be given. */
  need(name: string): string;
  /** What may be given several times. */
  texts(name: string): readonly string[];
  /** A number above 0. */
  count(name: string): number | undefined;
}

/** The largest number that may be given for a count. */
const countDigitsMax = 9;

/**
 * Reads arguments by a command's row. `--name value` and `--name=value` are the same, and `--` ends the options.
 *
 * @throws Misuse for what the row does not know, what it needs and has not, and values of another form
 */
export function readGiven(row: OperationRow, args: readonly string[]): Given {
  const { operands = [], options = {} } = row;
  const values = new Map<string, string[]>();
  const loose = readOptions(options, args, values);
  for (const operand of operands) {
    const taken = operand.many ? loose.splice(0) : loose.splice(0, 1);
    if (taken.length === 0 && !operand.optional) throw new Misuse(`${operand.name} is missing: ${operand.means}`);
    for (const each of taken) hold(operand.name, operand.type, each);
    values.set(operand.name, taken);
  }
  if (loose[0] !== undefined) throw new Misuse(`${expected(operands)}, and ${JSON.stringify(loose[0])} was given`);
  for (const [name, option] of Object.entries(options))
    if (option.required && !values.has(name)) throw new Misuse(`--${name} is missing: ${option.means}`);

  const of = (name: string): readonly string[] => {
    if (!Object.hasOwn(options, name) && !operands.some((operand) => operand.name === name)) throw new Error(`the row has no ${name}`);
    const own = Object.hasOwn(options, name) ? options[name]?.default : undefined;
    return values.get(name) ?? (own === undefined ? [] : [own]);
  };
  return {
    has: (name) => Object.hasOwn(options, name),
    flag: (name) => of(name).length > 0,
    text: (name) => of(name).at(-1),
    texts: of,
    need: (name) => {
      const value = of(name).at(-1);
      if (value === undefined) throw new Error(`the row does not need ${name}`);
      return value;
    },
    count: (name) => {
      const value = of(name).at(-1);
      return value === undefined ? undefined : Number(value);
    },
  };
}

/** @returns what is no option */
function readOptions(options: Readonly<Record<string, OptionRow>>, args: readonly string[], values: Map<string, string[]>): string[] {
  const loose: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] as string;
    if (argument === '--') {
      loose.push(...args.slice(i + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      loose.push(argument);
      continue;
    }
    const [name, inline] = split(argument.replace(/^--?/, ''));
    const option = argument.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new Misuse(unknown(argument, name, Object.keys(options)));
    if (option.value === undefined) {
      if (inline !== undefined) throw new Misuse(`--${name} takes no value`);
      values.set(name, ['']);
      continue;
    }
    const value = inline ?? args[++i];
    if (value === undefined) throw new Misuse(`--${name} needs a value, ${option.value}`);
    hold(`--${name}`, option.type, value);
    if (values.has(name) && !option.many) throw new Misuse(`--${name} is given twice`);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return loose;
}

function unknown(argument: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const shown = argument.split('=')[0];
  if (near !== undefined) return `there is no option ${shown} here; --${near} is meant, perhaps`;
  // What was named or numbered elsewhere may begin so.
  return `there is no option ${shown} here; what begins with a dash and is none comes after --`;
}

/** Holds a value against its type. */
function hold(name: string, type: ValueType | undefined, value: string): void {
  if (value === '') throw new Misuse(`${name} is empty`);
  if (type === 'count' && !/^[1-9]\d*$/.test(value)) throw new Misuse(`${name} is a number above 0, not ${JSON.stringify(value)}`);
  if (type === 'count' && value.length > countDigitsMax) throw new Misuse(`${name} has at most ${countDigitsMax} digits`);
  if (type === undefined || typeof type === 'string' || type.includes(value)) return;
  throw new Misuse(`${name} is ${listed(type)}, not ${JSON.stringify(value)}`);
}

/** Words as one says them: `base, one or sub`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function expected(operands: readonly OperandRow[]): string {
  if (operands.length === 0) return 'nothing is expected here';
  return operands.length === 1
    ? `one ${operands[0]?.name} is expected`
    : `no more than ${operands.map(({ name }) => name).join(' ')} is expected`;
}

function split(option: string): [string, string | undefined] {
  const at = option.indexOf('=');
  return at < 0 ? [option, undefined] : [option.slice(0, at), option.slice(at + 1)];
}
