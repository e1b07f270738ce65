import test from 'ava';
import { startSmtp } from '../support/smtp.ts';
import { proveRaces } from './prove.ts';

/** The short form of `npm run races`, which makes a hundred of each and draws others each time. */
const [rounds, seed] = [10, 84_116];

test('two web processes race for one step of an app, one recovery code, one counter of a key and one mailed code: exactly one wins each race', async (t) => {
  t.timeout(300_000);
  const smtp = await startSmtp(t);
  const counts = await proveRaces({ rounds, seed, smtp, workers: 0, progress: () => undefined });
  const again = `npm run races -- --rounds ${rounds} --seed ${seed}`;
  t.is(counts.length, 4);
  for (const { name, one, together, wrong } of counts) {
    t.is(one, rounds, `${name}: ${again}\n${wrong ?? ''}`);
    t.true(together >= rounds * 0.9, `${name}: both asked before either was answered in ${together}; ${again}`);
  }
});
