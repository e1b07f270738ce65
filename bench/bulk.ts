import { execFileSync } from 'node:child_process';
import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hex, text } from '#base';
import { type LdifLimits, readLdif } from '#ldap';
import { type Both, orderOf } from './measure.ts';
import { anonymousMib, type Peer, residentMib, type Server, type Spent } from './process.ts';
import type { RowResult, Sample } from './results.ts';

export interface Bulk {
  readonly peers: Both<Peer>;
  readonly folder: string;
  readonly count: number;
  readonly rounds: number;
  readonly progress: (text: string) => void;
}

/** Fills both databases from LDIF, each time from nothing; they stay filled. */
export async function measureImport(ldif: Both<string>, { peers, count, rounds, progress }: Bulk): Promise<RowResult> {
  const samples: Both<Sample[]> = { atrium: [], slapd: [] };
  for (let round = 0; round < rounds; round++) {
    for (const side of orderOf(round)) {
      progress(`round ${round + 1} of ${rounds}, ${peers[side].name}`);
      settle();
      samples[side].push(spentOn(await peers[side].load(ldif[side]), count));
    }
  }
  return { id: 'import', ...samples };
}

/** Writes both databases as LDIF, and reads whether that is the same. */
export async function measureExport({ peers, folder, count, rounds, progress }: Bulk): Promise<RowResult> {
  const samples: Both<Sample[]> = { atrium: [], slapd: [] };
  const files = { atrium: join(folder, 'atrium-export.ldif'), slapd: join(folder, 'slapd-export.ldif') };
  for (let round = 0; round < rounds; round++) {
    for (const side of orderOf(round)) {
      progress(`round ${round + 1} of ${rounds}, ${peers[side].name}`);
      settle();
      samples[side].push(spentOn(await peers[side].dump(files[side]), count));
    }
  }
  progress('comparing what was written');
  const a = await contentOf(files.atrium);
  const s = await contentOf(files.slapd);
  if (a.entries !== s.entries || a.sum !== s.sum) {
    throw new Error(
      `the exports differ: ${a.entries} entries of Atrium, ${s.entries} of slapd, ${a.sum === s.sum ? 'the same' : 'another'} content`,
    );
  }
  for (const file of Object.values(files)) rmSync(file);
  return { id: 'export', ...samples, compared: { requests: 1, entries: a.entries, octets: { atrium: a.octets, slapd: s.octets } } };
}

/** Starts and stops both again and again, with the files in the page cache, where how quick the disk is is no matter of theirs, or out of it. */
export async function measureStart(
  id: string,
  cold: boolean,
  { peers, folder, rounds, progress }: Bulk,
  threads: number,
): Promise<RowResult> {
  const samples: Both<Sample[]> = { atrium: [], slapd: [] };
  for (let round = 0; round < rounds; round++) {
    for (const side of orderOf(round)) {
      progress(`round ${round + 1} of ${rounds}, ${peers[side].name}`);
      if (cold) forgetFiles(folder);
      const server = await peers[side].start(threads, false);
      samples[side].push({ value: server.startS, ...memoryOf(server) });
      await server.stop();
    }
  }
  if (cold) readAll(folder);
  return { id, ...samples };
}

/** Brings all files of a folder into the page cache again, where the rows that follow expect them. */
function readAll(folder: string): void {
  execFileSync('find', [folder, '-type', 'f', '-exec', 'cat', '{}', '+'], { stdio: ['ignore', 'ignore', 'ignore'] });
}

/** Takes all files of a folder out of the page cache (posix_fadvise(2), POSIX_FADV_DONTNEED), which unlike emptying all of it nobody else feels. */
function forgetFiles(folder: string): void {
  settle();
  const script = 'for file; do dd if="$file" iflag=nocache count=0 status=none || exit 1; done';
  execFileSync('find', [folder, '-type', 'f', '-exec', 'sh', '-c', script, 'sh', '{}', '+'], { stdio: 'ignore' });
}

/** Resident memory as it is by now. */
export function measureMemory(servers: Both<Server>): RowResult {
  const sample = (server: Server): Sample[] => [{ value: residentMib(server.pid), ...memoryOf(server) }];
  return { id: 'memory', atrium: sample(servers.atrium), slapd: sample(servers.slapd) };
}

function memoryOf({ pid }: Server): Pick<Sample, 'residentMib' | 'anonymousMib'> {
  return { residentMib: residentMib(pid), anonymousMib: anonymousMib(pid) };
}

function spentOn({ seconds, processorMs, peakMib }: Spent, entries: number): Sample {
  return { value: seconds, processorUs: (processorMs * 1000) / entries, residentMib: peakMib };
}

/** Writes what the one before has left in the page cache, so that the next does not pay for it. */
export function settle(): void {
  execFileSync('sync');
}

const limits: LdifLimits = { lineOctetsMax: 1 << 26, recordOctetsMax: 1 << 27, valuesMax: 1_000_000 };

/** Each server's own: they need not agree on them, and each hashes passwords in its own form. */
const own = new Set(
  [
    ...['userPassword', 'structuralObjectClass', 'entryUUID', 'entryCSN', 'contextCSN'],
    ...['creatorsName', 'createTimestamp', 'modifiersName', 'modifyTimestamp', 'pwdChangedTime'],
  ].map((name) => name.toLowerCase()),
);

/** Number of entries, and a sum over them that is the same for the same content in any order. */
async function contentOf(file: string): Promise<{ readonly entries: number; readonly sum: number; readonly octets: number }> {
  let entries = 0;
  let sum = 0;
  let octets = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(file)) {
      octets += chunk.length;
      yield chunk;
    }
  }
  for await (const record of readLdif(chunks(), limits)) {
    if (record.kind !== 'content') throw new Error(`${file}, line ${record.line}: ${record.kind} in an export`);
    const attributes = record.attributes
      .filter(({ description }) => !own.has(description.toLowerCase()))
      .map(
        ({ description, values }) =>
          `${description.toLowerCase()} ${JSON.stringify(values.map((value) => text(value) ?? hex(value)).sort())}`,
      )
      .sort();
    entries++;
    sum = (sum + hash([record.dn.toLowerCase(), ...attributes].join('\n'))) % 2 ** 52;
  }
  return { entries, sum, octets };
}

/** FNV-1a of 32 bits, twice over, as one number of 52 bits. */
function hash(content: string): number {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let i = 0; i < content.length; i++) {
    low = Math.imul(low ^ content.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ content.charCodeAt(content.length - 1 - i), 0x01000193);
  }
  return (low >>> 0) + (high >>> 12) * 2 ** 32;
}
