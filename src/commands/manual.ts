import type { OperationRow } from '#catalogue';
import { exits } from './exits.ts';
import { helpOf } from './help.ts';

/** docs/commands.md: what the rows say of the commands. */
export function manualOf(commands: Readonly<Record<string, OperationRow>>): string {
  const rows = Object.entries(commands);
  return [
    '# The commands',
    '',
    '`npm run -s atrium -- COMMAND`, or `atrium COMMAND` where the package is installed. Written by `node test/commands/manual.ts` from the rows from which',
    'the commands parse what they are given, and held against them by a test, which runs each example, too.',
    '',
    '- `--help` anywhere, or `atrium help COMMAND`.',
    '- `--json` answers with one object, or with one in each line where there may be several. Refusals are told on standard error in words, always.',
    '- Progress is shown on a terminal, on standard error, and never in a pipe.',
    '- What destroys asks to type a name. Without a terminal it does nothing unless `--yes` is given.',
    '- `atrium completion bash` and `atrium completion zsh` print what completes commands and options.',
    '',
    'The exit status means the same everywhere:',
    '',
    '| Status | |',
    '|---|---|',
    ...Object.values(exits).map(({ status, means }) => `| ${status} | ${means} |`),
    '',
    '| Command | |',
    '|---|---|',
    ...rows.map(([name, { means }]) => `| [\`atrium ${name}\`](#${anchorOf(name)}) | ${means} |`),
    ...rows.flatMap(([name, row]) => [
      '',
      `## atrium ${name}`,
      '',
      '```text',
      helpOf(name, row).replace(/\n\nExit status:[\s\S]*$/, statusPart(row)),
      '```',
    ]),
    '',
  ].join('\n');
}

/** Of the statuses only what is special here: the rest stands above. */
function statusPart({ exits: own = {} }: OperationRow): string {
  const lines = Object.entries(own).map(([status, means]) => `  ${status.padEnd(3)}  ${means}`);
  return lines.length === 0 ? '' : ['', '', 'Exit status:', ...lines].join('\n');
}

/** As GitHub makes them of headings. */
function anchorOf(name: string): string {
  return `atrium-${name.replaceAll(' ', '-')}`;
}
