// `npm run torture`: breaks the service in every way that it is promised to survive, and looks whether it did.
import { loadavg } from 'node:os';
import { inspect, parseArgs } from 'node:util';
import { dropFolder, inFolder, makeFolder, TortureFailure } from './round.ts';
import { copyOfCode, type SabotageName, sabotage, sabotageNames, sabotages } from './sabotage.ts';
import { killAll, within } from './server.ts';
import { unavailable, type VariantName, variantNames, variants } from './variants/index.ts';

const help = `npm run torture -- [--rounds N] [--seed S] [--variant NAME] [--sabotage NAME] [--workers N]

Each round takes the next seed and the next variant. What a failure prints runs the same round again. With workers, the service that fails has threads that serve LDAP beside the main one.

Variants, all of them in turn unless one is named:
${variantNames.map((name) => `  ${name.padEnd(14)} ${variants[name].means}`).join('\n')}

A sabotage is made in a copy of the code, and the torture must fail for it:
${sabotageNames.map((name) => `  ${name.padEnd(14)} ${sabotages[name].means} (seen by: ${sabotages[name].seenBy})`).join('\n')}
`;

const roundsStanding = 8;
const roundTimeoutMs = 300_000;
const seedsMax = 1_000_000;

// A round that loses its service fails, and cleans up after itself.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, killAll);

process.exitCode = await torture();

/** @returns the exit status */
async function torture(): Promise<number> {
  const asked = readArguments();
  if (asked === undefined) {
    say(help);
    return 2;
  }
  const can = asked.variants.filter((name) => {
    const why = unavailable(name);
    if (why !== undefined) say(`– ${name}: skipped, ${why}`);
    return why === undefined;
  });
  if (can.length === 0) return 0;
  return await inFolder(async (folder) => {
    const code = copyOfCode(folder);
    if (asked.sabotage !== undefined) sabotage(asked.sabotage, code);
    return await run(can, asked, code);
  });
}

interface Asked {
  readonly rounds: number;
  readonly seed: number;
  readonly variants: readonly VariantName[];
  readonly sabotage: SabotageName | undefined;
  readonly workers: number;
}

function readArguments(): Asked | undefined {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: String(roundsStanding) },
      seed: { type: 'string', default: String(Date.now() % seedsMax) },
      variant: { type: 'string' },
      sabotage: { type: 'string' },
      workers: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  const [rounds, seed, workers] = [Number(values.rounds), Number(values.seed), Number(values.workers)];
  const made = sabotageNames.find((name) => name === values.sabotage);
  const wanted = values.variant ?? (made === undefined ? undefined : sabotages[made].seenBy);
  const named = variantNames.filter((name) => wanted === undefined || wanted === name);
  const unknown = named.length === 0 || (values.sabotage !== undefined && made === undefined);
  if (values.help || unknown || !Number.isSafeInteger(rounds) || rounds < 1 || !Number.isSafeInteger(seed)) return undefined;
  if (!Number.isSafeInteger(workers) || workers < 0) return undefined;
  return { rounds, seed, variants: named, sabotage: made, workers };
}

async function run(names: readonly VariantName[], asked: Asked, code: string): Promise<number> {
  const { rounds, seed, workers } = asked;
  const total = { answers: 0, failures: 0 };
  const begun = performance.now();
  for (let at = 0; at < rounds; at++) {
    const name = names[at % names.length] ?? 'kill';
    const label = `${String(at + 1).padStart(String(rounds).length)}/${rounds} ${name.padEnd(5)} seed ${seed + at}`;
    const folder = makeFolder();
    // What nobody waited for would end this process with nothing but its stack.
    const unexpected = (error: unknown) => {
      tellOfFailure(label, name, seed + at, asked, folder, error);
      process.exit(1);
    };
    process.once('uncaughtException', unexpected);
    try {
      const seen = await within(roundTimeoutMs, variants[name].run({ seed: seed + at, code, workers, folder }));
      if (seen === undefined) {
        killAll();
        throw new TortureFailure([`the round does not end within ${roundTimeoutMs} ms`]);
      }
      const { answers, failures } = seen;
      total.answers += answers;
      total.failures += failures;
      dropFolder(folder);
      say(`✔ ${label}: ${answers} answers, ${failures} failures survived`);
    } catch (error) {
      tellOfFailure(label, name, seed + at, asked, folder, error);
      return 1;
    } finally {
      process.off('uncaughtException', unexpected);
    }
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  say(`${rounds} rounds from seed ${seed} in ${seconds} s: ${total.answers} answers, ${total.failures} failures, nothing lost`);
  return 0;
}

/** All that is known of a round that failed; how to run it again, where its traces and data are and, once more, what was wrong, stand last. */
function tellOfFailure(
  label: string,
  name: VariantName,
  seed: number,
  { sabotage: made, workers }: Asked,
  folder: string,
  error: unknown,
): void {
  const what = error instanceof TortureFailure ? error.message : inspect(error);
  const again = `npm run torture -- --variant ${name} --rounds 1 --seed ${seed}`;
  say(`✘ ${label}\n${what}`);
  say(
    `load of the machine: ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')}`,
  );
  say(`kept: ${folder}`);
  say(`again: ${again}${made === undefined ? '' : ` --sabotage ${made}`}${workers === 0 ? '' : ` --workers ${workers}`}`);
  say(`failed: ${what.split('\n', 1)[0]}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
