// `npm run equality`: generated searches, answered by Atrium, by a plain evaluation of all entries in memory, and by slapd, are the same.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killAll } from '../../bench/process.ts';
import { createProgress } from '../../bench/progress.ts';
import { findProgram } from '../support/programs.ts';
import { proveEquality } from './prove.ts';
import { type LeftOut, leftOut } from './slapd-can.ts';

const help = `npm run equality -- [--searches N] [--people N] [--seed S] [--differences N] [--without-slapd]

Asks Atrium N generated searches (100,000) over generated people (2,000), with a write after each 20, and compares each answer with a plain evaluation of
all entries in memory and with slapd's. What a failure prints asks the same again. It ends with the first difference, or with as many as are
wanted; interrupted it says what it found so far, and interrupted again it ends at once.`;
const seedsMax = 1_000_000;

const progress = createProgress(process.stderr);
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      searches: { type: 'string', default: '100000' },
      people: { type: 'string', default: '2000' },
      seed: { type: 'string', default: String(Date.now() % seedsMax) },
      differences: { type: 'string', default: '1' },
      'without-slapd': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const numbers = [values.searches, values.people, values.seed, values.differences].map(Number) as [number, number, number, number];
  const [searches, people, seed, differencesMax] = numbers;
  if (values.help || !numbers.every(Number.isInteger)) {
    process.stdout.write(`${help}\n`);
    return values.help ? 0 : 2;
  }
  const slapd = values['without-slapd'] ? undefined : findProgram('slapd');
  const folder = mkdtempSync(join(tmpdir(), 'atrium-equality-'));
  const forget = () => rmSync(folder, { recursive: true, force: true });
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!over.signal.aborted) return over.abort();
      killAll();
      forget();
      process.exit(1);
    });
  }
  const command = `npm run equality -- --searches ${searches} --people ${people} --seed ${seed}`;
  process.stdout.write(`${command}${slapd === undefined ? ' (without slapd)' : ''}\n`);
  try {
    const show = (done: number) => progress.show(`${done.toLocaleString('en')} searches`, done / searches);
    const proved = await proveEquality({ searches, people, seed, folder, slapd, differencesMax, progress: show, signal: over.signal });
    progress.end();
    const { differences, entries, writes, carriedOut, said } = proved;
    for (const difference of differences) process.stdout.write(`✘ ${difference}\n`);
    if (differences.length > 0) process.stdout.write(said);
    process.stdout.write(
      `${proved.searches.toLocaleString('en')} searches with ${entries.toLocaleString('en')} entries, ${writes} writes of which ${carriedOut} were carried out; ` +
        `${proved.slapd.toLocaleString('en')} of the searches compared with slapd: ${differences.length === 0 ? 'all the same' : `${differences.length} differ`}\n`,
    );
    for (const [why, count] of proved.leftOut)
      process.stdout.write(`not with slapd: ${count.toLocaleString('en')} for ${leftOut[why satisfies LeftOut]}\n`);
    return differences.length === 0 && proved.searches === searches ? 0 : 1;
  } finally {
    killAll();
    forget();
  }
}
