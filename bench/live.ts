import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { utf8 } from '#base';
import { connectOperators } from '#client';
import { peopleLdif } from '../test/support/people.ts';
import { settle } from './bulk.ts';
import { freePort, processorMs, runProgram, type Spent, startServer, stopProgram } from './process.ts';

// How an import into a new realm of a running service compares with one into a stopped folder, and how long others wait meanwhile.
const given = parseArgs({ options: { people: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '3' } } }).values;
const [people, rounds] = [Number(given.people), Number(given.rounds)];

const cli = join(dirname(import.meta.dirname), 'atrium.mjs');
const suffix = 'dc=example,dc=com';
const administrator = `uid=admin,ou=people,${suffix}`;
const folder = mkdtempSync(join(tmpdir(), 'atrium-live-'));
const file = join(folder, 'people.ldif');
/** The service is looked at once more when what an import has left to be put in place is in place. */
const restMs = 4000;
const probeMs = 3;

function settingsOf(name: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    STS_GLOBAL_DATA_DIR: join(folder, name),
    STS_KEYS_KEK: 'the key-encryption key of a benchmark',
    STS_LDAP_HOST: 'localhost',
    STS_LDAP_TLS_PORT: '',
    STS_HTTP_PORT: '',
    STS_HTTP_TLS_PORT: '',
    STS_LOG_LEVEL: 'error',
  };
}

async function intoFolder(): Promise<Spent> {
  rmSync(join(folder, 'stopped'), { recursive: true, force: true });
  settle();
  return await runProgram(process.execPath, [cli, 'import', file], { ...settingsOf('stopped'), STS_LDAP_PORT: '' });
}

interface Waits {
  readonly search: number[];
  readonly modify: number[];
}

/** Asks and changes again and again, each when the one before is answered and a while is over, until told. */
async function probe(socketPath: string, isOver: () => boolean): Promise<Waits> {
  const waits: Waits = { search: [], modify: [] };
  const every = async (times: number[], act: () => Promise<unknown>) => {
    while (!isOver()) {
      const begunMs = performance.now();
      await act();
      times.push(performance.now() - begunMs);
      await new Promise((resolve) => setTimeout(resolve, probeMs));
    }
  };
  await using reading = await connectOperators({ socketPath });
  await using writing = await connectOperators({ socketPath });
  let number = 0;
  const change = () =>
    writing.actor.modify(administrator, [{ operation: 'replace', attribute: { description: 'title', values: [utf8(String(number++))] } }]);
  await Promise.all([every(waits.search, () => reading.actor.read(administrator, ['cn'])), every(waits.modify, change)]);
  return waits;
}

/** @param probes  whether others ask and change meanwhile */
async function intoService(
  probes: boolean,
): Promise<{ readonly spent: Spent; readonly waits: Waits | undefined; readonly quiet: Waits | undefined }> {
  rmSync(join(folder, 'live'), { recursive: true, force: true });
  const port = await freePort();
  const settings = { ...settingsOf('live'), STS_LDAP_PORT: String(port) };
  const { child } = await startServer(process.execPath, [cli, 'serve'], port, settings);
  const pid = child.pid ?? 0;
  const socket = join(folder, 'live', 'ldapi');
  try {
    await runProgram(process.execPath, [cli, 'realm', 'create', 'acme'], settings);
    const rested = performance.now() + restMs;
    const quiet = probes ? await probe(socket, () => performance.now() > rested) : undefined;
    settle();
    let isOver = false;
    const beforeMs = processorMs(pid);
    const begunMs = performance.now();
    const probing = probes ? probe(socket, () => isOver) : undefined;
    const client = await runProgram(process.execPath, [cli, 'import', '--to', 'acme', file], settings);
    const seconds = (performance.now() - begunMs) / 1000;
    await new Promise((resolve) => setTimeout(resolve, restMs));
    isOver = true;
    const waits = await probing;
    return { spent: { ...client, seconds, processorMs: client.processorMs + processorMs(pid) - beforeMs }, waits, quiet };
  } finally {
    await stopProgram(child);
  }
}

function tell(name: string, { seconds, processorMs: ms }: Spent): void {
  process.stdout.write(`${name}: ${seconds.toFixed(2)} s, ${Math.round((ms * 1000) / people)} µs of processor time for each\n`);
}

function tellWaits(name: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1);
  process.stdout.write(`  ${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms of ${sorted.length}\n`);
}

try {
  await pipeline(Readable.from(peopleLdif({ count: people, seed: 5, suffix })), createWriteStream(file));
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const stopped = await intoFolder();
    const { spent } = await intoService(false);
    tell('stopped folder', stopped);
    tell('running service', spent);
    ratios.push(spent.processorMs / stopped.processorMs);
  }
  ratios.sort((a, b) => a - b);
  process.stdout.write(`processor time, service against folder: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}\n`);
  const { waits, quiet } = await intoService(true);
  for (const [name, each] of [
    ['others, without an import', quiet],
    ['others, during one', waits],
  ] as const) {
    process.stdout.write(`${name}\n`);
    tellWaits('searches', each?.search ?? []);
    tellWaits('modifies', each?.modify ?? []);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
