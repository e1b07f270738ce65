import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { withPrograms } from '../support/programs.ts';
import { proveReplica } from './prove.ts';

// The short form of `npm run replica`, which draws other changes each time. A gate makes the same ones for every commit.
const drawn = [
  { type: 'refreshAndPersist', rounds: 6, seed: 84_116, workers: 1 },
  { type: 'refreshOnly', rounds: 3, seed: 84_117, workers: 0 },
] as const;

const prove = async (t: ExecutionContext, { type, rounds, seed, workers }: (typeof drawn)[number]) => {
  t.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), 'atrium-replica-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const proved = await proveReplica({ rounds, seed, folder, type, workers, progress: () => undefined });
  const more = `${type === 'refreshOnly' ? ' --refresh-only' : ''}${workers === 0 ? '' : ` --workers ${workers}`}`;
  const again = `npm run replica -- --rounds ${rounds} --seed ${seed}${more}`;
  t.is(proved.difference, undefined, again);
  // A proof of nothing proves nothing.
  t.true(proved.rounds === rounds && proved.entries > 20 && proved.absences + proved.restarts > 0, again);
};

withPrograms(
  test,
  'slapd',
  'ldapsearch',
)('slapd as a syncrepl consumer stays equal while entries come, change, move and go, and both are stopped and killed between', (t) =>
  prove(t, drawn[0]),
);

withPrograms(test, 'slapd', 'ldapsearch')('so it does when it polls', (t) => prove(t, drawn[1]));
