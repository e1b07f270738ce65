// Atrium beside Debian's slapd: the same people, the same questions, the same answers, in turn.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atriumPeer, cachesFor, scryptHash } from './atrium.ts';
import { type Bulk, measureExport, measureImport, measureMemory, measureStart, settle } from './bulk.ts';
import { measureCeilings } from './ceiling.ts';
import { writePeople } from './data.ts';
import { startGenerator } from './generators.ts';
import { ldcltMissing, runLdclt } from './ldclt.ts';
import { describeCommit, describeMachine } from './machine.ts';
import { type Both, type Measuring, measureLoad, openSession, type Session } from './measure.ts';
import { help, readOptions, type Wanted } from './options.ts';
import { killAll, type Peer } from './process.ts';
import { createProgress } from './progress.ts';
import { measureRepeated } from './repeated.ts';
import { ceilingLine, notesOf, tableHead, tableLine, writeReport } from './report.ts';
import type { World } from './requests.ts';
import { type RowResult, saveRun } from './results.ts';
import { fewThreads, type Row, rows } from './rows.ts';
import { cryptScrypt, slapdMissing, slapdPeer } from './slapd.ts';

const suffix = 'dc=example,dc=com';
const password = 'Correct-horse-7';
const warmMs = 400;
/** With so many people a row's first round begins with little of what it will need in anybody's cache. */
const manyPeople = 500_000;
const longWarmMs = 4000;

const wanted = readOptions(process.argv.slice(2));
const progress = createProgress(process.stderr);
process.exitCode = await main(wanted).catch((error: Error) => {
  progress.end();
  process.stderr.write(`bench: ${error.message}\n`);
  return 1;
});

async function main(wanted: Wanted): Promise<number> {
  switch (wanted.kind) {
    case 'help':
      if (wanted.wrong !== undefined) process.stderr.write(`bench: ${wanted.wrong}\n`);
      say(help);
      return wanted.wrong === undefined ? 0 : 2;
    case 'report':
      say(
        `bench/README.md: ${
          writeReport()
            .map((size) => size.toLocaleString('en'))
            .join(', ') || 'no complete run is kept yet'
        }`,
      );
      return 0;
    case 'run':
    case 'ldclt': {
      const missing = slapdMissing() ?? (wanted.kind === 'ldclt' ? ldcltMissing() : undefined);
      if (missing !== undefined) throw new Error(missing);
      return await inFolder(wanted.folder ?? tmpdir(), (folder) => prepared(wanted, folder));
    }
  }
}

/** Both databases may be large: they go whatever happens, an interrupt included. */
async function inFolder(parent: string, act: (folder: string) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(parent, 'atrium-bench-'));
  const forget = () => rmSync(folder, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      killAll();
      forget();
      process.exit(1);
    });
  }
  try {
    return await act(folder);
  } finally {
    forget();
  }
}

type Measured = Extract<Wanted, { kind: 'run' | 'ldclt' }>;

async function prepared(wanted: Measured, folder: string): Promise<number> {
  if (describeMachine(folder).fileSystem === 'tmpfs') {
    throw new Error(`${folder} is in memory, where nothing is durable: name a folder on a disk with --folder`);
  }
  const ldif: Both<string> = { atrium: join(folder, 'atrium.ldif'), slapd: join(folder, 'slapd.ldif') };
  const world = await writePeople({
    count: wanted.size,
    suffix,
    password,
    files: [
      { file: ldif.atrium, storedPassword: await scryptHash(password) },
      { file: ldif.slapd, storedPassword: cryptScrypt(password) },
    ],
    wrote: (people) => progress.show(`writing people: ${people.toLocaleString('en')}`),
  });
  const peers: Both<Peer> = { atrium: atriumPeer(folder, suffix, password, cachesFor(world.count)), slapd: slapdPeer(folder, suffix) };
  await using session = openSession(peers, suffix);
  if (wanted.kind === 'run') return await run(wanted, { folder, ldif, world, peers, session });
  for (const side of ['atrium', 'slapd'] as const) await peers[side].load(ldif[side]);
  await runLdclt({ session, world, rounds: wanted.rounds, say, progress: progress.show });
  return 0;
}

interface Prepared {
  readonly folder: string;
  readonly ldif: Both<string>;
  readonly world: World;
  readonly peers: Both<Peer>;
  readonly session: Session;
}

