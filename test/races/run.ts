// `npm run races`: two web processes race for what works once; exactly one of each two wins.
import { parseArgs } from 'node:util';
import { createProgress } from '../../bench/progress.ts';
import { startSmtp } from '../support/smtp.ts';
import { type Counts, proveRaces } from './prove.ts';

const help = `npm run races -- [--rounds N] [--seed S] [--workers N]

Starts a service and a web process beside it, and lets them race N times (100) for one step of an authenticator app, for one recovery code, for one counter of a security key
and for one mailed code. Two requests are sent whole but for their last octets, which are then sent together. It fails when a race had no winner or two, or when in fewer than 90 of
100 both had been asked before either was answered.`;
const seedsMax = 1_000_000;
/** Of a hundred. */
const togetherMin = 90;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '100' },
      seed: { type: 'string', default: String(Date.now() % seedsMax) },
      workers: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [rounds, seed, workers] = [values.rounds, values.seed, values.workers].map(Number) as [number, number, number];
  if (values.help || ![rounds, seed, workers].every(Number.isInteger) || rounds < 1) {
    process.stdout.write(`${help}\n`);
    return values.help ? 0 : 2;
  }
  const progress = createProgress(process.stderr);
  const ends: (() => unknown)[] = [];
  try {
    const smtp = await startSmtp({ teardown: (end) => void ends.push(end) });
    process.stdout.write(`seed ${seed}\n`);
    const counts = await proveRaces({ rounds, seed, smtp, workers, progress: (done) => progress.show(done) });
    progress.end();
    for (const each of counts) process.stdout.write(`${lineOf(each)}\n`);
    const isGood = counts.every(({ one, together }) => one === rounds && together * 100 >= togetherMin * rounds);
    for (const { wrong } of counts) if (wrong !== undefined) process.stdout.write(`${wrong}\n`);
    process.stdout.write(
      isGood ? 'exactly one won each race\n' : `failed; the same again: npm run races -- --rounds ${rounds} --seed ${seed}\n`,
    );
    return isGood ? 0 : 1;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function lineOf({ name, rounds, together, one, beside, closestMs }: Counts): string {
  const gap = Number.isFinite(closestMs) ? `, ${closestMs.toFixed(2)} ms at least from the later ask to the earlier answer` : '';
  return `${name}: exactly one won ${one} of ${rounds} (the second process ${beside}), both asked before either was answered ${together} of ${rounds}${gap}`;
}
