// `npm run mutants`: mistakes in the code of the sign-in, of doors that take passwords and of the life of an account, each of which the test of its rule must see.
import { inFolder } from '../torture/round.ts';
import { copyForSignin, missed } from './catch.ts';
import { signinMutants } from './mutants.ts';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !signinMutants.has(name));
if (unknown.length > 0) {
  const all = [...signinMutants].map(([name, { means }]) => `  ${name.padEnd(18)} ${means}`).join('\n');
  process.stdout.write(`npm run mutants -- [NAME ...]\n\nWithout names, all:\n${all}\n`);
  process.exitCode = 2;
} else {
  await inFolder(async (folder) => {
    const copy = copyForSignin(folder);
    let survived = 0;
    const some = [...signinMutants].filter(([name]) => wanted.length === 0 || wanted.includes(name));
    for (const [name, mutant] of some) {
      const why = await missed(name, mutant, copy);
      if (why !== undefined) survived++;
      process.stdout.write(`${why === undefined ? 'caught' : 'MISSED'} ${name}: ${mutant.means}${why === undefined ? '' : `\n  ${why}`}\n`);
    }
    process.stdout.write(`${some.length - survived} caught, ${survived} missed\n`);
    process.exitCode = survived === 0 ? 0 : 1;
  });
}
