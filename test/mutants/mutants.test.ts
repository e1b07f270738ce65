import test from 'ava';
import { dropFolder, makeFolder } from '../torture/round.ts';
import { copyForSignin, faultsOf, missed } from './catch.ts';
import type { Mutant } from './mutant.ts';
import { signinMutants } from './mutants.ts';

test('forty-five mutants at least: the text of each stands in the code once, and the test of its rule is there', (t) => {
  t.true(signinMutants.size >= 45);
  t.deepEqual(
    [...signinMutants].flatMap(([name, mutant]) => faultsOf(name, mutant)),
    [],
  );
});

test('a mutant that does not fit the code any more is told, and one that no test sees', async (t) => {
  const unfit: Mutant = {
    means: 'planted',
    patches: [{ file: 'src/policy/sign-in/decide.ts', from: 'no such text', to: '' }],
    caughtBy: ['policy/decide.test.ts', 'no such title'],
  };
  t.is(faultsOf('planted', unfit).length, 2);
  const often: Mutant = { ...unfit, patches: [{ file: 'src/policy/sign-in/decide.ts', from: 'mechanism', to: '' }] };
  t.is(faultsOf('planted', often).length, 2);
});

test('two mutants are caught by the tests of their rules, and what changes nothing is not', async (t) => {
  t.timeout(300_000);
  const folder = makeFolder();
  t.teardown(() => dropFolder(folder));
  const copy = copyForSignin(folder);
  for (const name of ['always', 'confusable']) {
    const mutant = signinMutants.get(name);
    t.is(mutant && (await missed(name, mutant, copy)), undefined, name);
  }
  const harmless: Mutant = {
    means: 'a comment',
    patches: [{ file: 'src/base/typable.ts', from: "'23456789A", to: "/* harmless */ '23456789A" }],
    caughtBy: ['factors/recovery/codes.test.ts', 'a 32-character alphabet'],
  };
  t.regex((await missed('harmless', harmless, copy)) ?? '', /no test failed/);
});
