import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../support/people.ts';
import type { Disk, FileChange, TracedFile, TracedFolder } from './disk.ts';

/**
 * Makes a folder as a disk may have it when the power fails before line `instant` of the trace.
 *
 * What was put on disk is there: a file's octets by an fsync or fdatasync of that file that began after they were written and ended before the
 * instant, a name by one of its folder. Of the rest anything may be there: any of the writes or none, torn at sectors, with the file grown or
 * not; of the names that came and went, a first part. Shared memory (`-shm`) may hold anything at all.
 */
export function rebuildAt(disk: Disk, instant: number, random: Random, target: string): void {
  rebuildFolder(disk, '', instant, random, target);
}

function rebuildFolder(disk: Disk, path: string, instant: number, random: Random, target: string): void {
  mkdirSync(target, { mode: 0o700 });
  const folder = disk.folders.get(path);
  if (folder === undefined) return;
  for (const [name, what] of namesAt(folder, instant, random)) {
    const to = join(target, name);
    if (what === 'folder') rebuildFolder(disk, path === '' ? name : `${path}/${name}`, instant, random, to);
    else if (!name.endsWith('-shm')) writeFileSync(to, contentAt(what, instant, random), { mode: 0o600 });
    else if (random.chance(0.5)) writeFileSync(to, noise(random, sharedMemoryOctets), { mode: 0o600 });
  }
}

const sharedMemoryOctets = 32_768;

function namesAt({ changes, syncs }: TracedFolder, instant: number, random: Random): Map<string, TracedFile | 'folder'> {
  const before = changes.filter(({ start }) => start < instant);
  const durable = before.filter((change) => isDurable(change, syncs, instant)).length;
  // File systems keep the order of names: what is not certain is there up to some change.
  const kept = durable + random.below(before.length - durable + 1);
  const names = new Map<string, TracedFile | 'folder'>();
  for (const [name, what] of before.slice(0, kept).flatMap((change) => change.names)) {
    if (what === undefined) names.delete(name);
    else names.set(name, what);
  }
  return names;
}

/** How much of what is not certain is there: nothing, all, or some share of it. */
const shares = [0, 0.1, 0.5, 0.9, 1];

function contentAt({ changes, syncs }: TracedFile, instant: number, random: Random): Buffer {
  const share = random.pick(shares);
  const sectorOctets = random.pick([512, 4096]);
  const grown = random.chance(0.3);
  const file = new Content();
  for (const change of changes) {
    if (change.start >= instant) break;
    if (isDurable(change, syncs, instant)) file.apply(change);
    else file.applyTorn(change, sectorOctets, grown, () => random.chance(share));
  }
  return file.octets();
}

function isDurable(
  change: { readonly end: number },
  syncs: readonly { readonly start: number; readonly end: number }[],
  instant: number,
): boolean {
  return syncs.some(({ start, end }) => change.end < start && end < instant);
}

/** A file's octets while changes are put upon each other. */
class Content {
  #room = Buffer.alloc(0);
  #length = 0;

  apply(change: FileChange): void {
    if (change.kind === 'cut') this.#resize(change.length);
    else {
      this.#resize(Math.max(this.#length, change.offset + change.data.length));
      change.data.copy(this.#room, change.offset);
    }
  }

  /** Applies the sectors that chance keeps. */
  applyTorn(change: FileChange, sectorOctets: number, grown: boolean, keeps: () => boolean): void {
    if (change.kind === 'cut') {
      if (keeps()) this.#resize(change.length);
      return;
    }
    const { offset, data } = change;
    for (let from = offset; from < offset + data.length; ) {
      const to = Math.min((Math.floor(from / sectorOctets) + 1) * sectorOctets, offset + data.length);
      if (keeps()) this.apply({ ...change, offset: from, data: data.subarray(from - offset, to - offset) });
      else if (grown) this.#resize(Math.max(this.#length, to));
      from = to;
    }
  }

  octets(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  #resize(length: number): void {
    if (length > this.#room.length) {
      const larger = Buffer.alloc(Math.max(length, this.#room.length * 2));
      this.#room.copy(larger, 0, 0, this.#length);
      this.#room = larger;
    }
    // What was cut off does not come back when the file grows again.
    if (length < this.#length) this.#room.fill(0, length, this.#length);
    this.#length = length;
  }
}

function noise(random: Random, octets: number): Buffer {
  return Buffer.from(Array.from({ length: octets }, () => random.below(256)));
}
