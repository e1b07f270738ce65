// `npm run authorization`: generated requests by everybody, held against a plain second evaluation of the rules of access.
import { parseArgs } from 'node:util';
import { createProgress } from '../../bench/progress.ts';
import { inFolder } from '../torture/round.ts';
import { catchMutant, copyForMutants, type MutantName, mutantNames, mutants, plant, restore } from './mutants.ts';
import { proveAuthorization } from './prove.ts';

const help = `npm run authorization -- [--cases N] [--seed S] [--differences N]
npm run authorization -- --mutants | --mutant NAME [--cases N] [--seed S]

Draws directories with rules of access, and N requests (200,000) by every kind of identity and strength, performs them, and holds each answer and what is
stored behind it against a plain second evaluation of the rules. What a failure prints does the same again. It ends with the first difference, or with as
many as are wanted; interrupted it says what it found so far.

With mutants, mistakes are planted in a copy of the code, one after the other, and the proof of 5,000 cases must fail for each of them:
${mutantNames.map((name) => `  ${name.padEnd(20)} ${mutants[name].means}`).join('\n')}`;
const seedsMax = 1_000_000;

const progress = createProgress(process.stderr);
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string' },
      mutants: { type: 'boolean', default: false },
      mutant: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % seedsMax) },
      differences: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const named = mutantNames.filter((name) => values.mutants || name === values.mutant);
  const planted = values.mutants || values.mutant !== undefined;
  const wanted = [values.cases ?? (planted ? '5000' : '200000'), values.seed, values.differences];
  const [cases = 0, seed = 0, differencesMax = 0] = wanted.map(Number);
  if (values.help || (planted && named.length === 0) || ![cases, seed, differencesMax].every(Number.isSafeInteger)) {
    process.stdout.write(`${help}\n`);
    return values.help ? 0 : 2;
  }
  if (planted) return await catchAll(named, cases, seed);
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => over.abort());
  process.stdout.write(`npm run authorization -- --cases ${cases} --seed ${seed}\n`);
  const begun = performance.now();
  const show = (done: number) => progress.show(`${done.toLocaleString('en')} cases`, done / cases);
  const proved = await proveAuthorization({ cases, seed, differencesMax, progress: show, signal: over.signal });
  progress.end();
  for (const { text, seed: own, cases: done } of proved.differences)
    process.stdout.write(`✘ ${text}\nagain: npm run authorization -- --cases ${done} --seed ${own}\n`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const all = proved.differences.length === 0 ? 'all as the oracle says' : `${proved.differences.length} differ`;
  process.stdout.write(
    `${proved.cases.toLocaleString('en')} cases in ${proved.worlds.toLocaleString('en')} directories, ${proved.unseen.toLocaleString('en')} of them about what is unseen, ${seconds} s: ${all}\n`,
  );
  for (const [key, count] of [...proved.seen].sort()) process.stdout.write(`  ${key.padEnd(18)} ${count.toLocaleString('en')}\n`);
  return proved.differences.length === 0 && proved.cases === cases ? 0 : 1;
}

/** Plants each mistake in a copy of the code, and looks whether the proof sees it. @returns the exit status */
async function catchAll(names: readonly MutantName[], cases: number, seed: number): Promise<number> {
  process.stdout.write(`npm run authorization -- --mutants --cases ${cases} --seed ${seed}\n`);
  return await inFolder(async (folder) => {
    const copy = copyForMutants(folder);
    // What differs without any mistake would look as if each were seen.
    if ((await catchMutant(copy, cases, seed)) !== undefined) {
      process.stdout.write(`✘ the code differs as it is: npm run authorization -- --cases ${cases} --seed ${seed}\n`);
      return 1;
    }
    let missed = 0;
    for (const name of names) {
      plant(name, copy);
      const caught = await catchMutant(copy, cases, seed);
      restore(name, copy);
      if (caught === undefined) missed++;
      const how = caught === undefined ? 'NOT SEEN' : `seen after ${caught.toLocaleString('en')} cases`;
      process.stdout.write(`${caught === undefined ? '✘' : '✔'} ${name.padEnd(20)} ${how.padEnd(24)} ${mutants[name].means}\n`);
    }
    process.stdout.write(`${names.length - missed} of ${names.length} mistakes seen\n`);
    return missed === 0 ? 0 : 1;
  });
}
