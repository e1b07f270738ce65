// `npm run replica`: Debian's slapd as a copy of Atrium stays equal to it, whatever is changed and whoever is stopped.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killAll } from '../../bench/process.ts';
import { createProgress } from '../../bench/progress.ts';
import { proveReplica } from './prove.ts';

const help = `npm run replica -- [--rounds N] [--seed S] [--refresh-only] [--workers N]

Makes generated changes in Atrium in N rounds (100), stops and kills Atrium and a slapd that is its syncrepl consumer between them, and after each round
compares all entries of both. What a failure prints does the same again. It ends with the first difference.`;
const seedsMax = 1_000_000;

const progress = createProgress(process.stderr);
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '100' },
      seed: { type: 'string', default: String(Date.now() % seedsMax) },
      workers: { type: 'string', default: '0' },
      'refresh-only': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [rounds, seed, workers] = [values.rounds, values.seed, values.workers].map(Number) as [number, number, number];
  if (values.help || ![rounds, seed, workers].every(Number.isInteger)) {
    process.stdout.write(`${help}\n`);
    return values.help ? 0 : 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'atrium-replica-'));
  const forget = () => rmSync(folder, { recursive: true, force: true });
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!over.signal.aborted) return over.abort();
      killAll();
      forget();
      process.exit(1);
    });
  }
  const type = values['refresh-only'] ? 'refreshOnly' : 'refreshAndPersist';
  const more = `${type === 'refreshOnly' ? ' --refresh-only' : ''}${workers === 0 ? '' : ` --workers ${workers}`}`;
  process.stdout.write(`npm run replica -- --rounds ${rounds} --seed ${seed}${more}\n`);
  try {
    const show = (done: number) => progress.show(`${done} rounds`, done / rounds);
    const proved = await proveReplica({ rounds, seed, folder, type, workers, progress: show, signal: over.signal });
    progress.end();
    const { difference, entries, absences, restarts } = proved;
    if (difference !== undefined) process.stdout.write(`✘ ${difference}\n`);
    process.stdout.write(
      `${proved.rounds} rounds with ${entries} entries at the end; the copy was away ${absences} times, Atrium started anew ${restarts} times: ` +
        `${difference === undefined ? 'always equal' : 'they differ'}\n`,
    );
    return difference === undefined && proved.rounds === rounds ? 0 : 1;
  } finally {
    killAll();
    forget();
  }
}
