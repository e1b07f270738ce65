// `node run.mjs bench/compare.ts --old /path/to/another/tree`: the processor time of an operation in two trees of Atrium, on equal data, in turn.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { atriumPeer, cachesFor } from './atrium.ts';
import { writePeople } from './data.ts';
import { startGenerator } from './generators.ts';
import type { Counted } from './load.ts';
import { anonymousMib, killAll, type Peer, residentMib, type Server } from './process.ts';
import { cheapHash, everybody, knownForLong } from './repeated.ts';
import type { World } from './requests.ts';
import { rows } from './rows.ts';
import { median } from './statistics.ts';

const suffix = 'dc=example,dc=com';
const password = 'Correct-horse-7';

const { values } = parseArgs({
  options: {
    /** The other tree, with a node_modules of its own. */
    old: { type: 'string' },
    size: { type: 'string', default: '50000' },
    rows: { type: 'string', default: 'search' },
    rounds: { type: 'string', default: '9' },
    warm: { type: 'string', default: '300' },
    ms: { type: 'string', default: '1000' },
    /** Where the data lies; it is kept, and not made anew where it is. */
    folder: { type: 'string' },
    /** Wait with the servers running, for a profiler, this many seconds behind each row. */
    linger: { type: 'string', default: '0' },
  },
});
if (values.old === undefined) throw new Error('--old names the other tree');

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'atrium-compare-'));
process.on('exit', () => {
  killAll();
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const size = Number(values.size);
const sides = [
  { name: 'old', root: resolve(values.old) },
  { name: 'new', root: dirname(import.meta.dirname) },
].map(({ name, root }) => {
  const own = join(folder, name);
  return { name, own, peer: atriumPeer(own, suffix, password, { ...cachesFor(size), ...knownForLong }, root) };
});
const world = await people();
const servers: Server[] = [];
for (const { name, peer } of sides) {
  const server = await peer.start(0, false);
  servers.push(server);
  say(
    `${name}: process ${server.pid}, resident ${residentMib(server.pid)} MiB, of its own ${anonymousMib(server.pid)}, started in ${server.startS.toFixed(2)} s`,
  );
}

await using generator = startGenerator();
for (const id of values.rows.split(',')) {
  const measure = rows.find((row) => row.id === id)?.measure;
  if (measure?.kind !== 'load' && measure?.kind !== 'repeated') throw new Error(`${id} is no row that is loaded`);
  if (measure.kind === 'repeated') for (const { port } of servers) await everybody(port, world);
  const taken: Counted[][] = sides.map(() => []);
  for (const [at, { port, pid, adminDn, adminPassword }] of servers.entries())
    await generator.open(String(at), { port, pid, adminDn, adminPassword, lanes: measure.lanes, world });
  // The first round is to get both quick, and is not counted.
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const lanes = measure.lanes.map((_, place) => place);
      const [warmMs, sampleMs] = round === 0 ? [3000, 1] : [Number(values.warm), Number(values.ms)];
      const counted = await generator.sample(String(at), { seed: 1 + round, warmMs, sampleMs, operationsMin: 10, lanes });
      if (round > 0) taken[at]?.push(counted);
    }
  say(`${id.padEnd(16)} ${lineOf(taken[0] ?? [], taken[1] ?? [])}`);
  await new Promise((done) => setTimeout(done, Number(values.linger) * 1000));
  for (const at of sides.keys()) await generator.close(String(at));
}
for (const [at, { name }] of sides.entries())
  say(`${name}: resident ${residentMib(servers[at]?.pid ?? 0)} MiB, of its own ${anonymousMib(servers[at]?.pid ?? 0)}`);
for (const server of servers) await server.stop();

/** The same people for both, or those that the folder has from an earlier run. */
async function people(): Promise<World> {
  const known = join(folder, 'world.json');
  if (existsSync(known)) return JSON.parse(readFileSync(known, 'utf8'));
  mkdirSync(folder, { recursive: true });
  const ldif = join(folder, 'people.ldif');
  const files = [{ file: ldif, storedPassword: await cheapHash(password) }];
  const made = await writePeople({ count: size, suffix, password, files });
  for (const { own, peer } of sides) await fill(own, peer, ldif);
  writeFileSync(known, JSON.stringify(made));
  return made;
}

async function fill(own: string, peer: Peer, ldif: string): Promise<void> {
  mkdirSync(own, { recursive: true });
  const { seconds, processorMs } = await peer.load(ldif);
  say(`import: ${seconds.toFixed(1)} s, ${((processorMs * 1000) / size).toFixed(1)} µs of processor for each`);
}

function lineOf(old: readonly Counted[], now: readonly Counted[]): string {
  const each = [old, now].map((samples) => samples.map(processorUs));
  const ratios = (each[1] ?? []).map((us, round) => us / (each[0]?.[round] ?? us));
  const [oldUs, newUs] = each.map((samples) => median(samples).toFixed(2));
  const rates = [old, now].map((samples) => Math.round(median(samples.map(({ lanes, seconds }) => (lanes[0]?.operations ?? 0) / seconds))));
  const spread = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
  return `old ${oldUs} µs, new ${newUs} µs of processor each: ${median(ratios).toFixed(3)} (${spread}); ${rates.join(' and ')}/s`;
}

function processorUs({ lanes, serverProcessorMs }: Counted): number {
  return (serverProcessorMs * 1000) / lanes.reduce((sum, { operations }) => sum + operations, 0);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
