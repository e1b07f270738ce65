// `node bench/workers.ts`: what threads beside the main one bring, Atrium beside itself with 0, 1 and 2 of them, on equal data, in turn.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atriumPeer, scryptHash } from './atrium.ts';
import { writePeople } from './data.ts';
import { startGenerator } from './generators.ts';
import type { Counted, Lane } from './load.ts';
import { anonymousMib, killAll, type Server } from './process.ts';
import { median, percentileUs } from './statistics.ts';

const suffix = 'dc=example,dc=com';
const password = 'Correct-horse-7';
const counts = [0, 1, 2] as const;

const { values } = parseArgs({
  options: {
    // Each thread fills caches of its own, and compiles what it runs for itself.
    warm: { type: 'string', default: '2000' },
    size: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '2000' },
  },
});

/** Many connections, since the system gives each to a thread by chance. */
const lane = (connections: number, asking: Lane['asking'], as: Lane['as'] = 'person'): Lane => ({
  connections,
  outstanding: 1,
  asking,
  as,
});
const equality = lane(30, { kind: 'equality', attributes: [] });
const loads: readonly (readonly [name: string, lanes: readonly Lane[]])[] = [
  ['equality search', [equality]],
  ['search returning 100 entries', [lane(30, { kind: 'group' })]],
  ['durable modify', [lane(30, { kind: 'modify', attribute: 'mobile' }, 'administrator')]],
  ['equality search while 10 connections modify', [equality, lane(10, { kind: 'modify', attribute: 'mobile' }, 'administrator')]],
];

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end(1));
process.on('exit', () => end(undefined));

function end(status: number | undefined): void {
  killAll();
  rmSync(folder, { recursive: true, force: true });
  if (status !== undefined) process.exit(status);
}

const ldif = join(folder, 'people.ldif');
const files = [{ file: ldif, storedPassword: await scryptHash(password) }];
const world = await writePeople({ count: Number(values.size), suffix, password, files, wrote: () => undefined });
await atriumPeer(folder, suffix, password).load(ldif);
const servers: Server[] = [];
for (const count of counts) {
  const own = join(folder, String(count));
  mkdirSync(own);
  cpSync(join(folder, 'atrium'), join(own, 'atrium'), { recursive: true });
  const server = await atriumPeer(own, suffix, password, { STS_LDAP_WORKERS: String(count) }).start(0, false);
  while (listeners(server.port) < count + 1) await new Promise((resolve) => setTimeout(resolve, 20));
  servers.push(server);
}
say(`anonymous memory after the start, MiB: ${servers.map(({ pid }) => anonymousMib(pid)).join(', ')} with ${counts.join(', ')} workers`);

await using generator = startGenerator();
for (const [name, lanes] of loads) {
  const taken: Counted[][] = counts.map(() => []);
  for (const [at, { port, pid, adminDn, adminPassword }] of servers.entries()) {
    await generator.open(String(at), { port, pid, adminDn, adminPassword, lanes, world });
  }
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const at of round % 2 === 0 ? [0, 1, 2] : [2, 1, 0]) {
      const timing = {
        seed: 1 + round,
        warmMs: Number(values.warm),
        sampleMs: Number(values.ms),
        operationsMin: 10,
        lanes: lanes.map((_, place) => place),
      };
      taken[at]?.push(await generator.sample(String(at), timing));
    }
  }
  for (const at of counts) await generator.close(String(at));
  say(`\n${name}`);
  for (const at of counts) say(lineOf(at, taken[at] ?? [], taken[0] ?? []));
}
say(`\nanonymous memory at the end, MiB: ${servers.map(({ pid }) => anonymousMib(pid)).join(', ')}`);
for (const server of servers) await server.stop();

function lineOf(count: number, samples: readonly Counted[], alone: readonly Counted[]): string {
  const ratios = (place: number) => median(samples.map((sample, round) => rateOf(sample, place) / rateOf(alone[round] as Counted, place)));
  const parts = (samples[0]?.lanes ?? []).map((_, place) => {
    const latencies = samples.flatMap(({ lanes }) => lanes[place]?.latencies ?? []);
    const rate = Math.round(median(samples.map((sample) => rateOf(sample, place))));
    return `${rate}/s (${ratios(place).toFixed(2)}), p50 ${percentileUs(latencies, 0.5)} µs, p99 ${percentileUs(latencies, 0.99)} µs`;
  });
  const each = median(
    samples.map((sample) => (sample.serverProcessorMs * 1000) / sample.lanes.reduce((sum, { operations }) => sum + operations, 0)),
  );
  const busy = median(samples.map(({ generatorProcessorMs, seconds }) => generatorProcessorMs / 1000 / seconds));
  return `  ${count} workers: ${parts.join('; beside ')}; ${each.toFixed(1)} µs of processor each; generator busy ${Math.round(busy * 100)} %`;
}

function rateOf({ lanes, seconds }: Counted, place: number): number {
  return (lanes[place]?.operations ?? 0) / seconds;
}

/** Sockets that listen on a port of this machine over IPv4: one for each thread. */
function listeners(port: number): number {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A `;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => line.includes(wanted)).length;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
