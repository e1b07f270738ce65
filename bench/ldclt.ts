import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Both, orderOf, type Session } from './measure.ts';
import type { Server } from './process.ts';
import type { World } from './requests.ts';
import { median } from './statistics.ts';

/** The three quick rows as Debian's ldclt asks them: a load generator that somebody else wrote. */
interface LdcltRow {
  readonly name: string;
  readonly connections: number;
  readonly threads: number;
  readonly args: (server: Server, world: World) => readonly string[];
}

const program = '/usr/bin/ldclt';
/** ldclt measures in samples of ten seconds. */
const sampleS = 10;
const nameFilter = 'uid=uXXXXXXX';

/** What is missing, in words for whoever wants to run it; nothing when it is there. */
export function ldcltMissing(): string | undefined {
  if (existsSync(program)) return undefined;
  return `ldclt is not installed (${program}): apt-get install --no-install-recommends 389-ds-base`;
}

const rows: readonly LdcltRow[] = [
  {
    name: 'equality search',
    connections: 10,
    threads: 4,
    args: (_server, { base, password }) => [
      ...['-D', `uid=u0000001,${base}`, '-w', password, '-b', base],
      ...['-e', 'esearch,random', '-f', nameFilter],
    ],
  },
  {
    name: 'durable modify',
    connections: 10,
    threads: 4,
    args: ({ adminDn, adminPassword }, { base }) => [
      ...['-D', adminDn, '-w', adminPassword, '-b', base],
      ...['-e', 'random,attreplace=description:changed XXXXX', '-f', nameFilter],
    ],
  },
  {
    name: 'bind',
    connections: 4,
    threads: 16,
    args: (_server, { base, password, count }) => [
      ...['-D', `uid=uXXXXXXX,${base}`, '-w', password, '-e', 'bindeach,bindonly,randombinddn'],
      ...['-e', 'randombinddnlow=0', '-e', `randombinddnhigh=${count - 1}`],
    ],
  },
];

export interface LdcltRun {
  readonly session: Session;
  readonly world: World;
  readonly rounds: number;
  readonly say: (line: string) => void;
  readonly progress: (text: string) => void;
}

/** Prints a table of what ldclt counts, nothing kept: it holds our own generator's numbers against somebody else's. */
export async function runLdclt({ session, world, rounds, say, progress }: LdcltRun): Promise<void> {
  say(`| row, with ldclt | connections | Atrium /s | slapd /s | ratio |`);
  say('| --- | --: | --: | --: | --: |');
  for (const row of rows) {
    const servers = await session.servers(row.threads);
    const perS: Both<number[]> = { atrium: [], slapd: [] };
    for (let round = 0; round < rounds; round++) {
      for (const side of orderOf(round)) {
        progress(`${row.name}: round ${round + 1} of ${rounds}, ${servers[side].name}`);
        perS[side].push((await runSample(row, servers[side], world)) / sampleS);
      }
    }
    const ratio = median(perS.atrium.map((value, i) => value / (perS.slapd[i] ?? Number.NaN)));
    const cells = [row.name, row.connections, Math.round(median(perS.atrium)), Math.round(median(perS.slapd)), ratio.toFixed(2)];
    progress('');
    say(`| ${cells.join(' | ')} |`);
  }
}

/** @returns operations done in one sample. @throws Error when the tool reports an error: a row that fails is not a fast row */
function runSample(row: LdcltRow, server: Server, world: World): Promise<number> {
  const args = [
    ...['-h', '127.0.0.1', '-p', String(server.port), '-n', String(row.connections), '-N', '1', '-r0', `-R${world.count - 1}`, '-q'],
    ...row.args(server, world),
  ];
  return new Promise((resolve, reject) => {
    execFile('ldclt', args, { maxBuffer: 1 << 24 }, (error, stdout) => {
      const total = /Global average rate:.*total:\s*(\d+)/.exec(stdout)?.[1];
      if (total !== undefined && stdout.includes('Global no error occurs')) resolve(Number(total));
      else reject(new Error(`${row.name} on ${server.name}: ${error?.message ?? ''}\n${stdout.slice(-2000)}`));
    });
  });
}
