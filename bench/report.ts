import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ceiling, newestRuns, type RowResult, type Run, type Sample } from './results.ts';
import { type Aim, aimAt, judgingOf, type Row, rows } from './rows.ts';
import { median } from './statistics.ts';

/** A row's rounds brought down to one number each. */
export interface Summary {
  readonly atrium: number;
  readonly slapd: number;
  /** What the aim is held against: the median of the rounds' ratios, or Atrium's own number where the row says so. */
  readonly judged: number;
  readonly reached: boolean | undefined;
}

export function summarise(row: Row, result: RowResult, aim: Aim | undefined): Summary {
  const judging = judgingOf(row.measure);
  const ratios = result.atrium.flatMap(({ value }, i) => {
    const other = result.slapd[i]?.value;
    if (other === undefined) return [];
    return [judging === 'slapd ÷ Atrium, higher is better' ? other / value : value / other];
  });
  const atrium = median(result.atrium.map(({ value }) => value));
  const judged = judging === 'Atrium, lower is better' ? atrium : median(ratios);
  const lower = judging.endsWith('lower is better');
  return {
    atrium,
    slapd: median(result.slapd.map(({ value }) => value)),
    judged,
    reached: aim === undefined ? undefined : lower ? judged <= aim.gate : judged >= aim.gate,
  };
}

const columns = [
  ...['row', 'Atrium', 'slapd', 'ratio', 'gate', 'goal', 'reached'],
  ...['p50 / p99 ms', 'of slapd', 'processor µs each', 'of slapd', 'resident MiB', 'of slapd'],
];

export const tableHead: readonly string[] = [line(columns), line(columns.map((_, i) => (i === 0 ? '---' : '--:')))];

/** One line of the table. */
export function tableLine(row: Row, result: RowResult | undefined, size: number): string {
  const aim = aimAt(row, size);
  const aims = [aim === undefined ? '' : figure(aim.gate), aim === undefined ? '' : figure(aim.goal)];
  if (result === undefined || result.missing !== undefined) {
    const { failed = false, why = 'not measured' } = result?.missing ?? {};
    // A failure may be long: the first line of it, and nothing that would end the cell.
    const said = failed ? `**failed**: ${(why.split('\n')[0] ?? '').replaceAll('|', '/')}` : why;
    return line([row.name, '–', '–', '–', ...aims, said, ...Array<string>(6).fill('')]);
  }
  const { atrium, slapd, judged, reached } = summarise(row, result, aim);
  const verdict = reached === undefined ? '' : reached ? 'yes' : '**no**';
  const mark = generatorBound(result) ? ' †' : '';
  const pair = (of: (samples: readonly Sample[]) => string) => [of(result.atrium), of(result.slapd)];
  return line([
    row.name + mark,
    figure(atrium),
    figure(slapd),
    figure(judged),
    ...aims,
    verdict,
    ...pair((samples) => latencies(samples)),
    ...pair((samples) => medianOf(samples, 'processorUs')),
    ...pair((samples) => medianOf(samples, 'residentMib')),
  ]);
}

/** What a row measured beside its own number, and how much was compared; nothing for most. */
export function notesOf(row: Row, { atrium, slapd, compared }: RowResult): string[] {
  const notes: string[] = [];
  const beside = (samples: readonly Sample[]) => median(samples.flatMap(({ beside }) => beside?.perS ?? []));
  if (row.measure.kind === 'against') {
    const each = (samples: readonly Sample[]) => figure(median(samples.flatMap(({ beside }) => beside?.processorUs ?? [])));
    const p50 = (samples: readonly Sample[]) => figure(median(samples.flatMap(({ beside }) => beside?.p50Us ?? [])) / 1000);
    notes.push(
      `${row.name}: of a group of ten ${each(atrium)} µs and p50 ${p50(atrium)} ms on Atrium, ${each(slapd)} µs and ${p50(slapd)} ms on slapd.`,
    );
  } else if (atrium.some(({ beside }) => beside !== undefined)) {
    notes.push(`${row.name}: the other connections did ${figure(beside(atrium))} a second on Atrium, ${figure(beside(slapd))} on slapd.`);
  }
  const loops = atrium.flatMap(({ loop }) => loop ?? []);
  if (loops.length > 0) {
    const p99 = median(loops.map(({ p99Ms }) => p99Ms));
    const worst = loops.map(({ worstMs }) => worstMs);
    notes.push(
      `${row.name}: Atrium's event loop was late by ${figure(p99)} ms (p99) and at the worst by ${figure(median(worst))} ms in a round, ${figure(Math.max(...worst))} ms in all of them.`,
    );
  }
  if (row.measure.kind === 'memory') {
    const anonymous = (samples: readonly Sample[]) => medianOf(samples, 'anonymousMib');
    notes.push(`${row.name}: without pages of files ${anonymous(atrium)} (Atrium) and ${anonymous(slapd)} (slapd).`);
  }
  if (compared !== undefined) {
    const { requests, entries, octets } = compared;
    notes.push(
      `${row.name}: ${requests} requests compared beforehand, ${entries} entries, ${octets.atrium} octets of Atrium and ${octets.slapd} of slapd.`,
    );
  }
  return notes;
}