async function run(wanted: Extract<Wanted, { kind: 'run' }>, { folder, ldif, world, peers, session }: Prepared): Promise<number> {
  const { size, rounds, sampleS, bulkRounds } = wanted;
  const asked = wanted.rows.filter(({ sizeMax }) => sizeMax === undefined || size <= sizeMax);
  let generator = startGenerator();
  try {
    say(`${size.toLocaleString('en')} people, ${rounds} rounds of ${sampleS} s for each row and server`);
    progress.show('measuring the load generator');
    const ceilings = await measureCeilings(generator, world);
    say(`${ceilingLine(ceilings)}\n`);
    for (const head of tableHead) say(head);

    const bulk = { peers, folder, count: size, rounds: bulkRounds };
    const timings = { rounds, warmMs, firstWarmMs: size >= manyPeople ? longWarmMs : warmMs * 2, sampleMs: sampleS * 1000 };
    const conditions = { date: new Date(Date.now()).toISOString(), ...describeCommit(), machine: describeMachine(folder) };
    const keep = (complete: boolean) =>
      saveRun({ format: 1, ...conditions, size, rounds, sampleS, bulkRounds, complete, ceilings, rows: results });
    const results: RowResult[] = [];
    let filled = false;
    for (const [at, row] of asked.entries()) {
      const show = (text: string) => progress.show(`${row.name}: ${text}`, at / asked.length);
      const begunMs = performance.now();
      try {
        if (row.measure.kind !== 'import' && !filled) await fill(peers, ldif, show);
        filled = true;
        const measuring = { session, generator, world, timings, progress: show };
        const result = await inTime(measure(row, { ...bulk, progress: show }, measuring, ldif), size);
        results.push({ ...result, tookS: (performance.now() - begunMs) / 1000 });
      } catch (error) {
        // What it left behind is nobody's: the next row begins with servers and a generator of its own.
        const why = error instanceof Error ? error.message : String(error);
        results.push({ id: row.id, atrium: [], slapd: [], missing: { failed: true, why } });
        say(`${row.name} failed: ${why}`);
        killAll();
        await session.stop();
        await generator[Symbol.asyncDispose]();
        generator = startGenerator();
        filled &&= row.measure.kind !== 'import';
      }
      say(tableLine(row, results.at(-1), size));
      keep(false);
    }
    const notes = asked.flatMap((row) => results.filter(({ id }) => id === row.id).flatMap((result) => notesOf(row, result)));
    say(['', ...notes].join('\n'));
    say(`\nbench/results/${keep(rows.every((row) => wanted.rows.includes(row)))}`);
    const failed = results.filter(({ missing }) => missing?.failed === true).map(({ id }) => id);
    if (failed.length > 0) process.stderr.write(`bench: failed: ${failed.join(', ')}\n`);
    return failed.length > 0 ? 1 : 0;
  } finally {
    await generator[Symbol.asyncDispose]();
  }
}

/** @throws Error when it takes far longer than any row does: who hangs must not hold up the rows that follow */
async function inTime<T>(measuring: Promise<T>, size: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const maxMs = size >= manyPeople ? 3_600_000 : 900_000;
  const timer = setTimeout(() => reject(new Error(`no end after ${maxMs / 60_000} minutes`)), maxMs);
  try {
    return await Promise.race([measuring, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function fill(peers: Both<Peer>, ldif: Both<string>, show: (text: string) => void): Promise<void> {
  show('importing');
  for (const side of ['atrium', 'slapd'] as const) await peers[side].load(ldif[side]);
  settle();
}

async function measure(row: Row, bulk: Bulk, measuring: Measuring, ldif: Both<string>): Promise<RowResult> {
  const { id, measure } = row;
  switch (measure.kind) {
    case 'import':
      return await measureImport(ldif, bulk);
    case 'export':
      return await measureExport(bulk);
    case 'start':
      return await measureStart(id, measure.cold, bulk, fewThreads);
    case 'memory':
      return measureMemory(await measuring.session.servers(fewThreads));
    case 'load':
    case 'storm':
    case 'against':
    case 'loop':
      return await measureLoad(id, measure, measuring);
    case 'repeated':
      // The servers of the rows before would stand in memory beside them.
      await measuring.session.stop();
      return await measureRepeated(id, measure, { folder: bulk.folder, suffix, password }, measuring);
  }
}

function say(line: string): void {
  progress.end();
  process.stdout.write(`${line}\n`);
}
