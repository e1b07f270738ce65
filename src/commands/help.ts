import type { OperandRow, OperationRow, OptionRow, WorksOn } from '#catalogue';
import { exits } from './exits.ts';
import { wrap } from './width.ts';

/** More options than these are not named in the first line. */
const namedMax = 3;
const columns = 100;

const where: Readonly<Record<WorksOn, string>> = {
  either: 'Asks the running service over its operators’ socket; where none runs, opens the folder of the stopped one itself.',
  running: 'Asks the running service over its operators’ socket.',
  stopped: 'Opens the folder of a stopped service.',
  files: 'Reads the files of the data folder, beside a running service or without one.',
  none: '',
};

/** What stands behind the name: `FILE [--limit NUMBER]`. */
export function takesOf({ operands = [], options = {} }: OperationRow): string {
  const all = Object.entries(options);
  const needed = all.filter(([, { required }]) => required).map(([name, row]) => optionForm(name, row));
  const rest = all.filter(([, { required }]) => !required);
  const free = rest.length > namedMax ? ['[OPTION…]'] : rest.map(([name, row]) => `[${optionForm(name, row)}]`);
  return [...operands.map(operandForm), ...needed, ...free].join(' ');
}

function operandForm({ name, optional, many }: OperandRow): string {
  const form = many ? `${name}…` : name;
  return optional ? `[${form}]` : form;
}

export function optionForm(name: string, { value }: OptionRow): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** The help of one command: what it is for, what it takes, examples, exit statuses. */
export function helpOf(name: string, row: OperationRow): string {
  const { means, more = [], operands = [], options = {}, examples, exits: own = {} } = row;
  const paragraphs = [...more, ...confirmation(row), ...(row.on === 'none' ? [] : [where[row.on]])];
  const takes = [
    ...operands.map((operand) => [operandForm(operand), operand.means] as const),
    ...Object.entries(options).map(([key, option]) => [optionForm(key, option), optionMeaning(option)] as const),
  ];
  return [
    `atrium ${name} ${takesOf(row)}`.trimEnd(),
    '',
    sentence(means),
    ...paragraphs.flatMap((text) => ['', ...wrap(text, columns)]),
    ...(takes.length === 0 ? [] : ['', ...rows(takes)]),
    '',
    'Examples:',
    ...examples.flatMap(({ line, does, status }) => ['', ...comment(does, status), ...line.split('\n').map((each) => `  ${each}`)]),
    '',
    'Exit status:',
    ...rows(
      Object.values(exits).map(
        ({ status, means: common }) => [String(status), (own as Readonly<Record<number, string | undefined>>)[status] ?? common] as const,
      ),
    ),
    '',
  ].join('\n');
}

function comment(does: string | undefined, status: number | undefined): string[] {
  const text = [does, status === undefined ? undefined : `exit status ${status}`].filter((each) => each !== undefined).join(': ');
  return text === '' ? [] : wrap(text, columns - 4).map((line) => `  # ${line}`);
}

function confirmation({ destroys, asks }: OperationRow): string[] {
  if (destroys !== undefined)
    return [`It destroys ${destroys}, and asks on a terminal to type the name; without a terminal it refuses unless --yes is given.`];
  return asks === undefined ? [] : [`${asks} It asks on a terminal to type the name; without a terminal it refuses unless --yes is given.`];
}

function optionMeaning({ means, default: own, many }: OptionRow): string {
  return `${means}${own === undefined ? '' : ` (${own} unless given)`}${many ? '; may be given several times' : ''}`;
}

/** Two columns, the second wrapped. */
function rows(all: readonly (readonly [string, string])[]): string[] {
  const left = Math.min(30, Math.max(...all.map(([first]) => first.length)));
  return all.flatMap(([first, second]) => {
    const lines = wrap(second, columns - left - 4);
    const head = first.length > left ? [`  ${first}`] : [];
    const body = lines.map((line, at) => `  ${(at === 0 && head.length === 0 ? first : '').padEnd(left)}  ${line}`);
    return [...head, ...body];
  });
}

/** All commands, a line each; of one noun when it is given. */
export function listOf(commands: Readonly<Record<string, OperationRow>>, noun?: string): string {
  const own = Object.entries(commands).filter(([name]) => noun === undefined || name.startsWith(`${noun} `));
  const head = noun === undefined ? ['Atrium, an identity server on its own LDAP directory.', ''] : [];
  const tail = noun === undefined ? 'atrium help COMMAND, or atrium COMMAND --help' : `atrium ${noun} VERB --help`;
  const table = rows(own.map(([name, { means }]) => [`atrium ${name}`, means]));
  return [...head, ...table, '', `More about one of them, with examples: ${tail}`, ''].join('\n');
}

function sentence(means: string): string {
  return `${means[0]?.toUpperCase()}${means.slice(1)}.`;
}