/** In the words of the output: what the load generator could do at most. */
export function ceilingLine(ceilings: readonly Ceiling[]): string {
  const each = ceilings.map(
    ({ connections, outstanding, perS, processorUs }) =>
      `${figure(perS)}/s with ${connections} × ${outstanding} under way (${processorUs.toFixed(1)} µs of its own each)`,
  );
  return `The load generator against a server that does nothing: ${each.join(', ')}.`;
}

/** All of one run, for the page. */
export function runSection(run: Run): string {
  const { machine } = run;
  const results = new Map(run.rows.map((result) => [result.id, result]));
  const shown = rows.filter(({ sizeMax }) => sizeMax === undefined || run.size <= sizeMax);
  const notes = shown.flatMap((row) => {
    const result = results.get(row.id);
    return result === undefined ? [] : notesOf(row, result);
  });
  return [
    `### ${count(run.size)} people, ${machine.processor}`,
    '',
    `Commit ${run.commit}${run.changed ? ' with changes' : ''}, ${run.date.slice(0, 10)}: ${run.rounds} rounds of ${run.sampleS} s, ${run.bulkRounds ?? run.rounds} of import, export and start-up. ${machine.cores} cores, ` +
      `${machine.memoryGiB} GiB, Linux ${machine.kernel}, ${machine.fileSystem}, Node ${machine.node}, slapd ${machine.slapd}.`,
    ceilingLine(run.ceilings),
    '',
    ...tableHead,
    ...shown.map((row) => tableLine(row, results.get(row.id), run.size)),
    '',
    ...notes.map((note) => `- ${note}`),
  ].join('\n');
}

const begin = '<!-- Generated by `npm run bench -- report`: do not edit up to the next mark. -->';
const end = '<!-- End of what is generated. -->';

/** Puts the sections of the newest runs between the marks of the page. @throws Error when the page lacks them */
export function withSections(page: string, runs: readonly Run[]): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error('the page has no place for results');
  const sections = runs.length === 0 ? 'No complete run is kept yet.' : [...runs.map(runSection), ...acrossSizes(runs)].join('\n\n');
  return `${page.slice(0, from + begin.length)}\n\n${sections}\n\n${page.slice(to)}`;
}

/** At most so many times the processor time of the smaller directory. */
const growthMax = 1.7;

/** What runs of different sizes on one kind of processor say only together. */
export function acrossSizes(runs: readonly Run[]): string[] {
  return [...new Set(runs.map(({ machine }) => machine.processor))].flatMap((processor) => growthOn(processor, runs));
}

function growthOn(processor: string, runs: readonly Run[]): string[] {
  const cost = (size: number) => {
    const run = runs.find((each) => each.size === size && each.machine.processor === processor);
    return median(run?.rows.find(({ id }) => id === 'search')?.atrium.flatMap(({ processorUs }) => processorUs ?? []) ?? []);
  };
  const [few, many] = [cost(10_000), cost(1_000_000)];
  if (Number.isNaN(few) || Number.isNaN(many)) return [];
  const times = many / few;
  return [
    `Processor time of one equality search, warm, ${processor}: ${figure(few)} µs with 10,000 people and ${figure(many)} µs with 1,000,000, ${figure(times)} times as much; ` +
      `at most ${growthMax} was asked for, ${times <= growthMax ? 'reached' : '**not reached**'}.`,
  ];
}

/** Writes `bench/README.md` anew. @returns the sizes that are in it */
export function writeReport(): number[] {
  const file = join(import.meta.dirname, 'README.md');
  const runs = newestRuns();
  writeFileSync(file, withSections(readFileSync(file, 'utf8'), runs));
  return runs.map(({ size }) => size);
}

/** The generator used so much of its core that a quicker server would look no quicker. */
function generatorBound({ atrium, slapd }: RowResult): boolean {
  const busy = (samples: readonly Sample[]) => median(samples.flatMap(({ generatorBusy }) => generatorBusy ?? []));
  return busy(atrium) > busyMax || busy(slapd) > busyMax;
}

const busyMax = 0.9;

function latencies(samples: readonly Sample[]): string {
  const ms = (name: 'p50Us' | 'p99Us') => median(samples.flatMap((sample) => sample[name] ?? [])) / 1000;
  return Number.isNaN(ms('p50Us')) ? '' : `${figure(ms('p50Us'))} / ${figure(ms('p99Us'))}`;
}

function medianOf(samples: readonly Sample[], name: 'processorUs' | 'residentMib' | 'anonymousMib'): string {
  const value = median(samples.flatMap((sample) => sample[name] ?? []));
  return Number.isNaN(value) ? '' : figure(value);
}

/** Three digits, with separators from a thousand on. */
function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value >= 100) return count(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
