import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scryptHash, startAtrium } from './atrium.ts';
import { writePeople } from './data.ts';
import { password, rows, runSample, sampleS } from './ldclt.ts';
import { processorMs, residentMib, type Server } from './process.ts';
import { cryptScrypt, startSlapd } from './slapd.ts';

const suffix = 'dc=example,dc=com';
const base = `ou=people,${suffix}`;
const count = Number(option('size') ?? 10_000);
const rounds = Number(option('rounds') ?? 5);

interface Sample {
  readonly perS: number;
  /** Processor time of the server, microseconds an operation. */
  readonly processorUs: number;
}

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'));
try {
  const ldif = join(folder, 'people.ldif');
  say(`${count.toLocaleString('en')} people, ${rounds} rounds of ${sampleS} s a row and server`);
  const slapdLdif = join(folder, 'slapd.ldif');
  await writePeople({ count, suffix, file: ldif, storedPassword: await scryptHash(password) });
  await writePeople({ count, suffix, file: slapdLdif, storedPassword: cryptScrypt(password) });
  await using open = new AsyncDisposableStack();
  const opened = (server: Server): Server => {
    open.defer(() => server.stop());
    return server;
  };
  await measure([
    opened(await startAtrium(folder, suffix, ldif, 'u0000000', password)),
    opened(await startSlapd(folder, suffix, slapdLdif)),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(servers: readonly [Server, Server]): Promise<void> {
  say('| row | connections | Atrium /s | slapd /s | ratio (median of rounds) | processor µs/op, Atrium | slapd |');
  say('|---|---|---|---|---|---|---|');
  for (const row of rows) {
    const samples: [Sample[], Sample[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      // Who goes first alternates, so that a machine that slows down slows both.
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const server = servers[which];
        const before = processorMs(server.pid);
        const done = await runSample(row, server, base, count);
        samples[which].push({ perS: done / sampleS, processorUs: ((processorMs(server.pid) - before) * 1000) / done });
        progress(`${row.name}: round ${round + 1} of ${rounds}, ${server.name}`);
      }
    }
    const ratio = median(samples[0].map((sample, i) => sample.perS / (samples[1][i]?.perS ?? Number.NaN)));
    const [a, s] = samples.map((list) => ({
      perS: median(list.map((sample) => sample.perS)),
      us: median(list.map((sample) => sample.processorUs)),
    }));
    if (a === undefined || s === undefined) continue;
    const cells = [row.name, row.connections, round(a.perS), round(s.perS), ratio.toFixed(2), round(a.us), round(s.us)];
    progress('');
    say(`| ${cells.join(' | ')} |`);
  }
  say(`\nResident memory at the end: Atrium ${residentMib(servers[0].pid)} MiB, slapd ${residentMib(servers[1].pid)} MiB`);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

function round(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
