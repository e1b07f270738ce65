// `node run.mjs bench/repeat-binds.ts`: binds of people who bound a short while ago, drawn uniformly from all, against slapd with {SSHA}, in turn.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { utf8 } from '#base';
import { computeScrypt, formatHash } from '#keys';
import { atriumPeer } from './atrium.ts';
import { bind, Connection } from './connection.ts';
import { writePeople } from './data.ts';
import { startGenerator } from './generators.ts';
import type { Counted, Lane } from './load.ts';
import { killAll } from './process.ts';
import { nameOf } from './requests.ts';
import { slapdPeer } from './slapd.ts';
import { median } from './statistics.ts';

const suffix = 'dc=example,dc=com';
const password = 'Correct-horse-7';
const manyThreads = 16;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '10000' },
    // Of the stored hashes: what it costs to find out once is no part of what is measured. 15 is what Atrium stores.
    ln: { type: 'string', default: '15' },
    connections: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '2000' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const salt = new Uint8Array(16).fill(7);
const cost = { logN: Number(values.ln), r: 8, p: 1 };
const stored = formatHash({ ...cost, salt, key: await computeScrypt(utf8(password), salt, 32, cost) });
const ssha = `{SSHA}${Buffer.concat([createHash('sha1').update(password).update(salt).digest(), salt]).toString('base64')}`;
const ldif = { atrium: join(folder, 'atrium.ldif'), slapd: join(folder, 'slapd.ldif') };
const files = [
  { file: ldif.atrium, storedPassword: stored },
  { file: ldif.slapd, storedPassword: ssha },
];
const world = await writePeople({ count: Number(values.size), suffix, password, files, wrote: () => undefined });
const long = { STS_SECURITY_VERIFIED_BINDS_S: '3600' };
const peers = [atriumPeer(folder, suffix, password, long), slapdPeer(folder, suffix)] as const;
await peers[0].load(ldif.atrium);
await peers[1].load(ldif.slapd);
const servers = [await peers[0].start(0, false), await peers[1].start(manyThreads, false)] as const;

/** Everybody has bound once. */
async function everybody(port: number): Promise<void> {
  let next = 0;
  const one = async () => {
    using connection = await Connection.open(port);
    for (let at = next++; at < world.count; at = next++) await bind(connection, nameOf(at, world.base), password);
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

const begun = performance.now();
await everybody(servers[0].port);
say(`${world.count} people have bound once, in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
await everybody(servers[1].port);

const lanes: readonly Lane[] = [{ connections: Number(values.connections), outstanding: 1, asking: { kind: 'bind' }, as: 'person' }];
await using generator = startGenerator();
const taken: Counted[][] = [[], []];
for (const [at, { port, pid, adminDn, adminPassword }] of servers.entries())
  await generator.open(String(at), { port, pid, adminDn, adminPassword, lanes, world });
for (let round = 0; round < Number(values.rounds); round++)
  for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
    const timing = { seed: 1 + round, warmMs: 1000, sampleMs: Number(values.ms), operationsMin: 10, lanes: [0] };
    taken[at]?.push(await generator.sample(String(at), timing));
  }
const rates = taken.map((samples) => samples.map(({ lanes: [lane], seconds }) => (lane?.operations ?? 0) / seconds));
const processor = taken.map((samples) =>
  median(samples.map(({ lanes: [lane], serverProcessorMs }) => (serverProcessorMs * 1000) / (lane?.operations ?? 1))),
);
const ratio = median((rates[0] ?? []).map((rate, round) => rate / (rates[1]?.[round] ?? 1)));
say(`Atrium ${Math.round(median(rates[0] ?? []))}/s, ${processor[0]?.toFixed(1)} µs of processor each`);
say(`slapd with {SSHA} ${Math.round(median(rates[1] ?? []))}/s, ${processor[1]?.toFixed(1)} µs of processor each`);
say(`Atrium ÷ slapd, median of ${values.rounds} rounds: ${ratio.toFixed(2)} (gate 2)`);
for (const server of servers) await server.stop();

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
