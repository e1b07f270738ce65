import { spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyForMutants } from '../authorization/mutants.ts';
import { projectRoot } from '../torture/round.ts';
import { applyPatches } from '../torture/sabotage.ts';
import type { Mutant } from './mutant.ts';

/** A copy of the code and its tests in a folder, for one mutant after the other. */
export function copyForSignin(folder: string): string {
  const copy = copyForMutants(folder);
  cpSync(join(projectRoot, 'ava.config.js'), join(copy, 'ava.config.js'));
  return copy;
}

/** What keeps a mutant from being one: a text that is not there exactly once, a test that is not there. */
export function faultsOf(name: string, { patches, caughtBy: [file, title] }: Mutant): string[] {
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
  return [
    ...patches.flatMap(({ file: changed, from, to }) => {
      const times = read(changed).split(from).length - 1;
      return times === 1 && from !== to ? [] : [`${name}: its text is in ${changed} ${times} times`];
    }),
    ...(read(`test/${file}`).includes(title.split(': ').at(-1) ?? '') ? [] : [`${name}: ${file} has no test called ${title}`]),
  ];
}

/**
 * Runs the test of the rule without the mistake and with it.
 *
 * @returns nothing when it passes without and fails with it; else what happened instead
 * @throws Error when the mutant does not fit the code any more
 */
export async function missed(name: string, { patches, caughtBy }: Mutant, copy: string): Promise<string | undefined> {
  const before = await runTest(copy, caughtBy);
  if (before.passed === 0 || before.failed > 0)
    return `without the mistake ${before.passed} passed, ${before.failed} failed: ${before.said}`;
  applyPatches(`the mutant ${name}`, patches, copy);
  try {
    const after = await runTest(copy, caughtBy);
    return after.failed > 0 ? undefined : `no test failed, ${after.passed} passed: ${after.said}`;
  } finally {
    for (const { file } of patches) cpSync(join(projectRoot, file), join(copy, file));
  }
}

/** Counts the tests whose title has the words: a file that cannot even be loaded has none of them. */
async function runTest(copy: string, [file, title]: Mutant['caughtBy']) {
  const ava = join(copy, 'node_modules/ava/entrypoints/cli.js');
  const child = spawn(process.execPath, [ava, '--tap', '--match', `*${title}*`, `test/${file}`], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  await new Promise<void>((resolve, reject) => child.on('close', () => resolve()).on('error', reject));
  const lines = said.split('\n').filter((line) => line.includes(title));
  const count = (begins: string) => lines.filter((line) => line.startsWith(begins)).length;
  return { passed: count('ok '), failed: count('not ok '), said: said.slice(-600) };
}
