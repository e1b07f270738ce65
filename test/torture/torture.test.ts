import test from 'ava';
import { inFolder, projectRoot, TortureFailure } from './round.ts';
import { copyOfCode, sabotage, sabotageNames } from './sabotage.ts';
import { unavailable, type VariantName, variantNames, variants } from './variants/index.ts';

/** Ten short rounds of those that `npm run torture` does by the hundred; the seeds of `faults` are one of each call that fails. */
const seeds: Readonly<Record<VariantName, readonly number[]>> = { kill: [7, 8, 10], power: [7, 8, 9], faults: [7, 12, 11], full: [7] };

for (const name of variantNames) {
  const here = unavailable(name) === undefined ? test.serial : test.serial.skip;
  here(`${variants[name].means}: the state is that of all answers, and of what was in flight all or nothing`, async (t) => {
    for (const seed of seeds[name]) {
      t.log(`npm run torture -- --variant ${name} --rounds 1 --seed ${seed}`);
      const { failures } = await inFolder((folder) => variants[name].run({ seed, code: projectRoot, workers: 0, folder }));
      t.true(failures > 0, 'nothing failed, and nothing was proved');
    }
  });
}

test.serial('the same with threads that serve LDAP beside the main one', async (t) => {
  const { failures } = await inFolder((folder) => variants.kill.run({ seed: 108, code: projectRoot, workers: 2, folder }));
  t.true(failures > 0);
});

test('the sabotages that the torture must see still fit the code', async (t) => {
  await inFolder(async (folder) => {
    const code = copyOfCode(folder);
    for (const name of sabotageNames) t.notThrows(() => sabotage(name, code));
  });
});

const withPower = unavailable('power') === undefined ? test.serial : test.serial.skip;

withPower('the torture can fail: without its fdatasync the service loses what it answered when the power fails', async (t) => {
  await inFolder(async (folder) => {
    const code = copyOfCode(folder);
    sabotage('no-sync', code);
    for (let seed = 1; seed <= 10; seed++) {
      try {
        await inFolder((own) => variants.power.run({ seed, code, workers: 0, folder: own }));
      } catch (error) {
        t.true(error instanceof TortureFailure, String(error));
        return;
      }
    }
    t.fail('ten rounds did not see it');
  });
});
