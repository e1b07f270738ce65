// `npm run torture`: breaks the service in every way it is promised to survive, and looks whether it did.
import { parseArgs } from 'node:util';
import { inFolder, projectRoot } from './round.ts';
import { unavailable, type VariantName, variantNames, variants } from './variants/index.ts';

const help = `npm run torture -- [--rounds N] [--seed S] [--variant ${variantNames.join('|')}]

Each round takes the next seed and the next variant. What a failure prints runs the same round again.
`;

process.exitCode = await torture();

async function torture(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '8' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      variant: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
  const chosen = variantNames.filter((name) => values.variant === undefined || values.variant === name);
  if (values.help || chosen.length === 0 || !(rounds >= 1) || !Number.isSafeInteger(seed)) {
    say(help);
    return values.help ? 0 : 2;
  }
  const can = chosen.filter((name) => {
    const why = unavailable(name);
    if (why !== undefined) say(`– ${name}: skipped, ${why}`);
    return why === undefined;
  });
  return can.length === 0 ? 0 : await run(can, rounds, seed);
}

/** @returns the exit status */
async function run(names: readonly VariantName[], rounds: number, seed: number): Promise<number> {
  const total = { answers: 0, failures: 0 };
  const begun = performance.now();
  for (let at = 0; at < rounds; at++) {
    const name = names[at % names.length] ?? 'kill';
    const roundSeed = seed + at;
    const label = `${String(at + 1).padStart(String(rounds).length)}/${rounds} ${name} seed ${roundSeed}`;
    try {
      const { answers, failures } = await inFolder((folder) => variants[name].run({ seed: roundSeed, code: projectRoot, folder }));
      total.answers += answers;
      total.failures += failures;
      say(`✔ ${label}: ${answers} answers, ${failures} failures survived`);
    } catch (error) {
      say(`✘ ${label}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      say(`again: npm run torture -- --variant ${name} --rounds 1 --seed ${roundSeed}`);
      return 1;
    }
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  say(`${rounds} rounds from seed ${seed} in ${seconds} s: ${total.answers} answers, ${total.failures} failures, nothing lost`);
  return 0;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
