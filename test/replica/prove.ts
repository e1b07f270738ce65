import type { LdifContent } from '#ldap';
import { schema, suffix } from '../directory/driver.ts';
import { differsFromSlapd } from '../equality/compare.ts';
import { runLdapTool, searchWithLdapsearch } from '../support/ldap-utils.ts';
import { type Random, randomNumbers } from '../support/people.ts';
import { createAtrium, createConsumer, type Peer } from './peers.ts';
import { createWorkload, type Workload } from './workload.ts';

export interface Proving {
  readonly rounds: number;
  readonly seed: number;
  /** An empty folder. */
  readonly folder: string;
  readonly type: 'refreshAndPersist' | 'refreshOnly';
  readonly workers: number;
  readonly progress: (rounds: number) => void;
  readonly signal?: AbortSignal;
}

export interface Proved {
  readonly rounds: number;
  readonly entries: number;
  /** How often the copy was away while changes were made, and how often the provider was started anew. */
  readonly absences: number;
  readonly restarts: number;
  /** In what the copy was not equal, if it was not. */
  readonly difference: string | undefined;
}

/** So few that a copy that was away comes back now within the log and now behind its end. */
const commitsMax = 60;
const roundChanges = 24;
const pollMs = 20;
const equalMaxMs = 60_000;

/** Makes changes in rounds, stops and kills both servers between them, and holds the copy against Atrium after each round. */
export async function proveReplica({ rounds, seed, folder, type, workers, progress, signal }: Proving): Promise<Proved> {
  const random = randomNumbers(seed);
  const atrium = await createAtrium(folder, { STS_PERSISTENCE_COMMITS_MAX: String(commitsMax), STS_LDAP_WORKERS: String(workers) });
  const copy = await createConsumer(folder, atrium, type);
  const workload = createWorkload(random);
  const proved = { rounds: 0, entries: 0, absences: 0, restarts: 0 };
  try {
    await atrium.start();
    await change(atrium, workload, roundChanges);
    await copy.start();
    for (; proved.rounds < rounds && signal?.aborted !== true; proved.rounds++) {
      await disturb(random, atrium, copy, workload, proved);
      const { entries, difference } = await compare(atrium, copy);
      proved.entries = entries;
      if (difference !== undefined) return { ...proved, difference: `round ${proved.rounds + 1}: ${difference}` };
      progress(proved.rounds + 1);
    }
    return { ...proved, difference: undefined };
  } finally {
    await copy.stop();
    await atrium.stop();
  }
}

type Counts = { absences: number; restarts: number };

async function disturb(random: Random, atrium: Peer, copy: Peer, workload: Workload, counts: Counts): Promise<void> {
  const what = random.weighted([
    { weight: 4, name: 'nothing' },
    { weight: 3, name: 'away' },
    { weight: 1, name: 'long away' },
    { weight: 1, name: 'killed' },
    { weight: 2, name: 'provider' },
    { weight: 1, name: 'provider killed' },
  ] as const).name;
  switch (what) {
    case 'nothing':
      return await change(atrium, workload, roundChanges);
    case 'away':
    case 'long away':
    case 'killed':
      counts.absences++;
      await (what === 'killed' ? copy.kill() : copy.stop());
      // Who is sent everything has other names than those that it has come to have: where two exchanged theirs, slapd mixes the entries.
      if (what === 'long away') await change(atrium, workload, 2 * commitsMax, false);
      else await change(atrium, workload, roundChanges);
      return await copy.start();
    case 'provider':
    case 'provider killed':
      counts.restarts++;
      await change(atrium, workload, roundChanges);
      await (what === 'provider' ? atrium.stop() : atrium.kill());
      await atrium.start();
      return await change(atrium, workload, roundChanges);
  }
}

async function change(atrium: Peer, workload: Workload, changes: number, exchanges = true): Promise<void> {
  const ldif = workload.batch(changes, exchanges);
  const { status, stderr } = await runLdapTool('ldapmodify', atrium.as, [], ldif);
  if (status !== 0) throw new Error(`ldapmodify ended with ${status}: ${stderr}\n${ldif}`);
}

/** Waits until the copy says that it has come as far as Atrium, and compares. */
async function compare(atrium: Peer, copy: Peer): Promise<{ readonly entries: number; readonly difference: string | undefined }> {
  const wanted = await contextOf(atrium);
  const deadlineMs = performance.now() + equalMaxMs;
  while ((await contextOf(copy)) !== wanted) {
    if (performance.now() > deadlineMs)
      return { entries: 0, difference: `the copy stays at ${await contextOf(copy)}, Atrium is at ${wanted}` };
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const [mine, theirs] = await Promise.all([atrium, copy].map(allOf));
  const answers = (entries: readonly LdifContent[] = []) => ({ result: { code: 0, matchedDN: '', diagnostic: '' }, entries });
  return { entries: mine?.length ?? 0, difference: differsFromSlapd(schema, answers(theirs), answers(mine)) };
}

async function contextOf({ as }: Peer): Promise<string | undefined> {
  const [top] = await searchWithLdapsearch(as, ['-b', suffix, '-s', 'base', 'contextCSN']).catch(() => []);
  const value = top?.attributes.find(({ description }) => description === 'contextCSN')?.values[0];
  return value && Buffer.from(value).toString();
}

async function allOf({ as }: Peer): Promise<LdifContent[]> {
  return await searchWithLdapsearch(as, [
    '-b',
    suffix,
    '(objectClass=*)',
    '*',
    'entryUUID',
    'entryCSN',
    'createTimestamp',
    'modifyTimestamp',
  ]);
}
