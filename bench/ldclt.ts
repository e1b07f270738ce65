import { execFile } from 'node:child_process';
import type { Server } from './process.ts';

/** How one row of the benchmark asks. Names are `u0000000` upwards, drawn at random. */
export interface Row {
  readonly name: string;
  readonly connections: number;
  readonly args: (server: Server, people: string) => readonly string[];
}

/** ldclt measures in samples of ten seconds. */
export const sampleS = 10;

/**
 * Runs one sample of a row against a server.
 *
 * @returns operations done
 * @throws Error when the tool reports an error: a row that fails is not a fast row
 */
export function runSample(row: Row, server: Server, base: string, count: number): Promise<number> {
  const args = [
    ...['-h', '127.0.0.1', '-p', String(server.port), '-n', String(row.connections), '-N', '1', '-r0', `-R${count - 1}`, '-q'],
    ...row.args(server, base),
  ];
  return new Promise((resolve, reject) => {
    execFile('ldclt', args, { maxBuffer: 1 << 24 }, (error, stdout) => {
      const total = /Global average rate:.*total:\s*(\d+)/.exec(stdout)?.[1];
      const clean = stdout.includes('Global no error occurs');
      if (total !== undefined && clean) resolve(Number(total));
      else reject(new Error(`${row.name} on ${server.name}: ${error?.message ?? ''}\n${stdout.slice(-2000)}`));
    });
  });
}

/** Everybody's password. */
export const password = 'Correct-horse-7';

const nameFilter = 'uid=uXXXXXXX';

export const rows: readonly Row[] = [
  {
    name: 'equality search',
    connections: 10,
    args: (_server, base) => ['-D', `uid=u0000001,${base}`, '-w', password, '-b', base, '-e', 'esearch,random', '-f', nameFilter],
  },
  {
    name: 'modify (durable)',
    connections: 10,
    args: ({ adminDn, adminPassword }, base) => [
      ...['-D', adminDn, '-w', adminPassword, '-b', base, '-e', 'random,attreplace=description:changed XXXXX', '-f', nameFilter],
    ],
  },
  {
    name: 'bind (scrypt logN 15)',
    connections: 4,
    args: (_server, base) => [
      ...['-D', `uid=uXXXXXXX,${base}`, '-w', password, '-e', 'bindeach,bindonly,randombinddn'],
      ...['-e', 'randombinddnlow=0', '-e', 'randombinddnhigh=999'],
    ],
  },
];
