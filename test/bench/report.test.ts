import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { indexVersion } from '#directory';
import { groupSizes } from '../../bench/data.ts';
import { readOptions } from '../../bench/options.ts';
import { acrossSizes, notesOf, runSection, summarise, tableHead, tableLine, withSections } from '../../bench/report.ts';
import { newestOfEachKind, type RowResult, type Run } from '../../bench/results.ts';
import { aimAt, type Row, rows } from '../../bench/rows.ts';
import { slapdIndexes } from '../../bench/slapd.ts';

const rowCalled = (id: string): Row => {
  const row = rows.find((each) => each.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
};
const result = (id: string, atrium: readonly number[], slapd: readonly number[]): RowResult => ({
  id,
  atrium: atrium.map((value) => ({ value, p50Us: 500, p99Us: 2000, processorUs: 20, residentMib: 100, generatorBusy: 0.5 })),
  slapd: slapd.map((value) => ({ value, p50Us: 900, p99Us: 3000, processorUs: 40, residentMib: 200, generatorBusy: 0.5 })),
});
const judge = (id: string, size: number, atrium: readonly number[], slapd: readonly number[]) => {
  const row = rowCalled(id);
  return summarise(row, result(id, atrium, slapd), aimAt(row, size));
};

const machine = { cores: 2, processor: 'any', memoryGiB: 8, kernel: '6.1', fileSystem: 'ext4', node: 'v26.10.0', slapd: '2.5.13' };
const run = (given: Partial<Run>): Run => ({
  format: 1,
  date: '2026-11-21T05:00:00.000Z',
  commit: 'abc1234',
  changed: false,
  size: 10_000,
  rounds: 3,
  sampleS: 2.5,
  complete: true,
  machine,
  ceilings: [{ connections: 10, outstanding: 1, perS: 40_000, processorUs: 13 }],
  rows: [],
  ...given,
});

test('a ratio is the median of the rounds’ ratios, not the ratio of medians', (t) => {
  const { judged, atrium, slapd } = judge('search', 10_000, [100, 300, 200], [100, 100, 400]);
  t.is(judged, 1);
  t.is(atrium, 200);
  t.is(slapd, 100);
});

test('a gate is reached from above by rates and by times saved, from below by memory, start-up and p99', (t) => {
  t.true(judge('search', 10_000, [16], [10]).reached);
  t.false(judge('search', 10_000, [15], [10]).reached);
  t.true(judge('search', 1_000_000, [15], [10]).reached);
  t.true(judge('import', 100_000, [10], [25]).reached);
  t.false(judge('import', 100_000, [10], [24]).reached);
  t.true(judge('memory', 1_000_000, [100], [200]).reached);
  t.false(judge('memory', 1_000_000, [101], [200]).reached);
  t.true(judge('start', 10_000, [0.9], [0.01]).reached);
  t.false(judge('start', 10_000, [1.1], [9]).reached);
  t.false(judge('storm', 10_000, [2.1], [9]).reached);
  t.is(judge('import', 10_000, [10], [24]).reached, undefined);
});

test('a line has as many cells as the head, whether the row was measured or is not there yet', (t) => {
  const cells = (line: string | undefined) => line?.split(' | ').length;
  const line = tableLine(rowCalled('search'), result('search', [20_000], [10_000]), 10_000);
  t.is(cells(line), cells(tableHead[0]));
  t.is(line, '| equality search | 20,000 | 10,000 | 2 | 1.6 | 2 | yes | 0.5 / 2 | 0.9 / 3 | 20 | 40 | 100 | 200 |');
  const missing = (failed: boolean, why: string): RowResult => ({ id: 'add', atrium: [], slapd: [], missing: { failed, why } });
  const absent = tableLine(rowCalled('add'), missing(false, 'not here'), 10_000);
  t.is(cells(absent), cells(tableHead[0]));
  t.regex(absent, /\| not here \|/);
  const failed = tableLine(rowCalled('add'), missing(true, 'one | line\nand more'), 10_000);
  t.is(cells(failed), cells(tableHead[0]));
  t.regex(failed, /\*\*failed\*\*: one \/ line \|/);
});

test('a row that the load generator could not outrun is marked', (t) => {
  const { atrium, slapd } = result('search', [1], [1]);
  const busy: RowResult = { id: 'search', atrium: atrium.map((sample) => ({ ...sample, generatorBusy: 0.97 })), slapd };
  t.regex(tableLine(rowCalled('search'), busy, 10_000), /^\| equality search † \|/);
});

test('the page shows the newest complete run of each size on each kind of processor, the smallest first', (t) => {
  const other = { ...machine, processor: 'other' };
  const runs = [
    run({ size: 100_000, commit: 'large' }),
    run({ commit: 'newer', date: '2026-11-22T05:00:00.000Z' }),
    run({ commit: 'older' }),
    run({ commit: 'elsewhere', machine: other, date: '2026-11-20T05:00:00.000Z' }),
    run({ commit: 'part', date: '2026-11-23T05:00:00.000Z', complete: false }),
  ];
  t.deepEqual(
    newestOfEachKind(runs).map(({ commit }) => commit),
    ['newer', 'elsewhere', 'large'],
  );
});

test('results go between the marks of bench/README.md, and what is written by hand around them stays', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../bench/README.md'), 'utf8');
  const once = withSections(page, [run({ rows: [result('search', [20_000], [10_000])] })]);
  t.true(once.includes('### 10,000 people, any'));
  t.true(once.includes('| equality search | 20,000 |'));
  t.is(once.slice(0, once.indexOf('<!--')), page.slice(0, page.indexOf('<!--')));
  t.is(withSections(once, [run({ rows: [result('search', [20_000], [10_000])] })]), once);
  t.throws(() => withSections('a page without marks', []));
});

