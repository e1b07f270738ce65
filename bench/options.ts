import { parseArgs } from 'node:util';
import { quickRows, type Row, rows } from './rows.ts';

/** What was asked for on the command line. */
export type Wanted =
  | {
      readonly kind: 'run';
      readonly size: number;
      readonly rounds: number;
      /** Of what takes minutes with many people: import, export and start-up. */
      readonly bulkRounds: number;
      readonly rows: readonly Row[];
      readonly sampleS: number;
      readonly folder?: string;
    }
  | { readonly kind: 'ldclt'; readonly size: number; readonly rounds: number; readonly folder?: string }
  | { readonly kind: 'report' }
  | { readonly kind: 'help'; readonly wrong?: string };

export const help = `npm run bench                          every row with 10,000 people
npm run bench -- quick                 search, modify and bind, in some three minutes
npm run bench -- --size 1000000        as many people (100 to 10,000,000)
npm run bench -- --rows search,add     these rows only: ${rows.map(({ id }) => id).join(', ')}
npm run bench -- --rounds 7            rounds of each row (5)
npm run bench -- --bulk-rounds 2       rounds of import, export and start-up (as many as of the others, from 500,000 people on 3)
npm run bench -- --sample-s 5          seconds of each sample (1.5)
npm run bench -- --folder DIRECTORY    where both databases are put: on a disk, not in memory (the system's temporary folder)
npm run bench -- ldclt                 the three quick rows with ldclt of 389-ds-base, as a check of our own load generator
npm run bench -- report                write the tables of bench/README.md from the newest complete results`;

const defaults = { size: '10000', rounds: '5', 'sample-s': '1.5' } as const;
/** An import takes minutes with so many people. */
const manyPeople = 500_000;
const fewRounds = 3;

/** Reads the command line; `help` with what is wrong when it cannot be done. */
export function readOptions(args: readonly string[]): Wanted {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return { kind: 'help', wrong: error instanceof Error ? error.message : String(error) };
  }
  const { values, positionals } = parsed;
  const [what, ...more] = positionals;
  if (values.help === true) return { kind: 'help' };
  if (more.length > 0) return { kind: 'help', wrong: `${more.join(' ')} is too much` };
  const size = within(values.size, 100, 10_000_000);
  if (size === undefined) return { kind: 'help', wrong: `--size ${values.size} is no number from 100 to 10,000,000` };
  const rounds = within(values.rounds, 1, 1000);
  if (rounds === undefined) return { kind: 'help', wrong: `--rounds ${values.rounds} is no number from 1 to 1000` };
  const bulkRounds = within(values['bulk-rounds'] ?? String(size < manyPeople ? rounds : Math.min(rounds, fewRounds)), 1, 1000);
  if (bulkRounds === undefined) return { kind: 'help', wrong: `--bulk-rounds ${values['bulk-rounds']} is no number from 1 to 1000` };
  const sampleS = Number(values['sample-s']);
  if (!(sampleS >= 0.2 && sampleS <= 600)) return { kind: 'help', wrong: `--sample-s ${values['sample-s']} is no number from 0.2 to 600` };
  const chosen = (values.rows ?? (what === 'quick' ? quickRows.join(',') : rows.map(({ id }) => id).join(','))).split(',');
  const unknown = chosen.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length > 0) return { kind: 'help', wrong: `there is no row ${unknown.join(', ')}` };
  const common = { size, rounds, ...(values.folder === undefined ? {} : { folder: values.folder }) };
  switch (what) {
    case undefined:
    case 'quick':
      return { kind: 'run', ...common, bulkRounds, sampleS, rows: rows.filter(({ id }) => chosen.includes(id)) };
    case 'ldclt':
      return { kind: 'ldclt', ...common };
    case 'report':
      return { kind: 'report' };
    default:
      return { kind: 'help', wrong: `${what} is nothing that the benchmark does` };
  }
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      size: { type: 'string', default: defaults.size },
      rounds: { type: 'string', default: defaults.rounds },
      'bulk-rounds': { type: 'string' },
      rows: { type: 'string' },
      'sample-s': { type: 'string', default: defaults['sample-s'] },
      folder: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

function within(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= min && value <= max ? value : undefined;
}
