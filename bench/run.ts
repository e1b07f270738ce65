// Atrium beside Debian's slapd: the same people, the same questions, the same answers, in turn.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atriumPeer, scryptHash } from './atrium.ts';
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
import { ceilingLine, notesOf, tableHead, tableLine, writeReport } from './report.ts';
import type { World } from './requests.ts';
import { type RowResult, saveRun } from './results.ts';
import { fewThreads, type Row, rows } from './rows.ts';
import { cryptScrypt, slapdMissing, slapdPeer } from './slapd.ts';

const suffix = 'dc=example,dc=com';
const password = 'Correct-horse-7';
const warmMs = 400;

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
      await inFolder(wanted.folder ?? tmpdir(), (folder) => prepared(wanted, folder));
      return 0;
    }
  }
}

/** Both databases may be large: they go whatever happens, an interrupt included. */
async function inFolder(parent: string, act: (folder: string) => Promise<void>): Promise<void> {
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
    await act(folder);
  } finally {
    forget();
  }
}

type Measured = Extract<Wanted, { kind: 'run' | 'ldclt' }>;

async function prepared(wanted: Measured, folder: string): Promise<void> {
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
  const peers: Both<Peer> = { atrium: atriumPeer(folder, suffix, password), slapd: slapdPeer(folder, suffix) };
  await using session = openSession(peers);
  if (wanted.kind === 'run') return await run(wanted, { folder, ldif, world, peers, session });
  for (const side of ['atrium', 'slapd'] as const) await peers[side].load(ldif[side]);
  await runLdclt({ session, world, rounds: wanted.rounds, say, progress: progress.show });
}

interface Prepared {
  readonly folder: string;
  readonly ldif: Both<string>;
  readonly world: World;
  readonly peers: Both<Peer>;
  readonly session: Session;
}

async function run(wanted: Extract<Wanted, { kind: 'run' }>, { folder, ldif, world, peers, session }: Prepared): Promise<void> {
  const { size, rounds, sampleS } = wanted;
  const asked = wanted.rows.filter(({ sizeMax }) => sizeMax === undefined || size <= sizeMax);
  await using generator = startGenerator();
  say(`${size.toLocaleString('en')} people, ${rounds} rounds of ${sampleS} s for each row and server`);
  progress.show('measuring the load generator');
  const ceilings = await measureCeilings(generator, world);
  say(`${ceilingLine(ceilings)}\n`);
  for (const head of tableHead) say(head);

  if (!asked.some(({ measure }) => measure.kind === 'import')) {
    progress.show('importing');
    for (const side of ['atrium', 'slapd'] as const) await peers[side].load(ldif[side]);
    settle();
  }
  const results: RowResult[] = [];
  const bulk = { peers, folder, count: size, rounds: wanted.bulkRounds };
  const measuring = { session, generator, world, timings: { rounds, warmMs, sampleMs: sampleS * 1000 } };
  for (const [at, row] of asked.entries()) {
    const show = (text: string) => progress.show(`${row.name}: ${text}`, at / asked.length);
    const result = await measure(row, { ...bulk, progress: show }, { ...measuring, progress: show }, ldif);
    if (result !== undefined) results.push(result);
    say(tableLine(row, result, size));
  }
  const notes = asked.flatMap((row) => results.filter(({ id }) => id === row.id).flatMap((result) => notesOf(row, result)));
  say(['', ...notes].join('\n'));
  const complete = rows.every((row) => wanted.rows.includes(row));
  const machine = describeMachine(folder);
  const date = new Date(Date.now()).toISOString();
  const file = saveRun({ format: 1, date, ...describeCommit(), size, rounds, sampleS, complete, machine, ceilings, rows: results });
  say(`\nbench/results/${file}`);
}

async function measure(row: Row, bulk: Bulk, measuring: Measuring, ldif: Both<string>): Promise<RowResult | undefined> {
  switch (row.measure.kind) {
    case 'import':
      return await measureImport(ldif, bulk);
    case 'export':
      return await measureExport(bulk);
    case 'start':
      return await measureStart(bulk, fewThreads);
    case 'memory':
      return measureMemory(await measuring.session.servers(fewThreads));
    case 'load':
    case 'storm':
      return await measureLoad(row, measuring);
    case 'absent':
      return undefined;
  }
}

function say(line: string): void {
  progress.end();
  process.stdout.write(`${line}\n`);
}