test('a run is told with machine and commit, and rows that are not for its size are left out', (t) => {
  const section = runSection(run({ size: 100_000 }));
  t.regex(section, /Commit abc1234, 2026-11-21: 3 rounds of 2\.5 s, 3 of import, export and start-up\. 2 cores/);
  t.false(section.includes('unindexed filter'));
  t.true(runSection(run({})).includes('unindexed filter'));
});

test('what an equality search costs with a million people is held against what it costs with ten thousand', (t) => {
  const costing = (size: number, processorUs: number) => {
    const { atrium, ...row } = result('search', [1], [1]);
    return run({ size, rows: [{ ...row, atrium: atrium.map((sample) => ({ ...sample, processorUs })) }] });
  };
  t.deepEqual(acrossSizes([costing(10_000, 20)]), []);
  t.regex(acrossSizes([costing(10_000, 20), costing(1_000_000, 30)])[0] ?? '', /1\.5 times as much; .*, reached\./);
  t.regex(acrossSizes([costing(10_000, 20), costing(1_000_000, 35)])[0] ?? '', /\*\*not reached\*\*\./);
  const elsewhere = { ...costing(1_000_000, 30), machine: { ...machine, processor: 'other' } };
  t.deepEqual(acrossSizes([costing(10_000, 20), elsewhere]), []);
});

test('a row of one server alone has its number and says how late the loop was', (t) => {
  const { atrium } = result('loop', [12], []);
  const alone: RowResult = { id: 'loop', atrium: atrium.map((sample) => ({ ...sample, loop: { p99Ms: 12, worstMs: 30 } })), slapd: [] };
  t.regex(tableLine(rowCalled('loop'), alone, 10_000), /\| 12 \| – \| 12 \|/);
  t.regex(notesOf(rowCalled('loop'), alone).join(), /late by 12 ms \(p99\) and at the worst by 30 ms/);
});

test('slapd has an index on what Atrium has one on, and finds what stands anywhere in a value where Atrium does', (t) => {
  t.deepEqual(slapdIndexes('7 objectClass *uid* member+ *mail* stsCredentialId'), ['index objectClass,member eq', 'index uid,mail eq,sub']);
  const lines = slapdIndexes(indexVersion).join(' ');
  for (const name of ['objectClass', 'uid', 'member', 'gidNumber', 'mail']) t.regex(lines, new RegExp(`[ ,]${name}[ ,]`));
});

test('groups are of uneven size: one of 5,000, 10,000 or 50,000, and most of ten', (t) => {
  for (const [count, largest] of [
    [10_000, 5000],
    [100_000, 10_000],
    [1_000_000, 50_000],
  ] as const) {
    const sizes = groupSizes(count);
    t.is(sizes[0], largest);
    t.true(sizes.every((size) => size >= 10));
    t.true(sizes.filter((size) => size === 10).length >= count / 100);
  }
  t.true((groupSizes(100)[0] ?? 0) <= 100);
});

test('the command line: quick is three rows at 10,000, rows are taken by name in the order of the table, mistakes are named', (t) => {
  const names = (args: readonly string[]) => {
    const wanted = readOptions(args);
    return wanted.kind === 'run' ? wanted.rows.map(({ id }) => id) : wanted;
  };
  t.deepEqual(names(['quick']), ['search', 'modify', 'bind']);
  t.deepEqual(names(['--rows', 'add,search']), ['search', 'add']);
  t.deepEqual(
    names([]),
    rows.map(({ id }) => id),
  );
  t.like(readOptions([]), { kind: 'run', size: 10_000, rounds: 5, bulkRounds: 5 });
  t.like(readOptions(['--size', '1000000']), { rounds: 5, bulkRounds: 3 });
  t.like(readOptions(['--size', '1000000', '--rounds', '7', '--bulk-rounds', '1']), { size: 1_000_000, rounds: 7, bulkRounds: 1 });
  t.like(readOptions(['report']), { kind: 'report' });
  for (const wrong of [
    ['--rows', 'nosuch'],
    ['--size', 'many'],
    ['--rounds', '0'],
    ['--sample-s', 'x'],
    ['slow'],
    ['quick', 'now'],
    ['--fast'],
  ]) {
    const wanted = readOptions(wrong);
    t.true(wanted.kind === 'help' && wanted.wrong !== undefined, wrong.join(' '));
  }
});
