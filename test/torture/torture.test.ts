import test from 'ava';
import { inFolder, projectRoot } from './round.ts';
import { unavailable, type VariantName, variantNames, variants } from './variants/index.ts';

/** Rounds of each variant here; `npm run torture` does as many as it is asked for. */
const rounds: Readonly<Record<VariantName, number>> = { kill: 3, power: 3, faults: 3, full: 1 };

for (const name of variantNames) {
  const here = unavailable(name) === undefined ? test.serial : test.serial.skip;
  here(`${variants[name].means}: the state is that of all answers, and of what was in flight all or nothing`, async (t) => {
    for (let seed = 1; seed <= rounds[name]; seed++) {
      const { failures } = await inFolder((folder) => variants[name].run({ seed, code: projectRoot, folder }));
      t.true(failures > 0, `npm run torture -- --variant ${name} --rounds 1 --seed ${seed}`);
    }
  });
}
