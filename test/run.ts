// The one gate behind `npm test`. With words behind it, `npm test -- store`, only the test files whose paths hold one of them run.
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { observedAgainstTable, readObserved, readUnclassified } from './gate/codes.ts';
import { installPrograms } from './gate/install.ts';
import { run, stopAll } from './gate/run.ts';
import { type Counted, readTap } from './gate/tap.ts';
import { temporaryFolder } from './gate/temporary.ts';
import { makeSharedCertificate } from './support/certificate.ts';
import { diskFolderEnv } from './support/disk.ts';
import { observedFolderEnv } from './support/observed.ts';

type Outcome = 'passed' | 'failed' | 'skipped';
type Checked = { readonly outcome: Outcome; readonly details?: string };

// More than cores: files wait for browsers, for disks, and for processes that end.
const filesAtOnce = 4;
/** What one run leaves for the next. */
const kept = join(import.meta.dirname, '../node_modules/.cache/atrium-tests');
const detailsLengthMax = 20_000;
const total = { passed: 0, failed: 0, skipped: 0 };
const words = process.argv.slice(2);
const temporary = temporaryFolder();
const folder = mkdtempSync(join(temporary, 'atrium-'));
const observedFolder = join(folder, 'observed');
mkdirSync(observedFolder);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    stopAll();
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}

try {
  await gate('programs', checkPrograms);
  await makeSharedCertificate(observedFolder);
  // Beside the tests, which wait more often than they keep both cores busy.
  await Promise.all([tests(), words.length === 0 ? checks() : undefined]);
  await gate('error codes seen', checkObserved);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = total.failed > 0 ? 1 : 0;
say(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);

/** One line for one check, and the details when it failed. */
async function gate(name: string, check: () => Promise<Checked>): Promise<void> {
  const begun = performance.now();
  const { outcome, details } = await check();
  total[outcome]++;
  line(outcome, name, begun);
  if (details !== undefined) say(details.slice(0, detailsLengthMax));
}

async function checks(): Promise<void> {
  // What has not changed since the last run is not asked again.
  await gate('types', () => tool('tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', join(kept, 'types.tsbuildinfo')));
  await gate('format and lint', () => tool('biome', 'check', '--error-on-warnings', '--no-errors-on-unmatched'));
  await gate('nothing unused', () => tool('knip', '--no-progress'));
}

async function checkPrograms(): Promise<Checked> {
  const { missing, command, said } = installPrograms();
  if (missing.length === 0) return { outcome: 'passed' };
  const details = `  missing: ${missing.join(', ')}; tests that need them are skipped. Have them with:\n  ${command}\n${said ?? ''}`;
  return { outcome: process.env['CI'] === 'true' ? 'failed' : 'skipped', details };
}

async function tool(name: string, ...args: readonly string[]): Promise<Checked> {
  const { status, said } = await run(name, args);
  return status === 0 ? { outcome: 'passed' } : { outcome: 'failed', details: said };
}

async function tests(): Promise<void> {
  const begun = performance.now();
  const files = globSync('test/**/*.test.ts', { cwd: join(import.meta.dirname, '..') });
  const chosen = words.length === 0 ? files : files.filter((file) => words.some((word) => file.includes(word)));
  if (chosen.length === 0) {
    total.failed++;
    line('failed', `tests: no file is called like ${words.join(' or ')}`, begun);
    return;
  }
  const tap = readTap((title, details) => say(`✘ ${title}`, ...details));
  const args = ['--tap', `--concurrency=${filesAtOnce}`, ...(words.length === 0 ? [] : chosen)];
  // Each file is a process of its own, and what they load is mostly the same: compiled once, and kept for the next run, a third less for most of them.
  const compiled = { NODE_COMPILE_CACHE: kept };
  // What a file that is killed leaves in memory goes with the run.
  const inMemory = temporary === tmpdir() ? {} : { [diskFolderEnv]: tmpdir(), TMPDIR: folder };
  const places = { [observedFolderEnv]: observedFolder, ...inMemory };
  const { status, said } = await run('ava', args, { ...places, ...compiled }, tap.push);
  const counted = tap.end();
  const broken = counted.failed === 0 && (status !== 0 || counted.passed + counted.skipped === 0);
  add(broken ? { ...counted, failed: 1 } : counted);
  line(broken || counted.failed > 0 ? 'failed' : 'passed', `tests: ${chosen.length} files`, begun);
  if (broken) say(`AVA ended with ${status} and no failed test.`, said.slice(-detailsLengthMax));
  else if (counted.failed > 0 && said !== '') say(said.slice(-detailsLengthMax));
}

async function checkObserved(): Promise<Checked> {
  const { errorRows } = await import('../src/tables.ts');
  const ofTable = observedAgainstTable(readObserved(observedFolder), errorRows, words.length === 0);
  const faults = [...ofTable, ...readUnclassified(observedFolder)];
  return faults.length === 0 ? { outcome: 'passed' } : { outcome: 'failed', details: faults.map((fault) => `  ${fault}`).join('\n') };
}

function add(counted: Counted): void {
  total.passed += counted.passed;
  total.failed += counted.failed;
  total.skipped += counted.skipped;
}

function line(outcome: Outcome, name: string, begun: number): void {
  const mark = { passed: '✔', failed: '✘', skipped: '–' }[outcome];
  say(`${mark} ${name.padEnd(40)} ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

function say(...lines: readonly string[]): void {
  for (const text of lines) process.stdout.write(`${text}\n`);
}
